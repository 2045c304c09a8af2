"""Items that cannot be read: to whom they are named, and how."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hansang.apps.codex.design import Category, CategoryKey, Credentials, CredentialsKey, FMWebApp
from hansang.apps.leaderboards.design import UsersLeaderboard, WeeklyBest
from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.person import Person, PersonKey
from hansang.blueprint.explorer.flaws import Flaw
from hansang.design import Unreadable
from hansang.design.shape import Item
from hansang.parts.permissions import Principal
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell
from tests.spoiling import put_item, spoil
from tests.surfaces.shells import clock, shell

__all__ = ["clock", "shell"]

MOMENT = datetime(2026, 11, 1, 9, tzinfo=UTC)
READER = Principal("key", "k1", "a reader", frozenset({"*:read"}))
OWNER = Principal("key", "k2", "an owner", frozenset({"*:admin"}))


def category() -> Category:
    return Category(id="c1", title="소식", desc="", created_at=MOMENT, updated_at=MOMENT)


def test_an_item_is_named_once_with_its_page(shell: Shell) -> None:
    shell.database.create(category())
    spoil(shell.database, CategoryKey(id="c1"), CreatedAt={"S": "2026"})
    bad = shell.database.page(Category.latest()).unreadable
    [named] = Naming(shell, READER).each([*bad, *bad])
    assert (named.kind, named.texts) == ("Category", ["CATEGORY#c1", "METADATA"])
    assert named.path == "/data/codex/tables/FMWebAppTable/item?pk=CATEGORY%23c1&sk=METADATA"
    assert [each.attribute for each in named.flaws] == ["CreatedAt"]


def test_a_key_of_the_wrong_form_is_said_to_be_one(shell: Shell) -> None:
    week = {"S": "2014-05-09,2014-05-15"}
    item = {"Id": {"N": "100"}, "Week": week, "Name": {"S": "John"}, "TopScore": {"N": "1500"}}
    put_item(shell.database, UsersLeaderboard, item)
    [named] = Naming(shell, READER).each(shell.database.page(WeeklyBest.recent(100)).unreadable)
    assert named.flaws == [Flaw("key", "Id / Week", "WeeklyBest", "{id} / {start}, {end}")]


def unreadable(table: Any, kind: Any, item: Item) -> Unreadable:
    return Unreadable(table, kind, {name: item[name] for name in table.key_attributes()}, item, "Broken.")


def test_what_is_guarded_is_named_to_owners_alone_and_without_its_values(shell: Shell) -> None:
    shell.database.create(Credentials(user_id="u1", password_hash="hash"))
    item = spoil(shell.database, CredentialsKey(user_id="u1"), passwordHash={"N": "7"})
    bad = unreadable(FMWebApp, Credentials, item)
    assert Naming(shell, READER).one(bad) is None
    named = Naming(shell, OWNER).one(bad)
    assert named is not None
    assert (named.item, named.reason) == (
        None,
        "The item PK=USER#u1, SK=AUTH cannot be read as a Credentials.",
    )


def test_an_item_of_the_platform_has_no_page(shell: Shell) -> None:
    accounts_of(shell.identity).people.create("minjun", "강민준", {"news": "viewer"})
    spoil(shell.database, PersonKey(name="minjun"), stamp=None)
    [bad] = accounts_of(shell.identity).people.page().unreadable
    named = Naming(shell, OWNER).one(bad)
    assert named is not None
    assert (named.kind, named.item, named.path) == (Person.__name__, None, None)
