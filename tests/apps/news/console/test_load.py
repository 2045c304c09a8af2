"""Loading a list by hand: a file or a text, what became of each line, and lists that are refused."""

from __future__ import annotations

import json
import re
import threading
from typing import Any

import pytest

from hansang.apps.news.console.links import article_path, run_path
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from tests.apps.news.console.newsroom import Newsroom, newsroom
from tests.apps.news.lists import link, links
from tests.clauses import clause
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor

__all__ = ["newsroom"]

LOAD = "/news/load"
ARRAY = json.dumps(links(3))
LINES = "\n".join(map(json.dumps, links(3)))
TABLE = "title,url,tickers\n" + "\n".join(f"{each['title']},{each['url']},NVDA AMD" for each in links(3))


def pasted(browser: Browser, text: str, **fields: str) -> Page:
    browser.get(LOAD)
    return browser.send(LOAD, text=text, **({"source": "desk", "form": ""} | fields))


def dropped(browser: Browser, name: str, content: str | bytes, **fields: str) -> Page:
    """Send the form with a file."""
    form = {"csrf": browser.get(LOAD).csrf, "source": "desk", "text": "", "form": ""} | fields
    browser.page = Page(browser.client.post(LOAD, data=form, files={"file": (name, content)}))
    return browser.page


def figures(page: Page) -> dict[str, int]:
    """How many lines had which outcome, as the page says it."""
    found = {}
    for name in ("Inserted", "Duplicate", "Repeated in list", "Collision", "Invalid", "Failed"):
        [*_, count] = page.text.split(f"<span>{name}</span>")[1].split("</b>")[0].split(">")
        found[name] = int(count)
    return found


# ── what goes in ──────────────────────────────────────────────────────────────────────────────────


@clause("3-01")
@pytest.mark.parametrize("text", [ARRAY, LINES, TABLE])
def test_a_list_that_is_pasted_is_loaded_and_each_line_said(
    newsroom: Newsroom, visitor: Visitor, text: str
) -> None:
    editor = visitor("editor", "en")
    answer = pasted(editor, text)
    [run] = newsroom.runs
    assert answer.status == 303
    assert answer.location == f"{LOAD}?run={run.id}#result"
    assert (run.inserted, run.source, run.name) == (3, "desk", "")
    page = editor.follow()
    assert "3 new articles were loaded." in page.shown
    assert figures(page)["Inserted"] == 3
    assert {article_path(newsroom.stored(each).pk) for each in range(3)} <= set(page.links)
    assert run_path(run.id) in page.links
    assert page.faults == page.doubled_ids == []


def test_a_title_is_required_as_the_help_says(newsroom: Newsroom, visitor: Visitor) -> None:
    editor = visitor("editor", "en")
    assert "title and url are required; tickers may be empty" in editor.get(LOAD).shown
    pasted(
        editor,
        json.dumps([{"title": "", "url": "https://a.example/1", "tickers": []}, {"title": "b", "url": "u"}]),
    )
    assert (newsroom.runs[0].inserted, newsroom.runs[0].invalid) == (1, 1)


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", ARRAY), ("a.jsonl", LINES), ("a.csv", TABLE), ("noname", ARRAY)]
)
def test_a_file_is_loaded(newsroom: Newsroom, visitor: Visitor, name: str, text: str) -> None:
    assert dropped(visitor("editor"), name, text).status == 303
    [run] = newsroom.runs
    assert (run.inserted, run.name) == (3, name)


def test_a_chosen_form_is_stronger_than_the_name_and_a_file_than_the_text(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    editor = visitor("editor")
    assert dropped(editor, "a.csv", LINES, form="jsonl", text="not a list").status == 303
    assert newsroom.runs[0].inserted == 3


def test_bytes_that_are_no_text_spoil_their_own_line_alone(newsroom: Newsroom, visitor: Visitor) -> None:
    content = b'{"title": "caf\xe9", "url": "https://a.example"}\n' + json.dumps(link(1)).encode()
    editor = visitor("editor")
    dropped(editor, "a.jsonl", content)
    assert (newsroom.runs[0].inserted, newsroom.runs[0].invalid) == (1, 1)
    assert "파일을 UTF-8로 저장하십시오" in editor.follow().shown


# ── what comes out ────────────────────────────────────────────────────────────────────────────────


@clause("3-12", "X3-22")
def test_the_same_list_again_is_all_duplicates_and_changes_nothing(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    editor = visitor("editor", "en")
    pasted(editor, ARRAY)
    before = [newsroom.stored(each) for each in range(3)]
    newsroom.clock.advance(3600)
    corrected = [each | {"title": "Corrected", "tickers": ["NEW"]} for each in links(3)]
    pasted(editor, json.dumps(corrected))
    page = editor.follow()
    assert figures(page) == figures_of(Duplicate=3)
    assert "0 new articles were loaded." in page.shown
    assert [newsroom.stored(each) for each in range(3)] == before
    assert "Corrected" not in page.shown


def figures_of(**counts: int) -> dict[str, int]:
    names = ("Inserted", "Duplicate", "Repeated in list", "Collision", "Invalid", "Failed")
    return dict.fromkeys(names, 0) | counts


@clause("X3-23", "X3-15", "X3-18")
@pytest.mark.parametrize(
    ("language", "reasons"),
    [
        (
            "ko",
            [
                "title이 비었거나 글자가 아닙니다.",
                "JSON으로 읽을 수 없습니다",
                "tickers가 글자 목록이 아닙니다.",
            ],
        ),
        (
            "en",
            [
                "The title is empty or not a text.",
                "The line is not valid JSON",
                "The tickers are not a list of texts.",
            ],
        ),
    ],
)
def test_every_line_says_what_became_of_it(
    newsroom: Newsroom, visitor: Visitor, language: str, reasons: list[str]
) -> None:
    given: list[Any] = [link(1), link(1), {"title": 5, "url": "https://a.example"}]
    text = "\n".join([*map(json.dumps, given), "{", json.dumps(link(2) | {"tickers": 7})])
    editor = visitor("editor", language)
    pasted(editor, text)
    page = editor.follow()
    assert [(run.inserted, run.duplicate_in_batch, run.invalid) for run in newsroom.runs] == [(1, 1, 3)]
    for reason in reasons:
        assert reason in page.shown, reason


@clause("X3-06")
@pytest.mark.parametrize(("language", "words"), [("ko", "키 충돌 1건"), ("en", "1 key collision")])
def test_a_collision_is_shouted_about_with_both_links(
    newsroom: Newsroom, visitor: Visitor, language: str, words: str
) -> None:
    newsroom.occupy(1)
    editor = visitor("editor", language)
    pasted(editor, json.dumps([link(1)]))
    page = editor.follow()
    assert words in page.shown
    assert page.all("div", role="alert")
    assert link(1)["url"] in page.links
    assert link(901)["url"] in page.shown


def test_lines_are_filtered_by_outcome_and_go_on_page_by_page(newsroom: Newsroom, visitor: Visitor) -> None:
    editor = visitor("editor", "en")
    pasted(editor, json.dumps([*links(70), *links(60)]))
    [run] = newsroom.runs
    all_of_them = editor.get(f"{LOAD}?run={run.id}")
    assert "lines 1–50" in all_of_them.shown
    repeated = editor.get(f"{LOAD}?run={run.id}&outcome=duplicate_in_batch")
    assert "lines 71–120" in repeated.shown
    [following] = [own["href"] for own in repeated.all("a", rel="next")]
    assert "lines 121–130" in editor.get(f"{LOAD}{following}").shown
    assert "No lines with “Failed”" in editor.get(f"{LOAD}?run={run.id}&outcome=failed").shown
    assert editor.get(f"{LOAD}?run={run.id}&cursor=x").status == 400


def test_an_empty_list_is_a_run_of_none(newsroom: Newsroom, visitor: Visitor) -> None:
    editor = visitor("editor", "en")
    pasted(editor, "[]")
    assert newsroom.runs[0].total == 0
    assert "No lines processed yet" in editor.follow().shown


# ── what is refused ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "text", "korean", "english"),
    [
        ("a.json", ARRAY[:-5], "JSON을 끝까지 읽지 못했습니다", "cannot be read to the end"),
        ("a.json", LINES, "[ … ] 배열인지", "Check that it is an array"),
        ("a.csv", "a,b\n1,2\n", "첫 줄에 열 이름", "first line names the columns"),
        ("", "a,b\n1,2\n", "목록을 읽지 못했습니다", "The list cannot be read"),
        ("", "  ", "파일을 고르거나 목록을 붙여 넣으십시오", "Choose a file, or paste a list"),
    ],
)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_is_no_list_is_refused_with_the_way_out_and_leaves_no_run(
    newsroom: Newsroom, visitor: Visitor, name: str, text: str, korean: str, english: str, language: str
) -> None:
    editor = visitor("editor", language)
    page = dropped(editor, name, text) if name else pasted(editor, text)
    assert page.status == 422
    assert (korean if language == "ko" else english) in page.shown
    assert newsroom.runs == []
    assert page.faults == page.doubled_ids == []


def test_what_was_pasted_is_still_there_to_be_mended(visitor: Visitor) -> None:
    page = pasted(visitor("editor"), "[{]", source="my desk", form="json")
    assert "[{]" in page.text
    assert page.all("input", name="source")[0]["value"] == "my desk"
    assert "selected" in page.all("option", value="json")[0]


@pytest.mark.parametrize("source", ["", " ", "x" * 101])
def test_a_source_needs_a_name(newsroom: Newsroom, visitor: Visitor, source: str) -> None:
    page = pasted(visitor("editor", "en"), ARRAY, source=source)
    assert page.status == 422
    assert "Name the source, in 1 to 100 characters." in page.shown
    assert page.all("input", name="source")[0]["aria-invalid"] == "true"
    assert newsroom.runs == []


def test_a_list_that_breaks_off_late_says_how_far_it_came(newsroom: Newsroom, visitor: Visitor) -> None:
    cut = json.dumps(links(1200))[:-40]
    page = dropped(visitor("editor", "en"), "cut.json", cut)
    assert page.status == 422
    assert "The first 1,000 lines were loaded." in page.shown
    assert [(run.run_state, run.inserted) for run in newsroom.runs] == [("stopped", 1000)]


@clause("X3-23")
def test_a_run_that_was_stopped_goes_on_with_the_same_file(newsroom: Newsroom, visitor: Visitor) -> None:
    left = newsroom.stopped(links(700))
    content = "\n".join(map(json.dumps, links(700)))
    answer = dropped(visitor("editor"), "half.jsonl", content, run=left.id)
    assert answer.location == f"{LOAD}?run={left.id}#result"
    assert [(run.id, run.run_state, run.inserted) for run in newsroom.runs] == [(left.id, "finished", 700)]


@pytest.mark.parametrize("run", ["x", "20960101T000000Z-abcdef"])
def test_a_run_that_is_none_cannot_go_on(newsroom: Newsroom, visitor: Visitor, run: str) -> None:
    page = pasted(visitor("editor", "en"), ARRAY, run=run)
    assert page.status == 422
    assert "This run cannot continue with this list." in page.shown
    assert visitor("editor").get(f"{LOAD}?run={run}").status == 404


def test_a_finished_run_cannot_go_on(newsroom: Newsroom, visitor: Visitor) -> None:
    done = newsroom.load(links(1))
    assert "This run cannot continue" in pasted(visitor("editor", "en"), ARRAY, run=done.id).shown


# ── who may ───────────────────────────────────────────────────────────────────────────────────────


def test_a_viewer_is_offered_no_load_and_may_not(newsroom: Newsroom, visitor: Visitor) -> None:
    viewer = visitor("viewer")
    for path in ("/news", "/news/runs", "/news/tickers", "/news/queue"):
        assert LOAD not in viewer.get(path).links
    assert viewer.get(LOAD).status == 403
    viewer.get("/account")
    assert viewer.send(LOAD, text=ARRAY, source="desk").status == 403
    assert newsroom.runs == []


def test_an_editor_of_the_news_alone_may(newsroom: Newsroom, visitor: Visitor) -> None:
    reporter = visitor("reporter")
    assert LOAD in reporter.get("/news").links
    assert pasted(reporter, ARRAY).status == 303


def test_a_form_of_another_site_is_refused(newsroom: Newsroom, visitor: Visitor) -> None:
    editor = visitor("editor")
    answer = editor.client.post(LOAD, data={"csrf": "made up", "text": ARRAY, "source": "desk"})
    assert answer.status_code == 403
    assert newsroom.runs == []


@clause("X3-04")
def test_keys_lead_to_their_articles(newsroom: Newsroom, visitor: Visitor) -> None:
    """Both marks, `id#` and `h#`, are written in an address as %23."""
    plain = {"title": "Without a number", "url": "https://news.example/story"}
    editor = visitor("editor")
    pasted(editor, json.dumps([link(1), plain]))
    page = editor.follow()
    for url in (link(1)["url"], plain["url"]):
        assert article_path(pk_of(url)) in page.links
        assert editor.get(article_path(pk_of(url))).status == 200


# ── in the background, and without writing ────────────────────────────────────────────────────────


def long_list(count: int = 4000) -> str:
    """A list that is too long to wait for."""
    return "\n".join(json.dumps(each | {"title": "A headline of some length " * 4}) for each in links(count))


def test_a_long_list_is_answered_at_once_and_its_page_follows_the_load(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    """A load of 120,000 lines ran for minutes inside of its request, with counts at 0."""
    editor = visitor("editor", "en")
    answer = dropped(editor, "long.jsonl", long_list())
    [run] = newsroom.runs
    assert (answer.status, answer.location) == (303, run_path(run.id))
    assert (run.run_state, run.inserted) == ("waiting", 0)
    page = editor.follow()
    assert "Waiting for its turn" in page.shown
    assert f"/news/runs/{run.id}/stop" in page.text
    assert page.faults == page.doubled_ids == []

    news = News(newsroom.shell.database, newsroom.clock, publish=newsroom.shell.topics.publish)
    looks: list[str] = []

    class Looking(threading.Event):
        def is_set(self) -> bool:
            newsroom.shell.topics.flush()
            looks.append(editor.get(run_path(run.id)).shown)
            return len(looks) >= 4

    assert news.background.load_next(Looking()) is not None
    assert "1,500" in looks[3]
    assert "lines a minute" in looks[3]
    assert "about" in looks[3].split("Left")[1][:40]
    # The server has ended; the next one goes on, and nothing is sent again.
    assert "Waiting for its turn" in editor.get(run_path(run.id)).shown
    news.background.load_next(threading.Event())
    assert [(each.run_state, each.inserted) for each in newsroom.runs] == [("finished", 4000)]


def test_a_load_in_the_background_is_stopped_and_resumed_by_its_page(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    editor = visitor("editor", "en")
    dropped(editor, "long.jsonl", long_list())
    [run] = newsroom.runs
    editor.follow()
    editor.send(f"{run_path(run.id)}/stop")
    newsroom.news.background.load_next(threading.Event())
    page = editor.get(run_path(run.id))
    assert "no need to upload it again" in page.shown
    assert editor.send(f"{run_path(run.id)}/resume").location == run_path(run.id)
    newsroom.news.background.load_next(threading.Event())
    assert [(each.run_state, each.inserted) for each in newsroom.runs] == [("finished", 4000)]
    editor.get(LOAD)
    assert editor.send(f"{run_path(run.id)}/resume").status == 409


@pytest.mark.parametrize(("language", "words"), [("ko", "추가될 링크"), ("en", "Would be new")])
def test_a_dry_run_says_what_would_become_of_each_line_and_writes_nothing(
    newsroom: Newsroom, visitor: Visitor, language: str, words: str
) -> None:
    newsroom.load([link(1)])
    newsroom.occupy(2)
    before = newsroom.shell.database.backend.call("Scan", {"TableName": "news_items"})["Items"]
    lines = [link(1), link(2), link(3), link(3), {"title": " ", "url": "https://a.example"}]
    page = pasted(visitor("editor", language), json.dumps(lines), check="1")
    assert page.status == 200
    figures_shown = page.text.split(words)[1].split("</ul>")[0]
    assert re.findall(r'"num">(\d)', figures_shown) == ["1", "1", "1", "1", "1"]
    assert ("title이 비었거나" if language == "ko" else "The title is empty") in page.shown
    assert link(1)["url"] in page.text  # What was pasted stays, to be loaded.
    assert len(newsroom.runs) == 1
    assert newsroom.shell.database.backend.call("Scan", {"TableName": "news_items"})["Items"] == before


def test_an_empty_title_is_an_invalid_line(newsroom: Newsroom, visitor: Visitor) -> None:
    """The page says that a title is required, and one of nothing was stored."""
    pasted(visitor("editor"), json.dumps([{"title": "", "url": "https://a.example/1"}, link(1)]))
    assert [(run.inserted, run.invalid) for run in newsroom.runs] == [(1, 1)]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp949"])
def test_a_spreadsheet_of_a_korean_desk_is_read(newsroom: Newsroom, visitor: Visitor, encoding: str) -> None:
    text = "Title; URL ;Tickers\r\n반도체, 다시 오르다;https://a.example/1;005930.KS\r\n"
    dropped(visitor("editor"), "목록.csv", text.encode(encoding))
    assert [(run.inserted, run.invalid) for run in newsroom.runs] == [(1, 0)]
    found = newsroom.news.reading.get(pk_of("https://a.example/1"))
    assert (found.title, found.tickers) == ("반도체, 다시 오르다", ["005930.KS"])


def test_columns_that_are_others_are_named(visitor: Visitor) -> None:
    page = dropped(visitor("editor", "en"), "a.csv", "Headline,Link\nA,https://a.example\n")
    assert "Its first line names: headline, link." in page.shown
