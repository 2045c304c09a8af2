"""The lines of a run, whole and page by page."""

from __future__ import annotations

import pytest

from hansang.apps.news import loading
from hansang.apps.news.design import LineOutcome, Outcome, Run, RunPartKey
from hansang.apps.news.lines import counts_of
from hansang.apps.news.service import News
from hansang.design import Database, Unreadable
from hansang.errors import InvalidCursor
from tests.apps.news.lists import link, links
from tests.spoiling import spoil


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PART", 4)


@pytest.fixture
def run(news: News) -> Run:
    return news.loader.load([*links(10), link(0), {"title": "x"}, *links(3, first=20), link(1)])


def paged(news: News, run: Run, outcome: Outcome | None, limit: int) -> list[LineOutcome]:
    found: list[LineOutcome] = []
    cursor = None
    while True:
        page = news.lines.page(run, outcome, limit, cursor)
        assert (page.offset, len(page) <= limit) == (len(found), True)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("limit", [1, 3, 4, 5, 500])
@pytest.mark.parametrize("outcome", [None, "inserted", "invalid", "duplicate_in_batch", "failed"])
def test_pages_and_the_whole_of_them_agree(news: News, run: Run, outcome: Outcome | None, limit: int) -> None:
    whole = list(news.lines.each(run.id, outcome))
    assert len(whole) == (run.total if outcome is None else getattr(run, outcome))
    assert paged(news, run, outcome, limit) == whole


def test_a_cursor_belongs_to_its_run_and_its_outcome(news: News, run: Run) -> None:
    cursor = news.lines.page(run, "inserted", 2).cursor
    other = news.loader.load(links(9, first=50))
    for asked, outcome in ((run, None), (run, "duplicate_in_batch"), (other, "inserted")):
        with pytest.raises(InvalidCursor):
            news.lines.page(asked, outcome, 2, cursor)  # type: ignore[arg-type]


def test_a_line_comes_with_the_article_that_it_became_or_met(news: News, run: Run) -> None:
    page = news.lines.page_with_articles(run, limit=12)
    assert [each.item.pk if each.item else None for each in page][9:] == [
        page.items[9].line.pk,
        page.items[0].line.pk,
        None,
    ]


def test_a_part_that_cannot_be_read_is_named_and_the_others_come(
    news: News, run: Run, database: Database
) -> None:
    spoil(database, RunPartKey(run=run.id, number=1), lines={"N": "7"})
    told: list[Unreadable] = []
    lines = [line.line for line in news.lines.each(run.id, unreadable=told.append)]
    assert (lines[:5], len(told)) == ([1, 2, 3, 4, 9], 1)
    page = news.lines.page(run, limit=6)
    assert ([line.line for line in page], len(page.unreadable)) == ([1, 2, 3, 4, 9, 10], 1)


def test_counts_are_those_of_the_run(run: Run) -> None:
    assert dict(counts_of(run)) == {
        "inserted": 13,
        "duplicate": 0,
        "duplicate_in_batch": 2,
        "collision": 0,
        "invalid": 1,
        "failed": 0,
    }
