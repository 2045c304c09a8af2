"""What came of a job, in the language of whoever looks."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette

from hansang.apps.platform.accounts import accounts_of
from hansang.parts.jobs import Job, JobResult
from hansang.parts.schedules import Schedule
from hansang.parts.words import Language, Words
from hansang.surfaces.console.app import create_console
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.frame import framed
from tests.surfaces.console.browsers import Browser
from tests.surfaces.shells import PASSWORD, SetClock, opened

SWEEP = Job(
    name="expiry-sweep",
    title=Words("만료된 아이템 삭제", "Delete what has expired"),
    run=lambda _: JobResult("2 expired items", {"deleted": 2}),
    schedule=Schedule.every(3600),
)


@pytest.mark.parametrize(
    ("language", "said"),
    [("ko", "만료된 아이템 2개를 삭제했습니다."), ("en", "2 expired items deleted.")],
)
def test_a_result_is_told_in_the_words_of_its_job(
    rendering: Rendering, language: Language, said: str
) -> None:
    with opened(SetClock(), jobs=(SWEEP,)) as shell:
        accounts_of(shell.identity).people.create("owner", "Owner", {"*": "owner"}, PASSWORD)
        shell.jobs.run_now(SWEEP.name)
        pages, error_page = create_console(shell, rendering)
        with framed(Starlette(routes=pages), shell, error_page=error_page) as app:
            page = Browser(app, language).sign_in("owner").get(f"/admin/jobs/{SWEEP.name}")
    assert said in page.shown
