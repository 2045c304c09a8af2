"""Migrating by the page: step by step, only from where settings allow, stopped and gone on with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from starlette.applications import Starlette

from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.design import Post
from hansang.apps.codex.jobs import jobs
from hansang.apps.codex.migration.guided import GuidedMigration
from hansang.apps.codex.settings import CodexSettings
from hansang.apps.platform.accounts import accounts_of
from hansang.backends.embedded import Embedded
from hansang.backends.limits import limits
from hansang.blueprint.live import describe
from hansang.errors import NotAllowed
from hansang.parts.history import Actor
from hansang.parts.jobs import JobRunner, JobStopped
from hansang.parts.journal import Journal
from hansang.surfaces.console.app import create_console
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.frame import framed
from hansang.surfaces.shell import Shell
from tests.apps.codex.console.newsroom import Newsroom
from tests.apps.codex.migration.old_tables import KEYS, delete, fill, post, put
from tests.apps.codex.migration.test_following import turn_on
from tests.clauses import clause
from tests.surfaces.console.browsers import Browser
from tests.surfaces.shells import PASSWORD, SetClock, opened

ACTOR = Actor("person", "owner", "Owner")
PLACE = "/codex/migration"


@dataclass
class Move:
    """A server that may migrate from one file, and the owner in front of its page."""

    shell: Shell
    owner: Browser
    source: str
    journal: Journal
    clock: SetClock

    def does(self, step: str, **more: str) -> int:
        """Send the form of a step, and let the server end it."""
        self.clock.now += 5
        self.owner.get(PLACE)
        status = self.owner.send(f"{PLACE}/{step}", source=more.pop("source", self.source), **more).status
        self.shell.jobs.stop()
        return status

    @property
    def shown(self) -> str:
        return self.owner.get(PLACE).shown


@pytest.fixture
def move(tmp_path: Path, rendering: Rendering) -> Iterator[Move]:
    clock, source = SetClock(), str(tmp_path / "old.db")
    with Embedded.open(source) as old:
        fill(old, 60)
    settings = CodexSettings(migrate_from=(source, "here"))
    with opened(clock, applications=(APPLICATION,)) as standing:
        journal = Journal(standing.database, clock, "test")
        runner = JobRunner(journal, jobs(standing.database, clock, settings))
        shell = replace(standing, chosen={"codex": settings}, jobs=runner)
        accounts_of(shell.identity).people.create("owner", "Owner", {"*": "owner"}, PASSWORD)
        pages, error_page = create_console(shell, rendering)
        with framed(Starlette(routes=pages), shell, error_page=error_page) as app:
            yield Move(shell, Browser(app, "en").sign_in("owner"), source, journal, clock)
            runner.stop()


@clause("X4-12")
def test_six_steps_lead_from_the_old_tables_to_the_new_one(move: Move) -> None:
    assert "Plan" in move.shown
    for step in ("plan", "copy"):
        assert (step, move.does(step)) == (step, 303)
    assert "60 / 60" in move.shown
    with Embedded.open(move.source) as old:
        put(old, "PostsTable", **post(3, title="고친 글", updatedAt="2024-03-01T00:00:00Z"))
    assert move.does("verify") == 303
    assert "1 difference" in move.shown
    for step in ("delta", "verify", "switch"):
        assert (step, move.does(step)) == (step, 303)
    assert "1 written, 0 deleted" in move.shown
    assert "Undo the switch" in move.shown
    assert move.does("drop", typed="PostsTable") == 409
    assert move.does("drop", typed=" ".join(KEYS)) == 303
    assert move.shell.database.count(Post.latest()) == 60
    with Embedded.open(move.source) as old:
        assert [describe(old, name) for name in KEYS] == [None, None, None]


@clause("X4-12")
def test_the_page_catches_up_by_stream_where_the_old_tables_have_one(move: Move) -> None:
    button = "Catch up by stream"
    for step in ("plan", "copy"):
        move.does(step)
    assert button not in move.shown
    with Embedded.open(move.source) as old:
        turn_on(old)
    move.does("delta")
    assert button in move.shown
    with Embedded.open(move.source) as old:
        put(old, "PostsTable", **post(3, title="고친 글", updatedAt="2024-03-01T00:00:00Z"))
        delete(old, "PostsTable", "p4")
    assert move.does("follow") == 303
    assert "1 written, 1 deleted" in move.shown
    move.clock.advance(24 * 60 * 60)
    move.does("follow")
    assert "거슬러 올라가지 않습니다" in move.owner.get(f"{PLACE}?lang=ko").shown


@clause("X4-12")
def test_only_sources_of_the_settings_are_read(move: Move) -> None:
    move.owner.get(PLACE)
    refused = move.owner.send(f"{PLACE}/plan", source="/etc/passwd")
    assert (refused.status, "Add it to HANSANG_CODEX_MIGRATE_FROM" in refused.shown) == (409, True)
    none = GuidedMigration(move.shell.database, move.shell.clock, CodexSettings())
    with pytest.raises(NotAllowed, match="HANSANG_CODEX_MIGRATE_FROM"):
        none.ask("plan", move.source, ACTOR)
    allowed = CodexSettings(migrate_from=(move.source,))
    GuidedMigration(move.shell.database, move.shell.clock, allowed).ask("plan", move.source, ACTOR)
    with pytest.raises(NotAllowed, match="HANSANG_CODEX_MIGRATE_FROM"):
        none.run()
    task = none.view().task
    assert task is not None
    assert (task.is_waiting, none.view().report("plan")["code"]) == (False, "codex.source-not-allowed")


class StopAfter:
    """Somebody presses the button before one of the steps; what is done to clean up is let through."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def check(self) -> None:
        self._left -= 1
        if self._left == 0:
            raise JobStopped


def was_stopped(guided: GuidedMigration, steps: int) -> bool:
    mark = limits.set(StopAfter(steps))
    try:
        guided.run()
    except JobStopped:
        return True
    finally:
        limits.reset(mark)
    return False


@clause("X4-12")
def test_a_copy_that_is_stopped_at_any_step_says_so_and_goes_on(move: Move) -> None:
    move.does("plan")
    allowed = CodexSettings(migrate_from=(move.source,))
    guided, stops = GuidedMigration(move.shell.database, move.shell.clock, allowed), 0
    guided.ask("copy", move.source, ACTOR)
    while was_stopped(guided, stops + 1):
        stops += 1
        assert not guided.is_wanted()
        guided.ask("copy", move.source, ACTOR)
        if stops == 1:
            assert "Stopped. Begun again" in move.shown
    assert stops > 3
    assert guided.view().is_done("copy")
    assert move.shell.database.count(Post.latest()) == 60


def test_without_sources_the_page_says_how_to_allow_one(newsroom: Newsroom) -> None:
    assert "HANSANG_CODEX_MIGRATE_FROM" in newsroom.sees(PLACE, "owner").shown
    assert newsroom.browser("editor").get(PLACE).status == 403
