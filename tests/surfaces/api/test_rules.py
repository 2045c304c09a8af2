"""Keys and sessions: who may use which route. That every route has a rule is in test_every_route.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from fastapi import FastAPI

from hansang.apps.catalog import APPLICATIONS
from hansang.apps.leaderboards.work import Hiding, RefusedPlay, Reward, Suspect
from hansang.apps.platform.accounts import accounts_of
from hansang.design import Entity
from hansang.surfaces.api.routes import ApiRoute, Routes
from hansang.surfaces.api.rules import Allow, rule_of
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With
from tests.surfaces.shells import PASSWORD, SetClock

ME = "/api/platform/me"


def routes(api: FastAPI) -> list[ApiRoute]:
    [found] = [each for each in api.routes if isinstance(each, Routes)]
    return found.routes


PROTOCOLS = {"/api/codex/mcp"}
"""One address for reading and writing, where every tool asks for the scope that it needs."""
STATEMENTS = {f"/api/{each.name}/partiql" for each in APPLICATIONS}
"""What is asked by a body and writes nothing."""


def test_writing_takes_more_than_reading(standing_api: FastAPI) -> None:
    for route in routes(standing_api):
        rule = rule_of(route)
        if route.path in PROTOCOLS | STATEMENTS:
            continue
        if isinstance(rule, Allow) and rule.action is not None and route.methods != {"GET"}:
            assert rule.action in ("write", "admin"), route.path


def test_nobody_gets_in_anywhere_without_a_key(standing_api: FastAPI, nobody: Caller) -> None:
    for route in routes(standing_api):
        if isinstance(rule_of(route), Allow):
            path = route.path.replace("{", "").replace("}", "")
            [method] = route.methods or {"GET"}
            answer = nobody.send(method, path, headers={"Content-Type": "application/json"})
            assert answer.status_code == 401, route.path
            assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_key_without_the_scope_is_told_which_one_it_takes(standing_with: With) -> None:
    answer = standing_with("news:read").get("/api/codex")
    assert answer.status_code == 403
    assert answer.json()["code"] == "missing-scope"
    assert answer.json()["detail"] == "This takes the scope codex:read."


def test_reading_is_not_writing(standing_with: With) -> None:
    reader = standing_with("codex:read")
    assert reader.get("/api/codex").status_code == 200
    assert reader.post("/api/codex/entities/Category", {}).status_code == 403


def test_credentials_take_the_right_to_administer(standing_with: With) -> None:
    path = "/api/codex/entities/Credentials?user_id=u1"
    writer, administrator = standing_with("codex:write"), standing_with("codex:admin")
    for method in ("GET", "POST", "PUT", "DELETE"):
        refused = writer.send(method, path, headers={"Content-Type": "application/json"})
        assert (refused.status_code, refused.json()["code"]) == (403, "missing-scope")
    assert administrator.get(path).status_code == 404


ADMINISTERED = {
    "assets": {"Household"},
    "codex": {
        "Credentials",
        "AgentCall",
        "MigratedTable",
        "MigrationState",
        "MigrationTask",
        "PostDraft",
        "PostRevision",
        "TrashedPost",
    },
    "leaderboards": {
        "BoardPlayer",
        "PlayerNameEntry",
        "Hiding",
        "HeldBest",
        "PlayerErasure",
        "RefusedPlay",
        "Reward",
        "Suspect",
    },
    "rankings": {"HiddenPlayer", "Erasure"},
}
"""What the applications' own routes and pages show to administrators alone."""


def test_what_only_administrators_are_shown_is_nobody_elses_by_the_generic_routes(
    standing_api: FastAPI,
) -> None:
    for application in APPLICATIONS:
        names = {each.__name__ for each in application.guarded}
        assert names == ADMINISTERED.get(application.name, set()), application.name
        paths = [
            f"/api/{application.name}/{way}/{name}" for way in ("entities", "patterns") for name in names
        ]
        for route in routes(standing_api):
            if any(route.path == each or route.path.startswith((f"{each}/", f"{each}.")) for each in paths):
                rule = rule_of(route)
                assert isinstance(rule, Allow), route.path
                assert rule.action == "admin", route.path


def test_entities_in_the_answers_of_administrators_routes_are_guarded(standing_api: FastAPI) -> None:
    guarded = {each for application in APPLICATIONS for each in application.guarded}
    found: set[type[Entity]] = set()
    for route in routes(standing_api):
        rule = rule_of(route)
        if isinstance(rule, Allow) and rule.action == "admin" and route.methods == {"GET"}:
            items = getattr(route.response_model, "model_fields", {}).get("items")
            kinds = get_args(items.annotation) if items is not None else ()
            found |= {each for each in kinds if isinstance(each, type) and issubclass(each, Entity)}
    assert {Hiding, RefusedPlay, Reward, Suspect} <= found <= guarded


def test_nothing_of_a_body_is_read_for_whoever_may_not_send_it(standing_api: FastAPI) -> None:
    asked: list[str] = []

    def body() -> Iterator[bytes]:
        asked.append("for the body")
        yield b"{}"

    answer = Caller(standing_api).send(
        "POST", "/api/codex/entities/Category", content=body(), headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, asked) == (401, [])


def test_a_forged_key_is_told_so(standing_api: FastAPI) -> None:
    answer = Caller(standing_api, "hsk_000000000000_forged").get(ME)
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


def test_a_revoked_key_stops_within_seconds(
    api: FastAPI, shell: Shell, clock: SetClock, owner: Caller
) -> None:
    key, text = accounts_of(shell.identity).keys.create("short-lived", ["*:read"], "a test")
    caller = Caller(api, text)
    assert caller.get(ME).status_code == 200
    accounts_of(shell.identity).keys.revoke(key.id)
    clock.advance(5)
    assert caller.get(ME).status_code == 401
    assert owner.get(ME).status_code == 200


# ── sessions ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def visitor(api: FastAPI, shell: Shell) -> Caller:
    """Someone who has signed in with a browser."""
    person = accounts_of(shell.identity).people.create("seoyeon", "윤서연", {"*": "owner"}, PASSWORD)
    cookie = accounts_of(shell.identity).sessions.start(person, "127.0.0.1", "a test")
    return Caller(api, headers={"Cookie": f"hansang_session={cookie}"})


def test_a_session_may_read(visitor: Caller) -> None:
    told = visitor.get(ME).json()
    assert (told["kind"], told["name"], told["shown"]) == ("person", "seoyeon", "윤서연")
    assert told["csrf"]


def test_a_session_needs_the_csrf_token_to_change_anything(visitor: Caller) -> None:
    refused = visitor.post("/api/platform/keys", {"label": "x", "scopes": ["news:read"]})
    assert refused.status_code == 403
    assert refused.json()["code"] == "missing-csrf"


def test_the_csrf_token_of_another_session_does_not_help(visitor: Caller, shell: Shell) -> None:
    other = accounts_of(shell.identity).sessions.csrf("another cookie")
    refused = visitor.post("/api/platform/keys", {}, headers={"X-CSRF-Token": other})
    assert refused.json()["code"] == "missing-csrf"


def test_a_session_with_its_csrf_token_may_change_things(visitor: Caller) -> None:
    token = visitor.get(ME).json()["csrf"]
    draft = {"label": "from the console", "scopes": ["news:read"]}
    made = visitor.post("/api/platform/keys", draft, headers={"X-CSRF-Token": token})
    assert made.status_code == 201
    assert made.json()["created_by"] == "seoyeon"
