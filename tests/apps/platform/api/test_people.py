"""People over HTTP: nobody gives more than they have, and an owner stays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from hansang.apps.platform.accounts import accounts_of
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With
from tests.surfaces.shells import PASSWORD

PEOPLE = "/api/platform/people"
ROLES = f"{PEOPLE}/seoyeon/roles"
ANY = {"If-Match": "*"}
SEOYEON = {"name": "seoyeon", "shown_name": "윤서연", "roles": {"news": "editor"}, "password": PASSWORD}


def test_someone_new_can_sign_in(owner: Caller, shell: Shell) -> None:
    made = owner.post(PEOPLE, SEOYEON)
    assert (made.status_code, made.headers["location"]) == (201, f"{PEOPLE}/seoyeon")
    assert made.json()["has_password"]
    assert (
        accounts_of(shell.identity).people.check_password("seoyeon", PASSWORD, "here").shown_name == "윤서연"
    )


def test_nothing_about_a_password_is_told(owner: Caller) -> None:
    owner.post(PEOPLE, SEOYEON)
    for path in (PEOPLE, f"{PEOPLE}/seoyeon", "/api/platform/changes?format=jsonl"):
        text = owner.get(path).text
        assert "seoyeon" in text
        assert PASSWORD not in text
        assert "argon2" not in text


def test_a_name_is_taken_once(owner: Caller) -> None:
    owner.post(PEOPLE, SEOYEON)
    assert owner.post(PEOPLE, SEOYEON).json()["code"] == "already-exists"


def test_under_an_idempotency_key_someone_is_created_once(owner: Caller) -> None:
    again = {"Idempotency-Key": "one"}
    answers = [owner.post(PEOPLE, SEOYEON, headers=again) for _ in range(2)]
    assert [each.status_code for each in answers] == [201, 201]


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"name": "ab"}, "name"),
        ({"password": "short"}, "password"),
        ({"roles": {"nowhere": "viewer"}}, "roles"),
        ({"roles": {"news": "king"}}, "roles.news"),
        ({"nickname": "x"}, "nickname"),
    ],
)
def test_a_wrong_field_is_named(owner: Caller, wrong: dict[str, object], path: str) -> None:
    answer = owner.post(PEOPLE, SEOYEON | wrong)
    assert answer.status_code == 422
    assert [each["path"] for each in answer.json()["errors"]] == [path]


def test_people_are_listed_page_by_page(owner: Caller) -> None:
    for name in ("bora", "ara", "chorok"):
        owner.post(PEOPLE, SEOYEON | {"name": name})
    first = owner.get(PEOPLE, params={"limit": 2}).json()
    rest = owner.get(PEOPLE, params={"cursor": first["cursor"]}).json()
    assert [each["name"] for each in first["items"] + rest["items"]] == ["ara", "bora", "chorok"]


def test_roles_are_given_in_place_of_those_before(owner: Caller) -> None:
    owner.post(PEOPLE, SEOYEON)
    seen = owner.get(f"{PEOPLE}/seoyeon").headers["etag"]
    answer = owner.put(ROLES, {"roles": {"codex": "viewer"}}, headers={"If-Match": seen})
    assert answer.json()["roles"] == {"codex": "viewer"}
    assert answer.headers["etag"] == owner.get(f"{PEOPLE}/seoyeon").headers["etag"] != seen


def test_roles_that_were_changed_meanwhile_stay(owner: Caller) -> None:
    seen = {"If-Match": owner.post(PEOPLE, SEOYEON).headers["etag"]}
    assert owner.put(ROLES, {"roles": {"codex": "viewer"}}, headers=seen).status_code == 200
    late = owner.put(ROLES, {"roles": {}}, headers=seen)
    assert (late.status_code, late.json()["code"]) == (412, "changed-meanwhile")
    assert owner.put(ROLES, {"roles": {}}).status_code == 428
    assert owner.get(f"{PEOPLE}/seoyeon").json()["roles"] == {"codex": "viewer"}


def test_of_many_who_have_seen_the_same_one_gives_roles(owner: Caller) -> None:
    seen = {"If-Match": owner.post(PEOPLE, SEOYEON).headers["etag"]}
    with ThreadPoolExecutor(6) as threads:
        sent = [
            threads.submit(owner.put, ROLES, {"roles": {"codex": role}}, headers=seen)
            for role in ("viewer", "editor", "owner") * 2
        ]
    assert sorted(each.result().status_code for each in sent) == [200] + [412] * 5


def test_the_last_owner_stays(owner: Caller) -> None:
    owner.post(PEOPLE, SEOYEON | {"roles": {"*": "owner"}})
    for answer in (
        owner.put(ROLES, {"roles": {"*": "viewer"}}, headers=ANY),
        owner.post(f"{PEOPLE}/seoyeon/disable"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not-allowed")


def test_who_is_disabled_is_out_at_once(owner: Caller, shell: Shell) -> None:
    owner.post(PEOPLE, SEOYEON)
    cookie = accounts_of(shell.identity).sessions.start(
        accounts_of(shell.identity).people.get("seoyeon"), "here", "a test"
    )
    assert owner.post(f"{PEOPLE}/seoyeon/disable").json()["disabled"]
    assert accounts_of(shell.identity).sessions.find(cookie) is None
    assert not owner.post(f"{PEOPLE}/seoyeon/enable").json()["disabled"]


def test_a_link_lets_someone_in_once(owner: Caller, shell: Shell) -> None:
    owner.post(PEOPLE, SEOYEON)
    told = owner.post(f"{PEOPLE}/seoyeon/link")
    assert told.status_code == 201
    url = told.json()["url"]
    assert url.startswith("http://hansang.test/sign-in/link/")
    assert accounts_of(shell.identity).people.redeem(url.rpartition("/")[2]).name == "seoyeon"


def test_a_link_is_told_once_even_when_it_is_asked_for_again(owner: Caller) -> None:
    owner.post(PEOPLE, SEOYEON)
    again = {"Idempotency-Key": "one link"}
    first, second = (owner.post(f"{PEOPLE}/seoyeon/link", headers=again) for _ in range(2))
    assert first.json()["url"]
    assert second.json() == first.json() | {"url": None}
    assert second.headers["idempotency-replayed"] == "true"


def test_who_is_not_there_is_not_found(owner: Caller) -> None:
    assert owner.get(f"{PEOPLE}/nobody").status_code == 404
    assert owner.post(f"{PEOPLE}/nobody/disable").status_code == 404


# ── nobody gives more than they have ──────────────────────────────────────────────────────────────


def test_a_platform_administrator_cannot_make_an_owner(with_scopes: With) -> None:
    administrator = with_scopes("platform:admin")
    answer = administrator.post(PEOPLE, SEOYEON | {"roles": {"*": "owner"}})
    assert (answer.status_code, answer.json()["code"]) == (403, "not-allowed")


def test_nor_take_the_rights_of_one(with_scopes: With, owner: Caller) -> None:
    owner.post(PEOPLE, SEOYEON | {"roles": {"*": "owner"}})
    owner.post(PEOPLE, SEOYEON | {"name": "junho", "roles": {"*": "owner"}})
    administrator = with_scopes("platform:admin")
    for answer in (
        administrator.put(ROLES, {"roles": {}}, headers=ANY),
        administrator.post(f"{PEOPLE}/seoyeon/disable"),
        administrator.post(f"{PEOPLE}/seoyeon/link"),
    ):
        assert answer.status_code == 403


def test_but_may_leave_foreign_roles_as_they_are(with_scopes: With, owner: Caller) -> None:
    owner.post(PEOPLE, SEOYEON)
    administrator = with_scopes("platform:admin")
    roles = {"news": "editor", "platform": "viewer"}
    assert administrator.put(ROLES, {"roles": roles}, headers=ANY).json()["roles"] == roles


def test_every_change_of_a_person_is_kept(owner: Caller, shell: Shell) -> None:
    owner.post(PEOPLE, SEOYEON)
    owner.put(ROLES, {"roles": {"codex": "viewer"}}, headers=ANY)
    verbs = {(each.kind, each.subject, each.verb) for each in shell.history.page("platform")}
    assert verbs == {("Person", "seoyeon", "create"), ("Person", "seoyeon", "roles")}
