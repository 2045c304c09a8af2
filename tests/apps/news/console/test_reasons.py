"""What the application says about lines and pages, in the reader's language."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from hansang.apps.news.console.links import run_path
from hansang.apps.news.pages import read_page
from hansang.apps.news.reasons import Reason
from tests.apps.news.console.newsroom import Newsroom, newsroom
from tests.apps.news.lists import link
from tests.surfaces.console.conftest import Visitor

__all__ = ["newsroom"]

UNFIT: dict[str, Any] = {
    "no object": 5,
    "no url": {"title": "x"},
    "no title": {"url": "https://a.example"},
    "no Unicode": {"title": "\ud800", "url": "https://a.example"},
    "no tickers": link(1) | {"tickers": "NVDA"},
    "numbers as tickers": link(1) | {"tickers": [1]},
    "a long ticker": link(1, "X" * 101),
    "many tickers": link(1, *(f"T{each}" for each in range(501))),
    "too large": link(1, title="가" * 200_000),
}
_HANGUL = re.compile("[가-힣]")


@pytest.mark.parametrize("name", UNFIT)
def test_every_reason_for_a_line_is_said_in_both_languages(
    newsroom: Newsroom, visitor: Visitor, name: str
) -> None:
    run = newsroom.load([UNFIT[name]])
    [part] = newsroom.news.reading.report(run.id)
    [line] = part.lines
    assert line.outcome == "invalid"
    korean = visitor("viewer").get(run_path(run.id))
    assert line.why not in korean.shown
    english = visitor("viewer", "en").get(run_path(run.id))
    reason = _reason(english.text)
    assert reason[0].isupper()
    assert not _HANGUL.search(reason)
    assert _HANGUL.search(_reason(korean.text))


def _reason(text: str) -> str:
    [found] = re.findall(r'<small class="why">(.*?)</small>', text)
    return str(found)


def page_of(count: int, href: str, title: str) -> bytes:
    stories = (f'<li><a href="{href}/{each}"><h3>{title}</h3></a></li>' for each in range(count))
    return f"<!DOCTYPE html><html><ul>{''.join(stories)}</ul></html>".encode()


DRIFTED = {
    "no links": page_of(0, "", ""),
    "few links": page_of(2, "https://a.example", "x"),
    "no whole addresses": page_of(6, "", "x"),
    "no titles": page_of(6, "https://a.example", ""),
}


@pytest.mark.parametrize("name", DRIFTED)
def test_every_alarm_is_said_in_korean(newsroom: Newsroom, visitor: Visitor, name: str) -> None:
    alarms = read_page(DRIFTED[name]).alarms
    assert alarms
    run = newsroom.load([], alarms=alarms)
    shown = visitor("viewer").get(run_path(run.id)).shown
    assert not [each for each in alarms if each.text in shown]


def test_what_comes_from_outside_is_shown_as_it_is(newsroom: Newsroom, visitor: Visitor) -> None:
    run = newsroom.load([], alarms=[Reason("The moon is <full>.")])
    assert "The moon is <full>." in visitor("viewer").get(run_path(run.id)).shown


def test_what_was_stored_before_there_were_codes_is_shown_as_it_is(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    run = newsroom.load([{"title": "x"}], alarms=read_page(DRIFTED["no links"]).alarms)
    [part] = newsroom.news.reading.report(run.id)
    old = part.lines[0].model_copy(update={"code": None, "values": None})
    newsroom.shell.database.put(part.model_copy(update={"lines": [old]}))
    newsroom.shell.database.put(run.model_copy(update={"alarm_codes": None}))
    shown = visitor("viewer").get(run_path(run.id)).shown
    assert old.why in shown
    assert run.alarms[0] in shown


def test_a_line_that_is_no_json_is_said_with_its_place(newsroom: Newsroom, visitor: Visitor) -> None:
    editor = visitor("editor")
    editor.get("/news/load")
    editor.send("/news/load", text=f"{json.dumps(link(1))}\n{{'a': 1}}", source="desk", form="jsonl")
    assert "JSON으로 읽을 수 없습니다(2번째 글자)." in editor.follow().shown
