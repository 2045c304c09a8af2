"""PartiQL over HTTP: plans, answers, previews and runs, with the rights and the sight of every other way."""

from __future__ import annotations

from typing import Any

import pytest
from httpx2 import Response

from hansang.apps.codex.design import Category, ContactInquiry, Credentials
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With
from tests.surfaces.console.changed import AT

ASK, RUN = "/api/codex/partiql", "/api/codex/partiql/run"
TABLE = '"FMWebAppTable"'
INQUIRY = ContactInquiry(
    id="q1",
    name="Kim Minji",
    email="minji@example.com",
    company="Acme",
    title="Director",
    referral="search",
    subject="A question",
    message="Please call me.",
    created_at=AT,
    updated_at=AT,
)
CATEGORY = Category(id="c1", title="News", desc="", created_at=AT, updated_at=AT)
KEY = "\"PK\" = 'CONTACT#q1' AND \"SK\" = 'METADATA'"
UPDATE = f'UPDATE {TABLE} SET "title" = ? WHERE "PK" = \'CATEGORY#c1\' AND "SK" = \'METADATA\''


@pytest.fixture(autouse=True)
def stored(shell: Shell) -> None:
    shell.database.batch_write([INQUIRY, CATEGORY])


def ask(caller: Caller, statement: str, *parameters: Any, **more: Any) -> Response:
    return caller.post(ASK, {"statement": statement, "parameters": parameters, **more})


def run(caller: Caller, statement: str, *parameters: Any, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return caller.post(RUN, {"statement": statement, "parameters": parameters}, headers=named)


def test_a_select_is_answered_with_its_plan_and_its_cost(owner: Caller) -> None:
    found = ask(owner, f'SELECT "id", "status" FROM {TABLE} WHERE {KEY}').json()
    assert found["plan"]["operation"] == "GetItem"
    assert found["plan"]["key_condition"] == KEY
    assert found["answer"]["items"] == [{"id": {"S": "q1"}, "status": {"S": "new"}}]
    assert (found["answer"]["read_units"], found["answer"]["is_partial"]) == (0.5, False)
    assert found["preview"] is None


def test_explain_reads_nothing_and_estimates_the_cost(owner: Caller, shell: Shell) -> None:
    shell.database.batch_write(
        INQUIRY.model_copy(update={"id": f"p{number}", "message": "m" * 8_000}) for number in range(20)
    )
    with shell.database.meter() as cost:
        found = ask(owner, f"SELECT * FROM {TABLE} WHERE \"status\" = 'new'", explain=True).json()
    assert (found["answer"], found["preview"]) == (None, None)
    assert found["plan"]["operation"] == "Scan"
    assert found["plan"]["filter"] == "\"status\" = 'new'"
    assert 15 < found["plan"]["estimated_read_units"] < 30
    assert "PartiQL" not in cost.patterns
    one = ask(owner, f"SELECT * FROM {TABLE} WHERE {KEY}", explain=True).json()["plan"]
    assert one["estimated_read_units"] < 2


def test_pages_follow_one_another_by_their_cursor(owner: Caller, shell: Shell) -> None:
    shell.database.batch_write(INQUIRY.model_copy(update={"id": f"p{number:02}"}) for number in range(7))
    statement, seen, cursor = f'SELECT "PK" FROM {TABLE} WHERE begins_with("PK", ?)', list[str](), None
    while True:
        page = ask(owner, statement, {"S": "CONTACT#"}, limit=3, cursor=cursor).json()["answer"]
        assert page["offset"] == len(seen)
        seen += [each["PK"]["S"] for each in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert sorted(seen) == sorted({*seen})
    assert len(seen) == 8
    assert ask(owner, statement, {"S": "CONTACT#"}, cursor="forged").status_code == 400


def test_a_small_page_does_not_pay_for_every_item_by_itself(owner: Caller, shell: Shell) -> None:
    shell.database.batch_write(CATEGORY.model_copy(update={"id": f"p{number}"}) for number in range(300))
    statement = f"SELECT * FROM {TABLE} WHERE \"title\" = 'Other'"
    small, large = (ask(owner, statement, limit=limit).json()["answer"] for limit in (1, 100))
    assert (small["items"], small["cursor"]) == ([], None)
    assert large["read_units"] < small["read_units"] < 2 * large["read_units"]


def test_smaller_pages_than_before_tell_nothing_twice(owner: Caller, shell: Shell) -> None:
    shell.database.batch_write(
        CATEGORY.model_copy(update={"id": f"p{number:02}", "title": "News" if number % 3 else "Other"})
        for number in range(40)
    )
    statement = f'SELECT "PK" FROM {TABLE} WHERE "title" = \'Other\''
    whole = ask(owner, statement, limit=100).json()["answer"]["items"]
    for limit in range(3, 10):
        page = ask(owner, statement, limit=limit).json()["answer"]
        seen = page["items"]
        while page["cursor"] is not None:
            page = ask(owner, statement, limit=2, cursor=page["cursor"]).json()["answer"]
            seen += page["items"]
        assert seen == whole


@pytest.mark.parametrize(
    ("statement", "parameters", "status", "said"),
    [
        ("SELEKT", [], 400, "Expected data manipulation"),
        ('SELECT * FROM "hansang-platform"', [], 404, "codex has no table"),
        (f"SELECT * FROM {TABLE} WHERE a = ?", [], 400, "Number of parameters"),
        (f"SELECT * FROM {TABLE} WHERE a = ?", [{"X": "1"}], 400, ""),
        (f"SELECT * FROM {TABLE} WHERE " + "(" * 3000, [], 400, "nested too deeply"),
        ("x" * 8193, [], 422, "8,192"),
        ("", [], 422, ""),
    ],
)
def test_what_is_no_statement_is_refused_with_the_reason(
    owner: Caller, statement: str, parameters: list[Any], status: int, said: str
) -> None:
    for path in (ASK, RUN):
        answer = owner.post(path, {"statement": statement, "parameters": parameters})
        assert answer.status_code == status, answer.text
        assert said in answer.text.replace("8192", "8,192")


# ── who may, and what is seen ─────────────────────────────────────────────────────────────────────


def test_reading_takes_read_and_writing_takes_write(with_scopes: With, nobody: Caller, shell: Shell) -> None:
    reader, writer, stranger = (with_scopes(each) for each in ("codex:read", "codex:write", "news:admin"))
    select = f"SELECT * FROM {TABLE} WHERE {KEY}"
    assert [ask(each, select).status_code for each in (reader, writer, stranger)] == [200, 200, 403]
    assert ask(nobody, select).status_code == 401
    assert [ask(each, UPDATE, {"S": "x"}).status_code for each in (reader, writer)] == [403, 200]
    refused = run(reader, UPDATE, {"S": "x"}, If_Match="*")
    assert (refused.status_code, refused.json()["code"]) == (403, "missing-scope")
    assert shell.database.get(CATEGORY) == CATEGORY


def test_what_is_hidden_is_neither_answered_nor_asked_nor_told_by_the_cost(
    with_scopes: With, shell: Shell
) -> None:
    editor, owner = with_scopes("codex:write"), with_scopes("codex:admin")
    select = f"SELECT * FROM {TABLE} WHERE {KEY}"
    assert "email" in ask(owner, select).json()["answer"]["items"][0]
    told = []
    for message in ("short", "m" * 30_000):
        shell.database.put(INQUIRY.model_copy(update={"message": message}))
        shown = ask(editor, f'SELECT "email", "message", "id" FROM {TABLE} WHERE {KEY}').json()
        assert shown["answer"]["items"] == [{"id": {"S": "q1"}}]
        changed = ask(editor, f"UPDATE {TABLE} SET \"status\" = 'done' WHERE {KEY}").json()["preview"]
        assert "minji" not in str(changed)
        assert (shown["plan"]["estimated_read_units"], changed["is_partial"]) == (None, True)
        told.append((shown["answer"]["read_units"], changed["write_units"], changed["etag"]))
    assert told[0] == told[1]
    refused = ask(editor, f"SELECT * FROM {TABLE} WHERE \"company\" = 'Acme'")
    assert (refused.status_code, "company" in refused.json()["detail"]) == (403, True)


def test_the_cost_does_not_tell_how_many_hidden_items_lie_between(with_scopes: With, shell: Shell) -> None:
    editor, told = with_scopes("codex:write"), list[list[float]]()
    shell.database.batch_write(CATEGORY.model_copy(update={"id": f"p{number}"}) for number in range(9))
    for count in (0, 40):
        shell.database.batch_write(
            Credentials(user_id=f"u{number}", password_hash="planted") for number in range(count)
        )
        units, cursor = list[float](), None
        while len(units) < 3:
            asked = f"SELECT * FROM {TABLE} WHERE \"title\" = 'News'"
            page = ask(editor, asked, limit=4, cursor=cursor).json()["answer"]
            assert len(page["items"]) in (4, 2)
            units.append(page["read_units"])
            cursor = page["cursor"]
        told.append(units)
    assert told[0] == told[1] == [0.5, 0.5, 0.5]


def test_every_reader_gets_partitions_in_the_order_asked_for(
    owner: Caller, with_scopes: With, shell: Shell
) -> None:
    shell.database.batch_write(CATEGORY.model_copy(update={"id": f"c{number}"}) for number in (2, 3))
    keys = [f"CATEGORY#c{number}" for number in (2, 1, 3)]
    asked = f'SELECT "PK" FROM {TABLE} WHERE "PK" IN [?, ?, ?] ORDER BY "PK" DESC, "SK" ASC'
    for caller in (owner, with_scopes("codex:write")):
        found = ask(caller, asked, *({"S": key} for key in keys)).json()["answer"]["items"]
        assert [each["PK"]["S"] for each in found] == sorted(keys, reverse=True)


def test_a_cost_without_what_an_editor_inserts_unseen_says_so(with_scopes: With) -> None:
    shape: Any = ContactInquiry.__shape__
    item = shape.encode(INQUIRY.model_copy(update={"id": "q2", "message": "m" * 9_000}))
    values = ", ".join(f"'{name}': ?" for name in item)
    insert, told = f"INSERT INTO {TABLE} VALUE {{{values}}}", {}
    for scope in ("codex:write", "codex:admin"):
        preview = ask(with_scopes(scope), insert, *item.values()).json()["preview"]
        told[scope] = preview["is_partial"], preview["write_units"] > 9
    assert told == {"codex:write": (True, False), "codex:admin": (False, True)}


def test_a_kind_for_owners_alone_and_a_secret_are_closed(with_scopes: With, shell: Shell) -> None:
    shell.database.put(Credentials(user_id="u1", password_hash="planted"))
    at = "\"PK\" = 'USER#u1' AND \"SK\" = 'AUTH'"
    editor, owner = with_scopes("codex:write"), with_scopes("codex:admin")
    assert ask(editor, f"SELECT * FROM {TABLE} WHERE {at}").json()["answer"]["items"] == []
    assert ask(editor, f"DELETE FROM {TABLE} WHERE {at}").status_code == 403
    assert "planted" not in ask(owner, f"SELECT * FROM {TABLE} WHERE {at}").text
    preview = ask(owner, f"DELETE FROM {TABLE} WHERE {at}").json()["preview"]
    assert "keeps a secret" in preview["refused"]
    assert run(owner, f"DELETE FROM {TABLE} WHERE {at}", If_Match="*").status_code == 403


# ── writing ───────────────────────────────────────────────────────────────────────────────────────


def test_a_write_is_shown_first_then_run_with_its_tag_and_can_be_undone(owner: Caller, shell: Shell) -> None:
    preview = ask(owner, UPDATE, {"S": "Press"}).json()["preview"]
    assert (preview["before"]["title"], preview["after"]["title"]) == ({"S": "News"}, {"S": "Press"})
    assert preview["write_units"] > 0
    assert shell.database.get(CATEGORY).title == "News"
    assert run(owner, UPDATE, {"S": "Press"}).status_code == 428
    assert run(owner, UPDATE, {"S": "Press"}, If_Match='"other"').status_code == 412
    done = run(owner, UPDATE, {"S": "Press"}, If_Match=f'"{preview["etag"]}"')
    assert (done.status_code, done.json()["after"]["title"]) == (200, {"S": "Press"})
    assert done.json()["write_units"] == preview["write_units"]
    assert shell.database.get(CATEGORY).title == "Press"
    change = done.headers["x-change-id"]
    assert owner.post(f"/api/platform/changes/{change}/undo").status_code == 201
    assert shell.database.get(CATEGORY).title == "News"


def test_inserting_and_deleting(owner: Caller, shell: Shell) -> None:
    shape: Any = Category.__shape__
    made = CATEGORY.model_copy(update={"id": "c2"})
    item = shape.encode(made)
    values = ", ".join(f"'{name}': ?" for name in item)
    insert = f"INSERT INTO {TABLE} VALUE {{{values}}}"
    assert ask(owner, insert, *item.values()).json()["preview"]["before"] is None
    first = run(owner, insert, *item.values(), Idempotency_Key="i1")
    again = run(owner, insert, *item.values(), Idempotency_Key="i1")
    assert (first.status_code, again.headers["idempotency-replayed"]) == (200, "true")
    assert first.json() == again.json()
    taken = run(owner, insert, *item.values())
    assert (taken.status_code, taken.json()["code"]) == (409, "already-exists")
    delete = f"DELETE FROM {TABLE} WHERE \"PK\" = 'CATEGORY#c2' AND \"SK\" = 'METADATA'"
    gone = run(owner, delete, If_Match="*")
    assert (gone.status_code, gone.json()["after"]) == (200, None)
    assert shell.database.find(made) is None
    assert run(owner, delete, If_Match="*").status_code == 404


def test_what_would_do_nothing_says_why(owner: Caller) -> None:
    unmatched = UPDATE + " AND \"desc\" = 'other'"
    assert ask(owner, unmatched, {"S": "x"}).json()["preview"]["nothing"] == "unmatched"
    assert run(owner, unmatched, {"S": "x"}, If_Match="*").status_code == 409
    assert ask(owner, UPDATE, {"S": "News"}).json()["preview"]["nothing"] == "same"
    same = run(owner, UPDATE, {"S": "News"}, If_Match="*")
    assert (same.status_code, "x-change-id" in same.headers) == (200, False)
    refused = run(owner, f"SELECT * FROM {TABLE}")
    assert (refused.status_code, refused.json()["detail"]) == (422, "A SELECT writes nothing. Ask it.")
    in_korean = owner.post(
        ASK, {"statement": UPDATE, "parameters": [{"N": "1"}]}, headers={"Accept-Language": "ko"}
    )
    assert in_korean.json()["preview"]["refused"]
