"""The runs of the news list, and one run with its lines."""

from __future__ import annotations

import csv
import io
import json

import pytest
from starlette.types import ASGIApp

from hansang.apps.news.console.links import run_path
from hansang.apps.news.pages import read_page
from hansang.apps.news.service import News
from tests.apps.news.console.newsroom import Newsroom, charts, newsroom
from tests.apps.news.lists import link, links
from tests.clauses import clause
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor

__all__ = ["newsroom"]

RUNS = "/news/runs"
NO_LINKS = read_page(b"<html></html>").alarms[0]


def test_the_runs_of_a_month_are_listed_and_drawn_by_day(newsroom: Newsroom, visitor: Visitor) -> None:
    first = newsroom.load([*links(3), link(0), {"title": 5}], source="desk", name="a.json")
    newsroom.clock.advance(86_400)
    second = newsroom.load(links(5))
    page = visitor("viewer", "en").get(RUNS)
    assert {run_path(first.id), run_path(second.id)} <= set(page.links)
    assert "a.json" in page.shown
    drawn = {each["key"]: each["values"][-2:] for each in charts(page)["days"]["series"]}
    assert drawn == {"inserted": [3, 2], "duplicate": [1, 3], "troubled": [1, 0]}
    assert {each["stack"] for each in charts(page)["days"]["series"]} == {"lines"}
    assert page.faults == page.doubled_ids == []


def test_months_are_turned_and_the_next_one_is_not_offered(newsroom: Newsroom, visitor: Visitor) -> None:
    run = newsroom.load(links(1))
    viewer = visitor("viewer", "en")
    here = viewer.get(RUNS)
    assert "October 2096" in here.shown
    assert here.all("a", rel="next") == []
    before = viewer.get(f"{RUNS}{here.all('a', rel='prev')[0]['href']}")
    assert "September 2096" in before.shown
    assert "No runs in this month" in before.shown
    after = viewer.get(f"{RUNS}{before.all('a', rel='next')[0]['href']}")
    assert run_path(run.id) in after.links


@pytest.mark.parametrize("month", ["november", "2096-13", "0000-01", "2096-1"])
def test_what_is_no_month_is_refused(visitor: Visitor, month: str) -> None:
    assert visitor("viewer").get(f"{RUNS}?month={month}").status == 422


def test_a_busy_month_goes_on_page_by_page(newsroom: Newsroom, visitor: Visitor) -> None:
    runs = {newsroom.load([]).id for _ in range(27)}
    viewer = visitor("viewer", "en")
    page = viewer.get(RUNS)
    assert "1–25" in page.shown
    [following] = [own["href"] for own in page.all("a", rel="next")]
    last = viewer.get(f"{RUNS}{following}")
    assert "26–27" in last.shown
    assert {run_path(each) for each in runs} <= set(page.links) | set(last.links)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ko", "페이지에서 yahoo 방식으로 읽을 링크를 찾지 못했습니다"),
        ("en", "The page has no links that the adapter yahoo knows"),
    ],
)
def test_a_page_that_has_drifted_is_an_alarm(
    newsroom: Newsroom, visitor: Visitor, language: str, words: str
) -> None:
    run = newsroom.load([], alarms=[NO_LINKS])
    viewer = visitor("viewer", language)
    for path in (RUNS, run_path(run.id)):
        page = viewer.get(path)
        assert words in page.shown
        assert page.all("div", role="alert")
    newsroom.clock.advance(40 * 86_400)
    assert words not in viewer.get(RUNS).shown


@clause("X3-06")
def test_collisions_are_listed_with_both_links(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.occupy(1)
    run = newsroom.load([link(1), link(2)])
    viewer = visitor("viewer", "en")
    for path in (RUNS, run_path(run.id)):
        page = viewer.get(path)
        assert "Links set aside" in page.shown
        assert link(1)["url"] in page.links
        assert link(901)["url"] in page.shown
    other = newsroom.load([link(3)])
    assert "Links set aside" not in viewer.get(run_path(other.id)).shown


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "이 달에는 적재가 없습니다"), ("en", "No runs in this month")]
)
def test_without_runs_that_is_said(newsroom: Newsroom, visitor: Visitor, language: str, words: str) -> None:
    page = visitor("viewer", language).get(RUNS)
    assert words in page.shown
    assert charts(page) == {}
    assert "/news/load" in visitor("editor", language).get(RUNS).links


# ── one run ───────────────────────────────────────────────────────────────────────────────────────


def resumes(page: Page) -> bool:
    return "/news/load" in page.actions


@clause("X3-23")
def test_a_run_shows_what_became_of_each_line(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load([link(1)])
    run = newsroom.load([link(1), link(2), link(2), {"title": 5, "url": "https://a.example"}], name="b.json")
    viewer = visitor("viewer", "en")
    page = viewer.get(run_path(run.id))
    for words in (
        "b.json",
        "Finished",
        run.id,
        "1 Duplicate",
        "2 Inserted",
        "3 Repeated in list",
        "4 Invalid",
    ):
        assert words in page.shown, words
    assert "The title is empty or not a text." in page.shown
    assert not resumes(page)
    invalid = viewer.get(f"{run_path(run.id)}?outcome=invalid")
    assert "The title is empty or not a text." in invalid.shown
    assert "Headline 2" not in invalid.shown
    assert page.faults == page.doubled_ids == []


def test_lines_are_had_as_a_file_with_the_same_filter(newsroom: Newsroom, whole: ASGIApp) -> None:
    run = newsroom.load([link(1), {"title": 5}, link(2)])
    viewer = Browser(whole).sign_in("viewer")
    page = viewer.get(f"{run_path(run.id)}?outcome=inserted")
    table, lines = (viewer.client.get(each) for each in page.links if each.startswith("/api/news/loads/"))
    assert [row["line"] for row in csv.DictReader(io.StringIO(table.content.decode("utf-8-sig")))] == [
        "1",
        "3",
    ]
    assert [json.loads(line)["outcome"] for line in lines.text.splitlines()] == ["inserted", "inserted"]


@pytest.mark.parametrize("run", ["x", "20960101T000000Z-abcdef", "a%2Fb"])
def test_a_run_that_is_not_there_is_missing(visitor: Visitor, run: str) -> None:
    assert visitor("viewer").get(f"{RUNS}/{run}").status == 404


def test_a_run_that_was_stopped_is_offered_to_go_on(newsroom: Newsroom, visitor: Visitor) -> None:
    run = newsroom.stopped(links(700))
    page = visitor("editor", "en").get(run_path(run.id))
    assert resumes(page)
    assert page.all("input", name="run")[0]["value"] == run.id
    assert f"hansang news load half.jsonl --run {run.id}" in page.shown
    watching = visitor("viewer", "en").get(run_path(run.id))
    assert "Stopped" in watching.shown
    assert not resumes(watching)


def test_a_run_with_lines_that_failed_is_offered_to_go_on(newsroom: Newsroom, visitor: Visitor) -> None:
    run = newsroom.failed(links(3), "Headline 1")
    page = visitor("editor", "en").get(f"{run_path(run.id)}?outcome=failed")
    assert "Some lines could not be stored." in page.shown
    assert resumes(page)
    assert "Headline 0" not in page.shown


def test_a_run_that_is_still_running_says_that_its_counts_are_to_come(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    seen: list[Page] = []

    def look(_: int) -> None:
        seen.append(visitor("editor", "en").get(run_path(newsroom.runs[0].id)))

    newsroom.load(links(1), progress=look)
    [page] = seen
    assert "Still running" in page.shown
    assert "Headline 0" in page.shown
    assert not resumes(page)


def test_the_page_of_a_run_that_goes_on_has_its_counts_so_far_and_listens_for_more(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    newsroom.news = News(
        newsroom.shell.database,
        newsroom.clock,
        sleep=newsroom.clock.advance,
        publish=newsroom.shell.topics.publish,
    )
    seen: list[Page] = []

    def look(_: int) -> None:
        newsroom.shell.topics.flush()
        seen.append(visitor("editor", "en").get(run_path(newsroom.runs[0].id)))

    run = newsroom.load(links(700), progress=look)
    first, last = seen
    assert "All 500 Inserted 500" in first.shown
    assert "All 700 Inserted 700" in last.shown
    assert first.all("main")[0]["data-live"] == f"news.run.{run.id}"
    assert any("live.js" in (own.get("src") or "") for own in first.all("script"))
    ended = visitor("editor", "en").get(run_path(run.id))
    assert "data-live" not in ended.all("main")[0]
    assert not any("live.js" in (own.get("src") or "") for own in ended.all("script"))


def test_a_run_that_was_left_is_listened_to_since_somebody_may_go_on_with_it(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    run = newsroom.stopped(links(700))
    assert visitor("editor").get(run_path(run.id)).all("main")[0]["data-live"] == f"news.run.{run.id}"


def test_a_run_that_has_said_nothing_for_long_can_go_on(newsroom: Newsroom, visitor: Visitor) -> None:
    run = newsroom.load(links(1))
    newsroom.shell.database.put(run.model_copy(update={"run_state": "running", "finished_at": None}))
    newsroom.clock.advance(3600)
    page = visitor("editor", "en").get(run_path(run.id))
    assert "It has not reported its end." in page.shown
    assert resumes(page)


def test_a_run_that_goes_on_is_stopped_by_a_button(newsroom: Newsroom, visitor: Visitor) -> None:
    run = newsroom.load(links(2))
    newsroom.shell.database.put(run.model_copy(update={"run_state": "running", "finished_at": None}))
    stop = f"{run_path(run.id)}/stop"
    assert stop not in visitor("viewer", "en").get(run_path(run.id)).actions
    editor = visitor("editor", "en")
    assert stop in editor.get(run_path(run.id)).actions
    assert editor.send(stop).location == run_path(run.id)
    page = editor.follow()
    assert "The run stops before its next part" in page.shown
    assert "It is being stopped." in page.shown
    assert stop not in page.actions
