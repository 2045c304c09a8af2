"""The audit log over HTTP."""

from __future__ import annotations

import json

import pytest

from hansang.surfaces.api.app import create_api
from hansang.surfaces.http.frame import framed
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SetClock, new_key

AUDIT = "/api/platform/audit"


@pytest.fixture
def admin(shell: Shell) -> Caller:
    return Caller(create_api(shell), new_key(shell, "platform:admin"))


def test_administrators_read_the_log_and_nobody_else(shell: Shell, admin: Caller) -> None:
    shell.audit.note("sign-in", "person:seoyeon", "192.0.2.1", "password", "Firefox", "r1")
    found = admin.get(AUDIT).json()["items"]
    assert [(each["kind"], each["who"]) for each in found if each["kind"] == "sign-in"] == [
        ("sign-in", "person:seoyeon")
    ]
    assert Caller(create_api(shell), new_key(shell, "platform:write")).get(AUDIT).status_code == 403


def test_the_whole_log_is_a_file_of_json_lines(shell: Shell, admin: Caller, clock: SetClock) -> None:
    for number in range(3):
        shell.audit.note("sign-in", f"person:{number}", "192.0.2.1", "link")
        clock.advance(1)
    answer = admin.get(f"{AUDIT}?format=jsonl")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [each["who"] for each in lines if each["kind"] == "sign-in"] == [
        "person:2",
        "person:1",
        "person:0",
    ]


def test_refused_requests_are_counted_by_the_frame(shell: Shell) -> None:
    key = new_key(shell, "news:read")
    with framed(create_api(shell), shell) as app:
        asking = Caller(app, key)
        for _ in range(3):
            assert asking.get(AUDIT).status_code == 403
        assert Caller(app, "hsk_000000000000_" + "x" * 43).get(AUDIT).status_code == 401
        assert Caller(app, None).get(AUDIT).status_code == 401
    shell.audit.flush()
    counted = {each.kind: each.count for each in shell.audit.each() if each.kind.endswith("refused")}
    assert counted == {"request-refused": 3, "key-refused": 1}
