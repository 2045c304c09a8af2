"""Keys for programs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from hansang.apps.platform.api_keys import ApiKey, ApiKeyKey, ApiKeys
from hansang.design import Database, Unreadable
from hansang.errors import InvalidInput, NotFound, UnexpectedItem, WireError
from hansang.parts.timestamps import to_datetime
from tests.parts.conftest import SetClock
from tests.spoiling import spoil


@pytest.fixture
def keys(database: Database, clock: SetClock) -> ApiKeys:
    return ApiKeys(database, clock)


@pytest.fixture
def made(keys: ApiKeys) -> tuple[ApiKey, str]:
    return keys.create("loader", ["news:write"], "seoyeon")


def test_a_key_opens_what_it_was_made_for(keys: ApiKeys, made: tuple[ApiKey, str]) -> None:
    key, text = made
    assert keys.get(key.id) == key
    found = keys.find(text)
    assert found is not None
    assert (found.id, found.label, found.created_by) == (key.id, "loader", "seoyeon")
    assert found.scopes == {"news:write"}


def test_the_text_of_a_key_names_it_and_is_kept_nowhere(keys: ApiKeys, made: tuple[ApiKey, str]) -> None:
    key, text = made
    mark, id_, secret = text.split("_", 2)
    assert (mark, id_, len(secret)) == ("hsk", key.id, 43)
    assert secret not in keys.get(key.id).model_dump_json()
    assert key.digest not in repr(key)


def test_a_forged_key_opens_nothing(keys: ApiKeys, made: tuple[ApiKey, str]) -> None:
    key, text = made
    _, other = keys.create("other", ["*:admin"], "seoyeon")
    swapped = f"hsk_{key.id}_{other.split('_', 2)[2]}"
    last = "A" if text[-1] != "A" else "B"
    forged = ["", "hsk", text[:-1], text[:-1] + last, text + "x", text.upper(), swapped, f"{text}\n"]
    forged += [f"hsk_{'0' * 12}_{text.split('_', 2)[2]}", "\ud800", "hsk_a#b_c"]
    assert [keys.find(each) for each in forged] == [None] * len(forged)


def test_a_revoked_key_opens_nothing_and_is_still_listed(
    keys: ApiKeys, made: tuple[ApiKey, str], clock: SetClock
) -> None:
    key, text = made
    revoked = keys.revoke(key.id)
    assert revoked.revoked_at is not None
    assert keys.find(text) is None
    clock.advance(60)
    assert keys.revoke(key.id).revoked_at == revoked.revoked_at
    assert [each.id for each in keys.each()] == [key.id]


def test_a_key_that_is_not_there_cannot_be_revoked(keys: ApiKeys) -> None:
    for id_ in ("gone", "", "a#b"):
        with pytest.raises(NotFound, match=r"Key .* not found"):
            keys.revoke(id_)


def test_an_expired_key_opens_nothing(keys: ApiKeys, clock: SetClock) -> None:
    end = to_datetime(clock.now) + timedelta(days=90)
    key, text = keys.create("loader", ["news:write"], "seoyeon", end)
    clock.advance(90 * 86_400 - 1)
    assert keys.find(text) is not None
    clock.advance(2)
    assert keys.find(text) is None
    assert not key.is_valid(to_datetime(clock.now))


def test_a_key_cannot_begin_expired(keys: ApiKeys, clock: SetClock) -> None:
    with pytest.raises(InvalidInput, match="a time in the future"):
        keys.create("loader", ["news:write"], "seoyeon", to_datetime(clock.now))
    with pytest.raises(InvalidInput, match="no time zone"):
        keys.create("loader", ["news:write"], "seoyeon", to_datetime(clock.now + 99).replace(tzinfo=None))


@pytest.mark.parametrize(
    ("label", "scopes"), [("", ["news:read"]), ("x" * 81, ["news:read"]), ("a", []), ("a", ["news"])]
)
def test_a_key_without_label_or_scopes_is_refused(keys: ApiKeys, label: str, scopes: list[str]) -> None:
    with pytest.raises(InvalidInput):
        keys.create(label, scopes, "seoyeon")
    assert list(keys.each()) == []


def test_keys_come_in_pages(keys: ApiKeys) -> None:
    made = {keys.create(f"key {number}", ["news:read"], "seoyeon")[0].id for number in range(5)}
    first = keys.page(3)
    second = keys.page(3, first.cursor)
    assert (len(first), len(second), second.cursor) == (3, 2, None)
    assert {each.id for each in (*first, *second)} == made


def test_the_last_use_is_noted_once_a_minute(
    keys: ApiKeys, made: tuple[ApiKey, str], clock: SetClock
) -> None:
    key, text = made
    assert keys.get(key.id).last_used_at is None
    keys.find(text)
    first = keys.get(key.id).last_used_at
    clock.advance(59)
    keys.find(text)
    assert keys.get(key.id).last_used_at == first
    clock.advance(2)
    keys.find(text)
    assert keys.get(key.id).last_used_at == to_datetime(int(clock.now))


def test_finding_costs_one_read(keys: ApiKeys, made: tuple[ApiKey, str], database: Database) -> None:
    keys.find(made[1])
    with database.meter() as cost:
        keys.find(made[1])
    assert (cost.requests, list(cost.patterns), cost.write) == (1, ["ApiKey.get"], 0)


class WritesFail:
    """The backend of a database that takes no writes for now."""

    def __init__(self, database: Database) -> None:
        self._backend = database.backend

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem":
            raise WireError("ProvisionedThroughputExceededException", "Too fast.")
        return self._backend.call(operation, request)


def test_a_use_that_cannot_be_noted_is_no_failure(
    made: tuple[ApiKey, str], database: Database, clock: SetClock
) -> None:
    found = ApiKeys(Database(WritesFail(database)), clock).find(made[1])
    assert found is not None
    assert database.get(ApiKeyKey(id=found.id)).last_used_at is None


def test_a_use_does_not_bring_back_a_key_that_is_revoked_meanwhile(
    made: tuple[ApiKey, str], keys: ApiKeys, database: Database, clock: SetClock
) -> None:
    key, text = made
    keys.find(text)
    keys.revoke(key.id)
    clock.advance(120)
    keys.find(text)
    assert database.get(ApiKeyKey(id=key.id)).revoked_at is not None


def test_a_key_that_cannot_be_read_hides_no_other(keys: ApiKeys, database: Database) -> None:
    (bad, _), (good, _) = (keys.create(label, {"news:read"}, "a test") for label in ("bad", "good"))
    spoil(database, ApiKeyKey(id=bad.id), label=None)
    told: list[Unreadable] = []
    assert [each.id for each in keys.each(unreadable=told.append)] == [good.id]
    assert told == keys.page().unreadable
    with pytest.raises(UnexpectedItem):
        list(keys.each())
