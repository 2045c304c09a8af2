"""What machines ask to watch the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Event
from typing import Any

import httpx2
import pytest

from hansang.backends.base import Backend
from hansang.design import Database
from hansang.surfaces.http import readiness
from hansang.surfaces.shell import Shell
from tests.surfaces.http.framing import framing
from tests.surfaces.shells import new_key

AFAR = {"x-forwarded-for": "203.0.113.9"}
"""Makes a request of this machine one that somebody else has sent through a proxy."""


@pytest.fixture(autouse=True)
def _curious(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question is looked into, for as long as it takes."""
    monkeypatch.setattr(readiness, "FRESH", 0.0)
    _wait_for(monkeypatch, 60.0)


def test_a_server_that_answers_is_live(client: httpx2.Client) -> None:
    answer = client.get("/health/live")
    assert (answer.status_code, answer.json()) == (200, {"status": "live"})


def test_a_server_with_all_its_tables_is_ready(client: httpx2.Client) -> None:
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()) == (
        200,
        {"status": "ready", "checks": dict.fromkeys(("read", "write", "thread"), "ok")},
    )


@pytest.mark.parametrize("table", ["HansangPlatform", "news_items"])
def test_a_server_without_one_of_its_tables_is_not_ready(
    shell: Shell, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    with framing(shell) as client:
        assert client.get("/health/ready").status_code == 200
        shell.database.backend.call("DeleteTable", {"TableName": table})
        answers = [client.get("/health/ready") for _ in range(3)]
        assert {answer.status_code for answer in answers} == {503}
        assert answers[0].json()["code"] == "not-ready"
        assert table not in answers[0].text
        assert client.get("/health/live").status_code == 200
    told = [each for each in caplog.messages if each.startswith("not ready")]
    assert len(told) == 1
    assert told[0].startswith(f"not ready: read: the table {table}: ResourceNotFoundException")
    assert answers[0].json()["checks"]["read"] == "table-missing"


class Hanging:
    """A backend that does not answer until it is let go."""

    def __init__(self, backend: Backend) -> None:
        self.backend, self.free, self.calls = backend, Event(), 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.calls += 1
        self.free.wait(60)
        return self.backend.call(operation, request)


def test_a_backend_that_hangs_is_waited_for_a_moment_and_asked_once(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    _wait_for(monkeypatch, 2.0)  # In which a thread is free for sure.
    hanging = Hanging(shell.database.backend)
    with framing(replace(shell, database=Database(hanging))) as client:
        checks = client.get("/health/ready").json()["checks"]
        assert checks == {"read": "timeout", "write": "timeout", "thread": "ok"}
        _wait_for(monkeypatch, 0.1)
        assert [client.get("/health/ready").status_code for _ in range(2)] == [503] * 2  # While it hangs.
        assert hanging.calls == 2  # One read, one write.
        hanging.free.set()
        _wait_for(monkeypatch, 60.0)
        assert client.get("/health/ready").status_code == 200


def _wait_for(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(readiness, "PATIENCE", seconds)
    monkeypatch.setattr(readiness, "WRITE_PATIENCE", seconds)


def test_health_is_read_and_nothing_else(client: httpx2.Client) -> None:
    answer = client.post("/health/ready")
    assert (answer.status_code, answer.json()["code"]) == (405, "method-not-allowed")
    assert answer.headers["allow"] == "GET, HEAD"
    assert client.head("/health/live").status_code == 200


def test_metrics_are_open_on_this_machine(client: httpx2.Client) -> None:
    client.get("/large/5")
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert 'hansang_http_requests_total{method="GET",route="/large/{size}",status="200"}' in answer.text


def test_metrics_are_for_others_only_with_the_scope(shell: Shell) -> None:
    with framing(shell) as client:
        unknown = client.get("/metrics", headers=AFAR)
        wrong = {"authorization": f"Bearer {new_key(shell, 'news:admin')}"}
        right = {"authorization": f"Bearer {new_key(shell, 'platform:read')}"}
        assert (unknown.status_code, unknown.headers["www-authenticate"]) == (401, "Bearer")
        assert client.get("/metrics", headers=AFAR | wrong).status_code == 403
        assert client.get("/metrics", headers=AFAR | right).status_code == 200
