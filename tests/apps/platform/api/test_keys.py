"""Keys over HTTP: told once, never more than their maker has."""

from __future__ import annotations

from base64 import b64decode

import pytest
from fastapi import FastAPI

from hansang.apps.platform.accounts import accounts_of
from hansang.parts.platform import Platform
from hansang.surfaces.shell import Shell
from tests.parts.faults import LosingAll
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With
from tests.surfaces.shells import SetClock

KEYS = "/api/platform/keys"
DRAFT = {"label": "nightly export", "scopes": ["news:read"]}


def test_the_text_of_a_key_is_told_once_and_works(owner: Caller, api: FastAPI) -> None:
    made = owner.post(KEYS, DRAFT)
    assert made.status_code == 201
    text = made.json()["text"]
    assert Caller(api, text).get("/api/news").status_code == 200
    assert text.split("_", 2)[2] not in owner.get(KEYS).text


def test_under_an_idempotency_key_there_is_one_key_and_its_text_is_kept_nowhere(
    owner: Caller, shell: Shell
) -> None:
    again = {"Idempotency-Key": "one key"}
    first, second = (owner.post(KEYS, DRAFT, headers=again).json() for _ in range(2))
    assert second == first | {"text": None}
    assert [each.label for each in accounts_of(shell.identity).keys.each()].count("nightly export") == 1
    secret = first["text"].split("_", 2)[2]
    kept = shell.database.call("Scan", {"TableName": Platform.name}, "test")
    assert first["id"] in str(kept)
    assert secret not in str(kept)
    bodies = [b64decode(each["body"]["B"]) for each in kept["Items"] if "body" in each]
    assert bodies
    assert not any(secret.encode() in each for each in bodies)


def test_a_key_cannot_do_what_its_maker_cannot(with_scopes: With) -> None:
    administrator = with_scopes("platform:admin", "news:read")
    assert administrator.post(KEYS, DRAFT).status_code == 201
    for scope in ("news:write", "*:read", "codex:read"):
        refused = administrator.post(KEYS, DRAFT | {"scopes": [scope]})
        assert (refused.status_code, refused.json()["code"]) == (403, "not-allowed")


def test_a_scope_that_is_not_there_is_refused_with_those_that_are(owner: Caller) -> None:
    answer = owner.post(KEYS, DRAFT | {"scopes": ["new:read"]})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "scopes")
    assert "news:read" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"scopes": []}, "scopes"),
        ({"label": ""}, "label"),
        ({"expires_at": "2000-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2100-01-01T00:00:00"}, "expires_at"),
        ({"rate": 0}, "rate"),
        ({"rate": 60_000}, "rate"),
    ],
)
def test_a_wrong_field_is_named(owner: Caller, wrong: dict[str, object], path: str) -> None:
    answer = owner.post(KEYS, DRAFT | wrong)
    assert answer.status_code == 422
    assert [each["path"] for each in answer.json()["errors"]] == [path]


def test_a_key_ends_when_it_was_told_to(owner: Caller, api: FastAPI, clock: SetClock) -> None:
    made = owner.post(KEYS, DRAFT | {"expires_at": "2096-10-02T08:00:00Z"}).json()
    caller = Caller(api, made["text"])
    assert caller.get("/api/news").status_code == 200
    clock.advance(3600)
    assert caller.get("/api/news").status_code == 401


def test_a_key_makes_none_that_outlasts_it(owner: Caller, api: FastAPI) -> None:
    soon, later = "2097-01-01T00:00:00Z", "2098-01-01T00:00:00Z"
    scopes = ["platform:admin", "news:read"]
    text = owner.post(KEYS, DRAFT | {"scopes": scopes, "expires_at": soon}).json()["text"]
    maker = Caller(api, text)
    for wrong in (None, later):
        refused = maker.post(KEYS, DRAFT | {"expires_at": wrong})
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "expires_at")
    assert maker.post(KEYS, DRAFT | {"expires_at": soon}).status_code == 201


def test_a_revoked_key_is_listed_as_such(owner: Caller, shell: Shell) -> None:
    made = owner.post(KEYS, DRAFT).json()
    path = f"{KEYS}/{made['id']}/revoke"
    first, again = owner.post(path), owner.post(path)
    assert first.json()["revoked_at"] == again.json()["revoked_at"] is not None
    made, revoked = sorted(shell.history.page("platform"), key=lambda each: each.verb)
    assert (made.verb, made.before, revoked.verb) == ("create", None, "revoke")
    assert (revoked.before or {})["revoked_at"] == {"NULL": True}
    assert (revoked.after or {})["revoked_at"] == {"S": first.json()["revoked_at"]}


def test_a_key_that_is_not_there_is_not_found(owner: Caller) -> None:
    assert owner.post(f"{KEYS}/000000000000/revoke").status_code == 404


def test_who_has_less_cannot_revoke_a_greater_key(with_scopes: With, owner: Caller) -> None:
    made = owner.post(KEYS, DRAFT | {"scopes": ["*:admin"]}).json()
    assert with_scopes("platform:admin").post(f"{KEYS}/{made['id']}/revoke").status_code == 403


def test_a_key_whose_answers_were_all_lost_is_told_once_it_is_known_to_be_made(
    owner: Caller, shell: Shell, api: FastAPI
) -> None:
    plain = shell.database.backend
    shell.database._runner.backend = LosingAll(plain, "TransactWriteItems")
    made = owner.post(KEYS, DRAFT, headers={"Idempotency-Key": "one key"})
    shell.database._runner.backend = plain
    assert made.status_code == 201
    assert Caller(api, made.json()["text"]).get("/api/news").status_code == 200
    again = owner.post(KEYS, DRAFT, headers={"Idempotency-Key": "one key"})
    assert again.json() == made.json() | {"text": None}
