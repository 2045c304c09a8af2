"""Inquiries through the API: everyone may send one, administrators alone read them."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.apps.codex.design import ContactInquiry
from hansang.surfaces.shell import Shell
from tests.apps.codex.site import inquiry
from tests.clauses import clause
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SetClock

PATH = "/api/codex/inquiries"
SENT: dict[str, Any] = {
    "name": "홍길동",
    "email": "user@example.com",
    "subject": "협업 문의",
    "message": "협업 관련해서 문의드립니다.",
    "consent": True,
}


@clause("4-18", "X4-29")
def test_a_visitor_sends_an_inquiry_and_is_told_its_number_alone(nobody: Caller, owner: Caller) -> None:
    sent = nobody.post(PATH, SENT)
    assert (sent.status_code, set(sent.json())) == (201, {"id", "received_at"})
    kept = owner.get(f"{PATH}/{sent.json()['id']}").json()
    assert [kept[each] for each in ("name", "status", "notifiedEmail")] == ["홍길동", "new", None]
    assert kept["consentedAt"] == "2096-10-02T07:06:40Z"
    assert kept["expiresAt"] == 4_000_000_000 + 1095 * 86_400
    assert [each["status"] for each in kept["history"]] == ["new"]


@clause("X4-29")
def test_reading_them_is_the_administrators(nobody: Caller, writer: Caller, owner: Caller) -> None:
    path = f"{PATH}/{nobody.post(PATH, SENT).json()['id']}"
    assert [nobody.get(each).status_code for each in (PATH, path)] == [401, 401]
    assert [writer.get(each).status_code for each in (PATH, path)] == [403, 403]
    assert len(owner.get(PATH).json()["items"]) == 1
    assert "홍길동" in owner.get(f"{PATH}?format=csv").text


@clause("X4-29")
@pytest.mark.parametrize(
    "wrong",
    [
        {"consent": False},
        {"consent": None},
        {"email": "nobody"},
        {"message": "가" * 5_001},
        {"subject": ""},
        {"status": "done"},
    ],
)
def test_without_consent_or_too_long_it_is_refused(nobody: Caller, wrong: dict[str, Any]) -> None:
    assert nobody.post(PATH, SENT | wrong).status_code == 422


@clause("X4-29")
def test_what_a_program_fills_in_is_answered_alike_and_not_kept(
    shell: Shell, nobody: Caller, owner: Caller
) -> None:
    trapped = nobody.post(PATH, SENT | {"website": "https://spam.example"})
    assert (trapped.status_code, set(trapped.json())) == (201, {"id", "received_at"})
    assert shell.database.all(ContactInquiry.latest()) == []


@clause("X4-29")
def test_one_address_sends_a_few_a_minute(nobody: Caller, clock: SetClock) -> None:
    assert [nobody.post(PATH, SENT).status_code for _ in range(6)] == [201] * 5 + [429]
    clock.advance(60)
    assert nobody.post(PATH, SENT).status_code == 201


@clause("X4-27")
def test_the_status_goes_its_way_and_every_step_is_kept(shell: Shell, owner: Caller) -> None:
    shell.database.put(inquiry().model_copy(update={"status": "spam"}))
    path = f"{PATH}/inq001"

    def put(**changed: Any) -> Any:
        read = owner.get(path)
        return owner.put(path, read.json() | changed, headers={"If-Match": read.headers["ETag"]})

    assert put(status="done").status_code == 403
    assert put(status="new").json()["status"] == "new"
    done = put(status="in_progress", assigneeId="u001", memo="전화함").json()
    assert (done["assigneeId"], done["memo"]) == ("u001", "전화함")
    assert [each["status"] for each in done["history"]] == ["new", "in_progress"]
    assert put(assigneeId="u009").status_code == 422


@clause("4-19", "X4-29")
def test_neither_the_words_of_a_visitor_nor_the_address_told_are_changed(shell: Shell, owner: Caller) -> None:
    shell.database.put(inquiry())
    read = owner.get(f"{PATH}/inq001")
    tag = {"If-Match": read.headers["ETag"]}
    words = owner.put(f"{PATH}/inq001", read.json() | {"message": "다른 말"}, headers=tag)
    assert (words.status_code, words.json()["errors"][0]["path"]) == (422, "message")
    told = owner.put(f"{PATH}/inq001", read.json() | {"notifiedEmail": "x@example.com"}, headers=tag)
    assert told.json()["notifiedEmail"] == "contact@family.com"
