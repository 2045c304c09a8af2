"""The history over HTTP: who sees what, and undoing."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from hansang.apps.codex.design import Credentials
from hansang.parts.history import Actor, key_of
from hansang.surfaces.shell import Shell
from tests.spoiling import spoil
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With
from tests.surfaces.shells import SetClock

CHANGES = "/api/platform/changes"
PATH = "/api/codex/entities/Category"
CATEGORY = {
    "id": "c001",
    "title": "공지",
    "desc": "",
    "created_at": "2026-11-01T09:00:00Z",
    "updated_at": "2026-11-01T09:00:00Z",
}


@pytest.fixture
def edited(owner: Caller, clock: SetClock) -> list[str]:
    """The ids of the changes that created a category and then gave it another title."""
    made = owner.post(PATH, CATEGORY)
    clock.advance(1)
    replaced = owner.put(
        made.headers["location"], CATEGORY | {"title": "소식"}, headers={"If-Match": made.headers["etag"]}
    )
    clock.advance(1)
    return [made.headers["x-change-id"], replaced.headers["x-change-id"]]


def listed(caller: Caller, **asked: Any) -> list[str]:
    return [each["id"] for each in caller.get(CHANGES, params=asked).json()["items"]]


def test_the_newest_change_comes_first(owner: Caller, edited: list[str]) -> None:
    assert listed(owner) == listed(owner, area="codex") == edited[::-1]
    assert listed(owner, area="news") == []


def test_changes_come_page_by_page(owner: Caller, edited: list[str]) -> None:
    first = owner.get(CHANGES, params={"limit": 1}).json()
    assert [each["id"] for each in first["items"]] == edited[1:]
    assert listed(owner, limit=1, cursor=first["cursor"]) == edited[:1]


@pytest.mark.usefixtures("edited")
def test_whoever_may_read_one_area_sees_that_one(with_scopes: With) -> None:
    editor = with_scopes("codex:read")
    assert len(listed(editor, area="codex")) == 2
    assert editor.get(CHANGES).status_code == 403
    assert editor.get(CHANGES, params={"area": "platform"}).status_code == 403


def test_a_change_of_an_area_that_one_may_not_read_is_not_there(with_scopes: With, edited: list[str]) -> None:
    assert with_scopes("news:admin").get(f"{CHANGES}/{edited[0]}").status_code == 404


def test_an_area_that_is_not_there_is_refused(owner: Caller) -> None:
    assert owner.get(CHANGES, params={"area": "nowhere"}).status_code == 422


def test_one_change_shows_both_sides(owner: Caller, edited: list[str]) -> None:
    told = owner.get(f"{CHANGES}/{edited[1]}").json()
    assert (told["before"]["title"], told["after"]["title"]) == ({"S": "공지"}, {"S": "소식"})


def test_undoing_puts_the_item_back(owner: Caller, edited: list[str]) -> None:
    undone = owner.post(f"{CHANGES}/{edited[1]}/undo")
    assert (undone.status_code, undone.json()["undoes"]) == (201, edited[1])
    assert owner.get(PATH, params={"id": "c001"}).json()["title"] == "공지"
    assert owner.get(f"{CHANGES}/{edited[1]}").json()["undone_by"] == undone.json()["id"]


def test_what_was_changed_again_is_not_undone(owner: Caller, edited: list[str]) -> None:
    answer = owner.post(f"{CHANGES}/{edited[0]}/undo")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert owner.get(PATH, params={"id": "c001"}).json()["title"] == "소식"


def test_undoing_twice_under_one_key_undoes_once(owner: Caller, edited: list[str]) -> None:
    again = {"Idempotency-Key": "undo"}
    answers = [owner.post(f"{CHANGES}/{edited[1]}/undo", headers=again) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["idempotency-replayed"] == "true"


def test_undoing_takes_the_right_to_write(with_scopes: With, edited: list[str]) -> None:
    path = f"{CHANGES}/{edited[1]}/undo"
    assert with_scopes("codex:read").post(path).status_code == 403
    assert with_scopes("codex:write").post(path).status_code == 201


@pytest.mark.parametrize("unknown", ["nothing", "zz", "ffffffffffffffffffffffff", "%F0%9F%92%A9"])
def test_a_change_that_is_not_there_is_not_found(owner: Caller, unknown: str) -> None:
    assert owner.get(f"{CHANGES}/{unknown}").status_code == 404
    assert owner.post(f"{CHANGES}/{unknown}/undo").status_code == 404


def test_files_have_every_change_with_both_sides(owner: Caller, edited: list[str]) -> None:
    lines = owner.get(CHANGES, params={"format": "jsonl"}).text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == edited[::-1]
    table = owner.get(CHANGES, params={"format": "csv"}).content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert json.loads(rows[0]["after"])["title"] == {"S": "소식"}


def test_guarded_items_are_shown_to_administrators_alone(shell: Shell, with_scopes: With) -> None:
    hidden = Credentials(user_id="u1", password_hash="very secret")
    change = shell.editing.create(hidden, Actor("server", "test", "a test")).change
    assert change is not None
    path = f"{CHANGES}/{change.id}"
    assert with_scopes("codex:write").get(path).json()["after"] is None
    assert with_scopes("codex:admin").get(path).json()["after"] == {
        "PK": {"S": "USER#u1"},
        "SK": {"S": "AUTH"},
    }
    assert "very secret" not in with_scopes("codex:read").get(f"{CHANGES}?area=codex&format=csv").text


def test_undoing_what_is_guarded_takes_the_right_to_administer(shell: Shell, with_scopes: With) -> None:
    hidden = Credentials(user_id="u1", password_hash="very secret")
    change = shell.editing.create(hidden, Actor("server", "test", "a test")).change
    assert change is not None
    path = f"{CHANGES}/{change.id}/undo"
    refused = with_scopes("codex:write").post(path)
    assert (refused.status_code, refused.json()["detail"]) == (403, "This takes the scope codex:admin.")
    assert with_scopes("codex:admin").post(path).status_code == 201


@pytest.mark.parametrize("asked", [{}, {"area": "codex"}])
def test_a_change_that_cannot_be_read_is_named_beside_the_others(
    owner: Caller, shell: Shell, asked: dict[str, str]
) -> None:
    actor = Actor("person", "minjun", "강민준")
    bad, good = (shell.history.record(actor, "codex", "Page", name, "create") for name in ("bad", "good"))
    spoil(shell.database, key_of(bad.id), verb=None)
    page = owner.get(CHANGES, params=asked).json()
    assert [each["id"] for each in page["items"]] == [good.id]
    assert [(each["kind"], each["address"]) for each in page["unreadable"]] == [("Change", None)]
    lines = owner.get(CHANGES, params={**asked, "format": "jsonl"}).text.splitlines()
    assert sum("unreadable" in line for line in lines) == 1
    assert len(lines) == 2
