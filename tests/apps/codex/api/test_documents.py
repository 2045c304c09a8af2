"""Users, categories, banners and the company through the API: as the document writes them, and never over another's."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.apps.codex.design import Credentials, User
from hansang.apps.platform.accounts import accounts_of
from hansang.errors import ApplicationOnly
from hansang.parts.history import Actor
from hansang.surfaces.shell import Shell
from tests.apps.codex.site import NOON, post
from tests.clauses import clause
from tests.storing import examples
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SetClock

PATH = "/api/codex"
NAMES = {"User": "users", "Category": "categories", "Banner": "banners"}
EXAMPLES = examples("codex")


def example(name: str) -> dict[str, Any]:
    """An item of the document without its key, which the pipeline makes."""
    return {attribute: value for attribute, value in EXAMPLES[name].items() if attribute not in ("PK", "SK")}


@clause("4-12", "4-13", "4-14", "4-16", "X4-14")
@pytest.mark.parametrize("name", NAMES)
def test_an_example_of_the_document_is_stored_and_read_with_its_own_names(owner: Caller, name: str) -> None:
    given = example(name) | {"id": "x1"}
    made = owner.post(f"{PATH}/{NAMES[name]}", given)
    assert (made.status_code, made.headers["Location"]) == (201, f"{PATH}/{NAMES[name]}/x1")
    read = owner.get(made.headers["Location"])
    assert (read.json(), read.headers["ETag"]) == (made.json(), made.headers["ETag"])
    assert {each: read.json()[each] for each in given if each != "UpdatedAt"} == {
        each: value for each, value in given.items() if each != "UpdatedAt"
    }
    assert read.json()["UpdatedAt"] == "2096-10-02T07:06:40Z"
    assert (
        owner.get(made.headers["Location"], headers={"If-None-Match": read.headers["ETag"]}).status_code
        == 304
    )


@clause("4-12")
def test_id_and_times_are_made_where_they_are_not_given(writer: Caller) -> None:
    made = writer.post(f"{PATH}/categories", {"title": "공지", "desc": ""}).json()
    assert made["id"].startswith("c0")
    assert len(made["id"]) == 27
    assert (made["CreatedAt"], made["UpdatedAt"]) == ("2096-10-02T07:06:40Z", "2096-10-02T07:06:40Z")


@clause("X4-15")
@pytest.mark.parametrize("at", ["2025-11-14T03:00:00.123Z", "2025-11-14T12:00:00+09:00", "2025-11-14"])
def test_a_time_of_another_form_is_refused_and_not_cut(writer: Caller, at: str) -> None:
    answer = writer.post(f"{PATH}/categories", {"title": "공지", "desc": "", "CreatedAt": at})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "CreatedAt")


@clause("4-12")
def test_a_change_renews_its_time_and_keeps_the_first_one(writer: Caller, clock: SetClock) -> None:
    made = writer.post(f"{PATH}/categories", {"id": "c9", "title": "공지", "desc": ""})
    clock.advance(60)
    tag = {"If-Match": made.headers["ETag"]}
    saved = writer.put(f"{PATH}/categories/c9", made.json() | {"title": "알림"}, headers=tag)
    assert (saved.json()["title"], saved.json()["CreatedAt"]) == ("알림", made.json()["CreatedAt"])
    assert saved.json()["UpdatedAt"] == "2096-10-02T07:07:40Z"
    tag = {"If-Match": saved.headers["ETag"]}
    moved = writer.put(
        f"{PATH}/categories/c9", made.json() | {"CreatedAt": "2025-01-01T00:00:00Z"}, headers=tag
    )
    assert (moved.status_code, moved.json()["errors"][0]["path"]) == (422, "CreatedAt")
    other = writer.put(f"{PATH}/categories/c9", made.json() | {"id": "c8"}, headers=tag)
    assert (other.status_code, other.json()["errors"][0]["path"]) == (422, "id")


@clause("X4-34")
def test_who_comes_second_within_one_second_is_told_both_versions(writer: Caller) -> None:
    first = writer.post(f"{PATH}/banners", example("Banner") | {"id": "b1"})
    tag, given = {"If-Match": first.headers["ETag"]}, first.json()
    winner = writer.put(f"{PATH}/banners/b1", given | {"title": "먼저"}, headers=tag)
    late = writer.put(f"{PATH}/banners/b1", given | {"title": "나중"}, headers=tag)
    assert (winner.status_code, late.status_code) == (200, 409)
    told = late.json()
    assert (told["stored"], told["sent"]["title"]) == (winner.json(), "나중")
    assert f'"{told["storedTag"]}"' == winner.headers["ETag"]
    assert writer.put(f"{PATH}/banners/b1", given).status_code == 428
    again = writer.put(f"{PATH}/banners/b1", told["sent"], headers={"If-Match": f'"{told["storedTag"]}"'})
    assert (again.status_code, again.json()["title"]) == (200, "나중")


@clause("X4-25")
def test_how_a_user_signs_in_is_in_no_answer(shell: Shell, owner: Caller, writer: Caller) -> None:
    shell.database.put(Credentials(user_id="u001", password_hash="scrypt$secret"))
    paths = ("/users", "/users/u001", "/types/User", "/types", "/entities/Credentials?user_id=u001")
    answers = [owner.get(f"{PATH}{path}").text for path in paths]
    assert not [each for each in answers if "scrypt" in each or "passwordHash" in each]
    assert writer.post(f"{PATH}/users", example("User") | {"id": "u2"}).status_code == 403


@clause("4-17", "X4-34")
def test_the_company_is_stored_over_what_was_read_alone(writer: Caller, reader: Caller) -> None:
    read = reader.get(f"{PATH}/corp-info")
    assert (read.json()["id"], read.json()["corpNum"]) == ("corp-info", "123-45-67890")
    changed = read.json() | {"email": "new@family.com"}
    assert writer.put(f"{PATH}/corp-info", changed).status_code == 409
    tag = {"If-Match": read.headers["ETag"]}
    assert writer.put(f"{PATH}/corp-info", changed, headers=tag).json()["email"] == "new@family.com"
    assert writer.put(f"{PATH}/corp-info", changed, headers=tag).status_code == 409


@clause("X4-21")
def test_a_category_with_posts_is_deleted_only_when_it_is_said_where_they_go(
    shell: Shell, writer: Caller
) -> None:
    shell.database.batch_write([post(1), post(2)])
    tag = {"If-Match": writer.get(f"{PATH}/categories/c001").headers["ETag"]}
    kept = writer.delete(f"{PATH}/categories/c001", headers=tag)
    assert (kept.status_code, "move_to" in kept.json()["detail"]) == (409, True)
    assert writer.delete(f"{PATH}/categories/c001?move_to=c009", headers=tag).status_code == 422
    assert writer.delete(f"{PATH}/categories/c001?move_to=c002", headers=tag).status_code == 204
    moved = writer.get(f"{PATH}/categories/c002/posts").json()["items"]
    assert [(each["id"], each["CreatedAt"]) for each in moved] == [
        ("p002", "2025-11-14T03:02:00Z"),
        ("p001", "2025-11-14T03:01:00Z"),
    ]
    assert writer.get(f"{PATH}/categories/c001").status_code == 404
    tag = {"If-Match": writer.get(f"{PATH}/categories/c002").headers["ETag"]}
    assert writer.delete(f"{PATH}/categories/c002?cascade=true", headers=tag).status_code == 204
    assert len(writer.get(f"{PATH}/posts?state=trashed").json()["items"]) == 2


@clause("4-39", "X4-37")
def test_the_types_are_listed_and_each_is_asked_for_by_its_name(owner: Caller, reader: Caller) -> None:
    types = {each["type"]: each for each in reader.get(f"{PATH}/types").json()["items"]}
    assert list(types) == ["User", "Category", "Post", "Banner", "CorpInfo", "ContactInquiry"]
    assert types["Post"]["references"] == {"categoryId": "Category", "authorId": "User"}
    assert types["Post"]["key"] == "CATEGORY#{category_id} / POST#{id}"
    for name in types:
        items = owner.get(f"{PATH}/types/{name}").json()["items"]
        assert {each["Type"] for each in items} <= {name}
    assert reader.get(f"{PATH}/types/ContactInquiry").status_code == 403
    assert reader.get(f"{PATH}/types/Order").status_code == 404


def test_a_request_under_a_key_is_done_once(writer: Caller) -> None:
    key = {"Idempotency-Key": "one"}
    first, again = (
        writer.post(f"{PATH}/categories", {"title": "t", "desc": ""}, headers=key) for _ in range(2)
    )
    assert (first.json(), again.headers["Idempotency-Replayed"]) == (again.json(), "true")


@clause("X4-42")
def test_only_administrators_write_users_and_not_another_role_than_the_accounts(
    shell: Shell, owner: Caller, writer: Caller
) -> None:
    accounts_of(shell.identity).people.create("haneul", "하늘", {"codex": "editor"})
    user = {"id": "haneul", "displayName": "하늘", "role": "admin"}
    refused = owner.post("/api/codex/users", user)
    assert (refused.status_code, "account with the same name" in refused.text) == (422, True)
    made = owner.post("/api/codex/users", user | {"role": "editor"})
    assert made.status_code == 201
    tag = {"If-Match": made.headers["etag"]}
    assert owner.put("/api/codex/users/haneul", user, headers=tag).status_code == 422
    assert writer.put("/api/codex/users/haneul", user, headers=tag).status_code == 403
    with pytest.raises(ApplicationOnly):
        shell.editing.replace(
            User(id="haneul", display_name="하늘", role="admin", created_at=NOON, updated_at=NOON),
            made.headers["etag"].strip('"'),
            Actor("person", "writer", "Writer"),
        )
