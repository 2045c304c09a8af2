"""Items that their entities cannot read, on the pages: named in lists, shown as they are, and repaired."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest

from hansang.apps.codex.design import Category, CategoryKey, Credentials, FMWebApp
from hansang.apps.leaderboards.design import UsersLeaderboard, WeeklyBest
from hansang.apps.news.design import NewsItem, NewsItems, NewsKey
from hansang.design.shape import Item
from hansang.surfaces.shell import Shell
from tests.spoiling import put_item, spoil
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor

MOMENT = datetime(2026, 11, 1, 9, tzinfo=UTC)
LATEST = "/data/codex/patterns/Category.latest"
TABLE = "/data/codex/tables/FMWebAppTable"
AT = urlencode({"pk": "CATEGORY#c1", "sk": "METADATA"})
ITEM, REPAIR = f"{TABLE}/item?{AT}", f"{TABLE}/repair?{AT}"


def category(number: int) -> Category:
    return Category(id=f"c{number}", title=f"제목 {number}", desc="", created_at=MOMENT, updated_at=MOMENT)


@pytest.fixture
def broken(shell: Shell) -> Item:
    """An item with a moment that has milliseconds, beside one that is right."""
    for number in (1, 2):
        shell.database.put(category(number))
    return spoil(shell.database, CategoryKey(id="c1"), CreatedAt={"S": "2026-01-01T00:00:00.123Z"})


def written(page: Page, **changed: Any) -> dict[str, str]:
    """What the form of a page would send, with some attributes changed."""
    [etag] = [own["value"] for own in page.all("input", name="etag")]
    item = json.loads(
        page.text.partition("<textarea")[2]
        .partition(">")[2]
        .partition("</textarea>")[0]
        .replace("&#34;", '"')
    )
    return {"etag": etag or "", "item": json.dumps({**item, **changed})}


def sent(browser: Browser, path: str, **changed: Any) -> Page:
    return browser.send(path, **written(browser.get(path), **changed))


# ── lists ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", ["엔티티에 맞지 않는 아이템이 있습니다 (1개)", "속성 CreatedAt의 값을 읽을 수 없습니다"]),
        ("en", ["One item cannot be read", "The attribute CreatedAt cannot be read"]),
    ],
)
def test_a_pattern_shows_the_rest_and_names_the_bad_item(
    visitor: Visitor, language: str, said: list[str]
) -> None:
    page = visitor("viewer", language).get(LATEST)
    assert "제목 2" in page.shown
    assert "제목 1" not in page.shown
    assert ITEM in page.links
    assert [each.rpartition("=")[2] for each in page.links if "format=" in each] == ["jsonl"]
    assert [text for text in said if text not in page.shown] == []
    assert (page.faults, page.doubled_ids) == ([], [])


def test_many_bad_items_are_counted_and_not_all_listed(visitor: Visitor, shell: Shell) -> None:
    for number in range(15):
        shell.database.put(category(number))
        spoil(shell.database, CategoryKey(id=f"c{number}"), title=None)
    page = visitor("viewer").get(LATEST)
    assert "(15개)" in page.shown
    assert "5개 더 있습니다" in page.shown
    assert "결과가 없습니다" not in page.shown


# ── one item ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("broken")
def test_the_page_of_a_bad_item_says_why_and_leads_to_its_repair(visitor: Visitor) -> None:
    page = visitor("editor").get(ITEM)
    assert "2026-01-31T09:00:00Z처럼 입력하십시오" in page.shown
    assert REPAIR in page.links
    assert REPAIR not in visitor("viewer").get(ITEM).links
    assert visitor("viewer").get(REPAIR).status == 403


def test_an_editor_repairs_a_value_and_can_undo_it(visitor: Visitor, shell: Shell, broken: Item) -> None:
    editor = visitor("editor")
    answer = sent(editor, REPAIR, CreatedAt={"S": "2026-01-01T00:00:00Z"})
    assert (answer.status, answer.location) == (303, ITEM)
    assert "복구했습니다" in editor.follow().shown
    assert shell.database.get(CategoryKey(id="c1")).created_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert "엔티티에 맞지 않는" not in editor.get(LATEST).shown
    [change] = shell.history.page("codex")
    assert (change.before, change.actor.name) == (broken, "editor")
    editor.get(f"/changes/{change.id}")
    editor.send(f"/changes/{change.id}/undo")
    assert shell.database.find_item(FMWebApp, broken_key(broken)) == broken


def broken_key(item: Item) -> Item:
    return {name: item[name] for name in FMWebApp.key_attributes()}


def test_an_item_that_the_application_alone_writes_is_not_moved(visitor: Visitor, shell: Shell) -> None:
    week = {"S": "2014-05-09,2014-05-15"}
    item = {"Id": {"N": "100"}, "Week": week, "Name": {"S": "John"}, "TopScore": {"N": "1500"}}
    put_item(shell.database, UsersLeaderboard, item)
    path = f"/data/leaderboards/tables/UsersLeaderboard/repair?{urlencode({'pk': '100', 'sk': week['S']})}"
    editor = visitor("editor")
    assert "{start}, {end}" in editor.get(path).shown
    answer = sent(editor, path, Week={"S": "2014-05-09, 2014-05-15"})
    assert answer.status == 403
    assert "hansang leaderboards submit" in answer.shown
    assert len(shell.database.page(WeeklyBest.recent(100)).unreadable) == 1


def test_an_item_without_its_type_is_given_one(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(category(1))
    spoil(shell.database, CategoryKey(id="c1"), Type=None)
    editor = visitor("editor")
    page = editor.get(ITEM)
    assert "설계에 없는 아이템입니다" in page.shown
    assert "값은 Category여야 합니다" in page.shown
    assert sent(editor, REPAIR, Type={"S": "Category"}).status == 303
    assert shell.database.get(CategoryKey(id="c1")) == category(1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{", "JSON이 아닙니다"),
        ("[]", "아이템은"),
        ('{"PK": {"S": "CATEGORY#c1"}}', "키인 SK가 없습니다"),
        ('{"PK": {"S": "CATEGORY#c1"}, "SK": "METADATA"}', "속성 SK의 값에 타입이 없습니다"),
    ],
)
def test_what_cannot_be_stored_is_said_and_stays_in_the_form(
    visitor: Visitor, shell: Shell, broken: Item, given: str, said: str
) -> None:
    editor = visitor("editor")
    fields = written(editor.get(REPAIR)) | {"item": given}
    answer = editor.send(REPAIR, **fields)
    assert (answer.status, said in answer.shown, given in answer.shown) == (422, True, True)
    assert shell.database.find_item(FMWebApp, broken_key(broken)) == broken


def test_a_value_that_is_still_wrong_is_said(visitor: Visitor, shell: Shell, broken: Item) -> None:
    answer = sent(visitor("editor"), REPAIR, CreatedAt={"S": "yesterday"})
    assert (answer.status, 'CreatedAt의 값을 읽을 수 없습니다: {"S": "yesterday"}' in answer.shown) == (
        422,
        True,
    )
    assert shell.database.find_item(FMWebApp, broken_key(broken)) == broken


def test_a_key_that_is_taken_is_said(visitor: Visitor, shell: Shell, broken: Item) -> None:
    answer = sent(
        visitor("editor"),
        REPAIR,
        PK={"S": "CATEGORY#c2"},
        id={"S": "c2"},
        CreatedAt={"S": "2026-01-01T00:00:00Z"},
    )
    assert (answer.status, "같은 키의 아이템이 이미 있습니다" in answer.shown) == (409, True)
    assert shell.database.find_item(FMWebApp, broken_key(broken)) == broken


@pytest.mark.usefixtures("broken")
def test_an_item_that_changed_meanwhile_is_shown_as_it_is_now(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor")
    fields = written(editor.get(REPAIR), CreatedAt={"S": "2026-01-01T00:00:00Z"})
    spoil(shell.database, CategoryKey(id="c1"), title={"S": "다른 제목"})
    late = editor.send(REPAIR, **fields)
    assert (late.status, "다른 제목" in late.shown) == (409, True)
    [etag] = [own["value"] for own in late.all("input", name="etag")]
    assert editor.send(REPAIR, **(fields | {"etag": etag or ""})).status == 303
    assert shell.database.get(CategoryKey(id="c1")).title == "제목 1"


def test_an_item_that_can_be_read_is_not_repaired(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(category(1))
    editor = visitor("editor")
    assert editor.get(REPAIR).location == ITEM
    editor.get(ITEM)
    shape: Any = Category.__shape__
    item = json.dumps(shape.encode(category(1)) | {"title": {"S": "다른 제목"}})
    assert editor.send(REPAIR, etag=shell.editing.etag(category(1)), item=item).status == 403
    assert shell.database.get(CategoryKey(id="c1")) == category(1)


def test_what_is_kept_for_ever_is_repaired_too(visitor: Visitor, shell: Shell) -> None:
    kept = NewsItem.uploaded(MOMENT, url="https://example.com/1", title="제목", tickers=["NVDA"])
    shell.database.put(kept)
    spoil(shell.database, NewsKey(pk=kept.pk), title=None)
    editor, at = visitor("editor"), urlencode({"pk": kept.pk})
    page = editor.get(f"/data/news/tables/{NewsItems.name}/item?{at}")
    assert f"/data/news/tables/{NewsItems.name}/repair?{at}" in page.links
    assert f"/data/news/tables/{NewsItems.name}/delete?{at}" not in page.actions
    assert sent(editor, f"/data/news/tables/{NewsItems.name}/repair?{at}", title={"S": "제목"}).status == 303
    assert shell.database.get(NewsKey(pk=kept.pk)) == kept


def test_a_secret_is_neither_shown_nor_repaired_here(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(Credentials(user_id="u1", password_hash="hash"))
    put_item(
        shell.database,
        FMWebApp,
        {"PK": {"S": "USER#u1"}, "SK": {"S": "AUTH"}, "passwordHash": {"N": "77"}},
    )
    at = urlencode({"pk": "USER#u1", "sk": "AUTH"})
    owner = visitor("owner")
    assert "77" not in owner.get(f"{TABLE}/item?{at}").shown
    assert owner.get(f"{TABLE}/repair?{at}").status == 403
    assert visitor("editor").get(f"{TABLE}/item?{at}").status == 403


def test_a_guarded_key_is_guarded_whatever_its_item_says(visitor: Visitor, shell: Shell) -> None:
    item = {"PK": {"S": "USER#u1"}, "SK": {"S": "AUTH"}, "Type": {"S": "Nobody"}, "passwordHash": {"S": "x"}}
    put_item(shell.database, FMWebApp, item)
    at = urlencode({"pk": "USER#u1", "sk": "AUTH"})
    assert visitor("editor").get(f"{TABLE}/item?{at}").status == 403
    assert visitor("owner").get(f"{TABLE}/item?{at}").status == 200


@pytest.mark.usefixtures("broken")
def test_a_repair_makes_nothing_that_keeps_a_secret(visitor: Visitor, shell: Shell) -> None:
    key = {"PK": {"S": "USER#u9"}, "SK": {"S": "AUTH"}}
    for name in ("editor", "owner"):
        browser = visitor(name)
        fields = written(browser.get(REPAIR))
        item = json.dumps({**key, "passwordHash": {"S": "mine"}})
        assert browser.send(REPAIR, **(fields | {"item": item})).status == 403
    assert shell.database.find_item(FMWebApp, key) is None
