"""The specification in the console."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.apps.platform.accounts import accounts_of
from hansang.blueprint.clauses import STATUSES, register
from hansang.surfaces.console.spec import prose
from hansang.surfaces.server.workers import Worker
from hansang.wiring import product
from tests.surfaces.console.browsers import Browser
from tests.surfaces.console.conftest import ROLES, Visitor
from tests.surfaces.shells import PASSWORD, SetClock, opened

PAGES = [page.name for page in register()]


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    """Browsers on one product for all of these tests, since none of them changes anything."""
    with opened(SetClock()) as shell, product(shell, Worker(1, "tests")) as app:
        for name in ("viewer", "reporter"):
            accounts_of(shell.identity).people.create(name, name, ROLES[name], PASSWORD)
        yield lambda name, language="ko": Browser(app, language).enter(shell, name)


def test_every_page_is_shown_with_its_progress(visitor: Visitor) -> None:
    page = visitor("viewer").get("/spec")
    assert {f"/spec/{name}" for name in PAGES} <= set(page.links)
    assert len(page.all("svg", role="img")) == len(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_every_clause_of_a_page_is_there_under_its_id(visitor: Visitor, name: str) -> None:
    shown = visitor("viewer", "en").get(f"/spec/{name}")
    ids = {own["id"] for own in shown.all("li") if own.get("id")}
    assert ids == {each.id for page in register() if page.name == name for each in page.clauses}


def test_a_departure_shows_what_is_done_and_how_grave_it_is(visitor: Visitor) -> None:
    page = visitor("viewer").get("/spec/3-news?kind=departure")
    assert "해결 방법" in page.shown
    assert "문서대로 만들면 동작하지 않음" in page.shown
    assert "3-12" not in {own.get("id") for own in page.all("li")}


def test_a_clause_leads_to_its_tests_and_to_the_design_in_the_data_pages(visitor: Visitor) -> None:
    page = visitor("viewer").get("/spec/1-assets")
    assert "tests/spec/test_assets_design.py::test_codes_are_found_by_their_kind" in page.shown
    assert "/data/assets/patterns/Codes.of_kind" in page.links


def test_every_test_is_shown_with_its_last_result(visitor: Visitor) -> None:
    page = visitor("viewer", "en").get("/spec/6-across")
    words = {"passed": "Passed", "failed": "Failed", "skipped": "Skipped", "unrun": "Not run here"}
    [golden] = [each for each in register() if each.name == "6-across"]
    for proof in (proof for each in golden.clauses for proof in each.proofs):
        assert f"{proof.test} {words[proof.outcome]}" in " ".join(page.shown.split())


def test_a_design_that_may_not_be_read_is_named_and_not_linked(visitor: Visitor) -> None:
    page = visitor("reporter").get("/spec/1-assets")
    assert "hansang.apps.assets.design.Codes.of_kind" in page.shown
    assert "/data/assets/patterns/Codes.of_kind" not in page.links


@pytest.mark.parametrize("status", STATUSES)
def test_clauses_are_found_by_their_status(visitor: Visitor, status: str) -> None:
    shown = visitor("viewer").get(f"/spec?status={status}&all=yes")
    wanted = {each.id for page in register() for each in page.clauses if each.status == status}
    assert {own["id"] for own in shown.all("li") if own.get("class") == "clause"} == wanted


def test_clauses_are_found_by_words(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    assert "1 clause found" in viewer.get("/spec?q=100+%25+preservation").shown
    assert "No matching clauses" in viewer.get("/spec?q=no+such+words").shown


def test_a_status_or_a_kind_that_means_nothing_leaves_nothing_out(visitor: Visitor) -> None:
    strange = visitor("viewer").get("/spec/3-news?status=strange&kind=strange")
    assert (strange.status, "3-12" in strange.shown) == (200, True)


def test_many_findings_come_in_part_until_all_are_asked_for(visitor: Visitor) -> None:
    viewer = visitor("viewer")
    some, whole = viewer.get("/spec?q=a"), viewer.get("/spec?q=a&all=yes")
    assert len([own for own in some.all("li") if own.get("class") == "clause"]) == 60
    assert len([own for own in whole.all("li") if own.get("class") == "clause"]) > 200
    assert "?q=a&all=yes" in some.links


def test_a_clause_is_shown_in_the_language_of_the_reader(visitor: Visitor) -> None:
    ko, en = (visitor("viewer", language).get("/spec/0-dynamodb-rules").shown for language in ("ko", "en"))
    assert ("조건이 실패해도 WCU를 씁니다" in ko, "A failed condition still costs WCU" in ko) == (True, False)
    assert ("조건이 실패해도 WCU를 씁니다" in en, "A failed condition still costs WCU" in en) == (False, True)


def test_an_id_in_a_korean_sentence_is_a_link() -> None:
    link = '<a class="link" href="/spec/4-codex#X4-06">X4-06</a>'
    assert prose("X4-06의 위치 항목, 2014-05-09와는 다릅니다", register()) == (
        f"{link}의 위치 항목, 2014-05-09와는 다릅니다"
    )


def test_a_page_that_is_not_there_is_not_found(visitor: Visitor) -> None:
    assert visitor("viewer").get("/spec/9-nothing").status == 404


def test_a_line_becomes_html_and_nothing_in_it_is_markup() -> None:
    shown = prose("**No** `<b>` of [R8](x.md), see X3-06 & 9-99 <i>", register())
    assert shown == (
        '<b>No</b> <code>&lt;b&gt;</code> of R8, see <a class="link" href="/spec/3-news#X3-06">X3-06</a>'
        " &amp; 9-99 &lt;i&gt;"
    )
