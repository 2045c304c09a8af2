"""Writes by hand that would make data wrong: refused everywhere, with the way out named, and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from typer.testing import CliRunner

from hansang.apps.assets.design import Savings, Totals
from hansang.apps.catalog import APPLICATIONS
from hansang.apps.codex.design import Category, Post, PostLocator, User
from hansang.apps.leaderboards.design import WeeklyBest
from hansang.apps.news.application import APPLICATION as NEWS
from hansang.apps.news.design import NewsDay, NewsItem, NewsItems
from hansang.apps.news.service import News
from hansang.apps.platform.accounts import accounts_of
from hansang.backends.embedded import Embedded
from hansang.design import Database, Entity
from hansang.design.requests import shape_of
from hansang.errors import ApplicationOnly, HansangError
from hansang.parts.history import Actor
from hansang.surfaces.addresses import address
from hansang.surfaces.api.app import create_api
from hansang.surfaces.cli.main import app
from hansang.surfaces.server.workers import Worker
from hansang.surfaces.shell import Shell
from hansang.wiring import product
from tests.apps.news.lists import link
from tests.surfaces.api.callers import Caller
from tests.surfaces.console.browsers import Browser
from tests.surfaces.console.conftest import ROLES
from tests.surfaces.shells import PASSWORD, SetClock, new_key, opened

AT = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
MONTH = "2026.11"
STAMPS: dict[str, Any] = {"created_at": AT, "updated_at": AT}
ACTOR = Actor("person", "editor", "Editor")
NOTHING: dict[str, Any] = dict.fromkeys(
    ("total_income", "total_expense", "total_savings", "total_investment", "total_short_savings"), 0
)
LINK = "https://finance.yahoo.com/news/tomorrow.html"


@dataclass(frozen=True)
class Forgery:
    """A write by hand, and words of the refusal that say what to do instead."""

    application: str
    entity: Any
    way_out: str

    @property
    def kind(self) -> str:
        return type(self.entity).__name__


FORGERIES = {
    "a link in the write-once list": Forgery(
        "news", NewsItem.uploaded(AT, url=LINK, title="Forged", tickers=["NVDA"]), "hansang news load"
    ),
    "a savings entry that leaves the totals wrong": Forgery(
        "assets",
        Savings(year_month=MONTH, account_name="비상금", account_type="적금", amount=700_000, **STAMPS),
        "hansang assets set",
    ),
    "totals that no entries add up to": Forgery(
        "assets",
        Totals(year_month="2026.12", net_asset=5, **NOTHING, **STAMPS),
        "hansang assets rebuild",
    ),
    "a post without a locator": Forgery(
        "codex",
        Post(category_id="c2", id="p1", author_id="u1", title="Twice", contents="…", **STAMPS),
        "/api/codex/posts",
    ),
    "a score of a thousand million": Forgery(
        "leaderboards",
        WeeklyBest(id=1, start=date(2026, 11, 13), end=date(2026, 11, 19), name="홍길동", top_score=10**9),
        "hansang leaderboards submit",
    ),
}


def day_of(day: date) -> NewsDay:
    return NewsDay(day=day)


def held() -> list[Entity]:
    """What is there before: totals of a month without savings, a post with its author and two categories."""
    return [
        Totals(year_month=MONTH, net_asset=0, **NOTHING, **STAMPS),
        User(id="u1", display_name="가", role="admin", **STAMPS),
        Category(id="c1", title="공지", desc="…", **STAMPS),
        Category(id="c2", title="소식", desc="…", **STAMPS),
        Post(category_id="c1", id="p1", author_id="u1", title="Once", contents="…", **STAMPS),
        PostLocator(post_id="p1", category_id="c1"),
    ]


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    with opened(SetClock()) as found:
        for entity in held():
            found.database.put(entity)
        for name, roles in ROLES.items():
            accounts_of(found.identity).people.create(name, name.capitalize(), roles, PASSWORD)
        News(found.database, found.clock).loader.load([link(1)])
        yield found


@pytest.fixture(scope="module")
def editor(shell: Shell) -> Caller:
    """A program with the rights of an editor."""
    return Caller(create_api(shell), new_key(shell, "*:write"))


@pytest.fixture(scope="module")
def browser(shell: Shell) -> Iterator[Browser]:
    """A browser in which an editor has signed in."""
    with product(shell, Worker(1, "tests")) as found:
        yield Browser(found, "en").sign_in("editor")


@pytest.fixture(params=list(FORGERIES.values()), ids=list(FORGERIES))
def forgery(request: pytest.FixtureRequest) -> Forgery:
    found: Forgery = request.param
    return found


def test_the_api_refuses_it(shell: Shell, editor: Caller, forgery: Forgery) -> None:
    path = f"/api/{forgery.application}/entities/{forgery.kind}"
    answer = editor.post(path, json.loads(forgery.entity.model_dump_json()))
    assert answer.status_code in (403, 422), answer.text
    assert forgery.way_out in answer.json()["detail"]
    assert shell.database.find(forgery.entity) is None


def test_the_form_of_the_console_refuses_it(shell: Shell, browser: Browser, forgery: Forgery) -> None:
    shape = shape_of(forgery.entity)
    path = f"/data/{forgery.application}/tables/{shape.table.name}/new/{forgery.kind}"
    page = browser.get(path)
    if shell.application(forgery.application).write_rule(type(forgery.entity)).creates:
        texts = {f"value-{name}": _text(getattr(forgery.entity, name)) for name in shape.slots}
        page = browser.send(path, **texts)
    assert page.status in (403, 422)
    assert forgery.way_out in page.shown
    assert shell.database.find(forgery.entity) is None


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return "" if value is None else str(value)


def test_raw_items_are_refused_too(shell: Shell, forgery: Forgery) -> None:
    """The one way of editing by hand, which every surface goes through."""
    shape = shape_of(forgery.entity)
    with pytest.raises(HansangError, match=forgery.way_out):
        shell.editing.create_item(
            shape.table, shape.encode(forgery.entity), Actor("person", "editor", "Editor")
        )


# ── what the news application wrote ───────────────────────────────────────────────────────────────


def test_a_run_is_not_deleted_by_hand(shell: Shell, editor: Caller, browser: Browser) -> None:
    assert isinstance(shell.clock, SetClock)
    shell.clock.advance(60)  # A second has one run.
    entity = News(shell.database, shell.clock).loader.load([link(2)])
    shape = shape_of(entity)
    key = {
        name: value
        for name, value in json.loads(entity.model_dump_json()).items()
        if name in _key_fields(shape)
    }
    path = f"/api/news/entities/Run?{urlencode(key)}"
    tag = editor.get(path).headers["etag"]
    answer = editor.delete(path, headers={"If-Match": tag})
    assert (answer.status_code, answer.json()["code"]) == (403, "application-only")
    item = shape.encode(entity)
    at = urlencode(address(shape.table, item))
    page = browser.get(f"/data/news/tables/{shape.table.name}/item?{at}")
    assert not [each for each in page.actions if "/delete" in each]
    refused = browser.send(
        f"/data/news/tables/{shape.table.name}/delete?{at}", etag=shell.editing.etag(entity)
    )
    assert (refused.status, "hansang news load" in refused.shown) == (403, True)
    assert shell.database.find(entity) is not None


def _key_fields(shape: Any) -> set[str]:
    return {*shape.pk.fields, *(shape.sk.fields if shape.sk else ())}


def test_every_kind_of_the_news_is_written_by_the_news_alone() -> None:
    for kind in NEWS.entities.values():
        with pytest.raises(ApplicationOnly, match=r"hansang news|page of articles"):
            NEWS.write_rule(kind).expect_new(kind)


def test_the_command_that_repairs_changes_nothing_that_is_right(tmp_path: Path) -> None:
    path = tmp_path / "news.db"
    with Embedded.open(path) as backend:
        database = Database(backend)
        database.create_tables(*NEWS.tables)
        News(database, SetClock()).loader.load([link(1)])
        [item] = database.call("Scan", {"TableName": NewsItems.name}, "test")["Items"]
    done = CliRunner().invoke(
        app,
        [
            *("tables", "repair", "news", "--data", str(path), "--table", NewsItems.name),
            *("--key", json.dumps({"pk": item["pk"]}), "--set", 'title={"S": "Forged"}', "--yes"),
        ],
    )
    assert isinstance(done.exception, ApplicationOnly)
    with Embedded.open(path) as backend:
        assert Database(backend).call("Scan", {"TableName": NewsItems.name}, "test")["Items"] == [item]


def test_a_right_write_by_hand_goes_through(editor: Caller) -> None:
    category = Category(id="c3", title="새 분류", desc="", **STAMPS)
    made = editor.post("/api/codex/entities/Category", json.loads(category.model_dump_json()))
    assert made.status_code == 201
    again = editor.delete("/api/codex/entities/Category?id=c1", headers={"If-Match": "*"})
    assert "Delete or move them first" in again.json()["detail"]


def test_every_application_is_looked_at() -> None:
    """An application whose data can be made wrong by hand says who writes it, or checks what is written."""
    assert {each.name for each in APPLICATIONS if each.writes or each.checks} >= {
        each.application for each in FORGERIES.values()
    }


# ── what cannot be read ───────────────────────────────────────────────────────────────────────────


def broken(shell: Shell, titled: Post | Category) -> tuple[dict[str, Any], dict[str, Any], str]:
    """An item that cannot be read, with its key and its tag."""
    shape = shape_of(titled)
    bad = {**shape.encode(titled), "title": {"N": "1"}}
    shell.database.call("PutItem", {"TableName": shell.database.name(shape.table), "Item": bad}, "test")
    key = shape.key(titled.__dict__)
    found = shell.editing.find_item(shape.table, key)
    assert found is not None
    return bad, key, found[1]


def test_a_repair_follows_the_checks(shell: Shell) -> None:
    post = Post(category_id="c2", id="p7", author_id="nobody", title="x", contents="…", **STAMPS)
    bad, key, tag = broken(shell, post)
    table = shape_of(post).table
    mended = {**bad, "title": {"S": "x"}}
    with pytest.raises(HansangError, match="nobody"):
        shell.editing.repair_item(table, key, mended, tag, ACTOR)
    shell.editing.repair_item(table, key, {**mended, "authorId": {"S": "u1"}}, tag, ACTOR)
    assert shell.database.get(post).author_id == "u1"


def test_a_broken_item_can_be_deleted(shell: Shell) -> None:
    category = Category(id="c8", title="x", desc="", **STAMPS)
    _, key, tag = broken(shell, category)
    shell.editing.delete_item(shape_of(category).table, key, tag, ACTOR)
    assert shell.editing.find_item(shape_of(category).table, key) is None


def test_a_broken_entry_of_the_ledger_is_repaired_where_it_is(shell: Shell) -> None:
    entry = Savings(year_month="2026.10", account_name="적금1", account_type="적금", amount=0, **STAMPS)
    shape = shape_of(entry)
    bad = {**shape.encode(entry), "amount": {"S": "많이"}}
    shell.database.call("PutItem", {"TableName": shell.database.name(shape.table), "Item": bad}, "test")
    key = shape.key(entry.__dict__)
    found = shell.editing.find_item(shape.table, key)
    assert found is not None
    with pytest.raises(ApplicationOnly, match="hansang assets set"):
        shell.editing.delete_item(shape.table, key, found[1], ACTOR)
    shell.editing.repair_item(shape.table, key, {**bad, "amount": {"N": "7"}}, found[1], ACTOR)
    assert shell.database.get(entry).amount == 7


def test_a_repair_makes_no_article_of_a_run(shell: Shell) -> None:
    assert isinstance(shell.clock, SetClock)
    shell.clock.advance(60)
    run = News(shell.database, shell.clock).loader.load([link(3)])
    shape = shape_of(run)
    item = shape.encode(run)
    bad = {**item, "total": {"S": "many"}}
    shell.database.call("PutItem", {"TableName": shell.database.name(shape.table), "Item": bad}, "test")
    key = shape.key(run.__dict__)
    found = shell.editing.find_item(shape.table, key)
    assert found is not None
    day = shape_of(day_of(run.uploaded_at.date()))
    other = day.encode(day_of(run.uploaded_at.date()))
    with pytest.raises(ApplicationOnly):
        shell.editing.repair_item(shape.table, key, other, found[1], ACTOR)
    shell.editing.repair_item(shape.table, key, item, found[1], ACTOR)
    assert shell.database.get(run).total == run.total
