"""Secrets and personal data over HTTP: left out for whoever does not see them, in every form of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.apps.codex.design import ContactInquiry
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With

PATH = "/api/codex/entities/ContactInquiry"
PERSONAL = {
    "name": "Kim Minji",
    "email": "minji@example.com",
    "company": "Acme",
    "title": "Director",
    "subject": "A question",
    "message": "Please call me.",
    "memo": "She called twice.",
}
REST = {
    "id": "q1",
    "referral": "search",
    "status": "new",
    "notified_email": None,
    "notify_error": None,
    "assignee_id": None,
    "consented_at": None,
    "history": None,
    "created_at": "2026-11-01T09:00:00Z",
    "updated_at": "2026-11-01T09:00:00Z",
    "expires_at": None,
}
ANSWERED = [{"at": "2026-11-01T10:00:00Z", "by": "u001", "text": "We call today."}]
WHOLE: dict[str, Any] = {**REST, **PERSONAL, "answers": ANSWERED}
"""All of it, as an owner sees it."""
PLACE = f"{PATH}?id=q1"


@pytest.fixture(autouse=True)
def made(owner: Caller) -> None:
    assert owner.post(PATH, WHOLE).status_code == 201


def test_an_owner_sees_everything_and_an_editor_the_rest(with_scopes: With) -> None:
    assert with_scopes("codex:admin").get(PLACE).json() == WHOLE
    assert with_scopes("codex:write").get(PLACE).json() == REST
    assert with_scopes("*:read").get(PLACE).json() == REST


def test_a_role_elsewhere_does_not_help(with_scopes: With) -> None:
    assert with_scopes("codex:read", "news:admin", "platform:admin").get(PLACE).json() == REST


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_a_list_has_what_the_asker_sees(with_scopes: With, form: str) -> None:
    path = f"/api/codex/patterns/ContactInquiry.latest?format={form}"
    viewer, owner = (with_scopes(f"codex:{action}").get(path).text for action in ("read", "admin"))
    for name, text in PERSONAL.items():
        assert text in owner
        assert text not in viewer
        assert f'"{name}"' not in viewer
    assert "search" in viewer


def test_a_csv_file_has_no_column_for_what_is_hidden(with_scopes: With) -> None:
    path = "/api/codex/patterns/ContactInquiry.latest?format=csv"
    head = with_scopes("codex:read").get(path).text.splitlines()[0].lstrip("\ufeff")
    assert head.split(",") == [*REST]


def test_creating_answers_with_what_the_creator_sees(with_scopes: With) -> None:
    made = with_scopes("codex:write").post(PATH, WHOLE | {"id": "q2"})
    assert (made.status_code, made.json()) == (201, REST | {"id": "q2"})


def test_nobody_replaces_what_they_do_not_see(with_scopes: With, shell: Shell) -> None:
    editor = with_scopes("codex:write")
    tag = editor.get(PLACE).headers["etag"]
    answer = editor.put(PLACE, WHOLE | {"status": "done"}, headers={"If-Match": tag})
    assert (answer.status_code, answer.json()["code"]) == (403, "not-allowed")
    assert "Ask an owner" in answer.json()["detail"]
    found = shell.editing.find(ContactInquiry, {"id": "q1"})
    assert found is not None
    assert found[0].status == "new"


def test_who_does_not_see_all_of_an_item_may_delete_it(with_scopes: With, owner: Caller) -> None:
    editor = with_scopes("codex:write")
    late = editor.delete(PLACE, headers={"If-Match": '"00000000000000000000"'})
    assert late.status_code == 412
    done = editor.delete(PLACE, headers={"If-Match": editor.get(PLACE).headers["etag"]})
    assert done.status_code == 204
    assert owner.post(f"/api/platform/changes/{done.headers['x-change-id']}/undo").status_code == 201
    assert owner.get(PLACE).json() == WHOLE


def test_a_tag_tells_nothing_of_what_is_hidden(with_scopes: With, owner: Caller) -> None:
    viewer = with_scopes("codex:read")
    before = viewer.get(PLACE).headers["etag"]
    seen = owner.get(PLACE).headers["etag"]
    changed = WHOLE | {"email": "other@example.com"}
    assert owner.put(PLACE, changed, headers={"If-Match": seen}).status_code == 200
    assert viewer.get(PLACE).headers["etag"] == before
    assert owner.get(PLACE).headers["etag"] not in (before, seen)


def test_the_history_has_what_the_reader_sees(with_scopes: With, owner: Caller) -> None:
    [change] = owner.get("/api/platform/changes?area=codex").json()["items"]
    path = f"/api/platform/changes/{change['id']}"
    assert owner.get(path).json()["after"]["email"] == {"S": PERSONAL["email"]}
    viewer = with_scopes("codex:read").get(path).json()["after"]
    assert "email" not in viewer
    assert viewer["referral"] == {"S": "search"}


# ── what the documents say ────────────────────────────────────────────────────────────────────────


def schemas(caller: Caller) -> dict[str, Any]:
    found: dict[str, Any] = caller.get("/api/openapi.json").json()["components"]["schemas"]
    return found


def test_the_document_says_what_may_be_absent(owner: Caller) -> None:
    shown, whole = schemas(owner)["ContactInquiryShown"], schemas(owner)["ContactInquiry"]
    assert shown["properties"]["email"]["x-seen-by"] == ["owner"]
    assert "email" in whole["required"]
    assert set(shown["required"]) == set(whole["required"]) - PERSONAL.keys()
    assert "default" not in shown["properties"]["email"]


def test_the_document_has_a_secret_in_bodies_alone(owner: Caller) -> None:
    assert "password_hash" in schemas(owner)["Credentials"]["properties"]
    assert [*schemas(owner)["CredentialsShown"]["properties"]] == ["user_id"]


def test_the_overview_says_who_sees_a_field(owner: Caller) -> None:
    entities = {each["name"]: each["fields"] for each in owner.get("/api/codex").json()["entities"]}
    seen = {(name, field["name"]): field["seen_by"] for name, fields in entities.items() for field in fields}
    assert seen["Credentials", "password_hash"] == []
    assert seen["ContactInquiry", "email"] == ["owner"]
    assert seen["ContactInquiry", "status"] == ["owner", "editor", "viewer"]


def test_a_secret_is_written_and_not_answered(owner: Caller, shell: Shell) -> None:
    path = "/api/codex/entities/Credentials"
    made = owner.post(path, {"user_id": "u1", "password_hash": "$hash"}, headers={"Idempotency-Key": "one"})
    again = owner.post(path, {"user_id": "u1", "password_hash": "$hash"}, headers={"Idempotency-Key": "one"})
    assert (made.status_code, made.json()) == (201, {"user_id": "u1"})
    assert (again.status_code, again.json()) == (201, {"user_id": "u1"})
    read = owner.get(f"{path}?user_id=u1")
    assert read.json() == {"user_id": "u1"}
    changed = {"user_id": "u1", "password_hash": "$other"}
    done = owner.put(f"{path}?user_id=u1", changed, headers={"If-Match": read.headers["etag"]})
    assert (done.status_code, done.json()) == (200, {"user_id": "u1"})


def test_a_cost_does_not_tell_how_long_a_hidden_value_is(with_scopes: With, owner: Caller) -> None:
    path, editor, told = "/api/codex/patterns/ContactInquiry.latest", with_scopes("codex:write"), []
    for message in ("short", "m" * 4_000):
        for number in range(8):
            made = WHOLE | {"id": f"{message[0]}{number}", "message": message}
            assert owner.post(PATH, made).status_code == 201
        told.append([each.get(f"{path}?limit=8").json()["cost"] for each in (editor, owner)])
    (short, _), (long, paid) = told
    assert short == long == {"read_units": short["read_units"], "write_units": 0.0, "is_partial": True}
    assert (paid["is_partial"], paid["read_units"] > long["read_units"]) == (False, True)
