"""Exports over HTTP: listed while they go on, and cut off by whoever may."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from hansang.apps.codex.design import Category
from hansang.parts import exports
from hansang.surfaces.api.app import create_api
from hansang.surfaces.http.frame import framed
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.shell import Shell
from hansang.surfaces.wire.server import listen
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import new_key
from tests.surfaces.support import running

EXPORTS = "/api/platform/exports"
LATEST = "/api/codex/patterns/Category.latest"
MOMENT = datetime(2026, 11, 1, 9, tzinfo=UTC)
HANG = 60


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line takes as long as it takes to be told of."""
    monkeypatch.setattr(exports, "PAUSE", 0.0)


@pytest.fixture
def operator(shell: Shell) -> Caller:
    return Caller(create_api(shell), new_key(shell, "platform:write"))


class Held:
    """A download that waits behind its first lines until it is let go."""

    def __init__(self, shell: Shell) -> None:
        self._walk, self.is_held, self.go = shell.database.each, threading.Event(), threading.Event()

    def each(self, *asked: Any, **more: Any) -> Iterator[Any]:
        for number, found in enumerate(self._walk(*asked, **more)):
            if number == 90:
                self.is_held.set()
                assert self.go.wait(HANG)
            yield found


@pytest.fixture
def held(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Held:
    found = Held(shell)
    monkeypatch.setattr(shell.database, "each", found.each)
    return found


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_export_is_seen_and_stopped_and_its_file_is_cut_off(
    shell: Shell, operator: Caller, held: Held, form: str
) -> None:
    shell.database.batch_write(
        Category(id=f"c{number:04}", title="가" * 1000, desc="", created_at=MOMENT, updated_at=MOMENT)
        for number in range(100)
    )
    headers = {"Authorization": f"Bearer {new_key(shell, 'codex:read')}"}
    outcomes: list[object] = []
    with (
        framed(create_api(shell), shell) as app,
        running(HttpServer(app, grace=1), listen("127.0.0.1", 0, loopback_only=True)) as address,
    ):

        def download() -> None:
            try:
                outcomes.append(address.request("GET", f"{LATEST}?format={form}", headers=headers))
            except http.client.IncompleteRead as cut:
                outcomes.append(cut)

        reading = threading.Thread(target=download)
        reading.start()
        try:
            assert held.is_held.wait(HANG)
            [seen] = operator.get(EXPORTS).json()["items"]
            stopped = operator.post(f"{EXPORTS}/{seen['id']}/stop")
        finally:
            held.go.set()
            reading.join(HANG)
    assert (seen["what"], seen["rows"]) == (f"codex-Category.latest.{form}", 90)
    assert seen["who"].startswith("key:")
    assert (stopped.status_code, stopped.json()["stop_asked_at"] is not None) == (202, True)
    [cut] = outcomes
    assert isinstance(cut, http.client.IncompleteRead)
    assert b"c00" in cut.partial
    assert operator.get(EXPORTS).json()["items"] == []
    logged = [each.detail for each in shell.audit.each() if each.kind == "administration"]
    assert f"Export {seen['id']}: stop" in logged


def test_an_export_that_is_over_is_not_found(operator: Caller) -> None:
    answer = operator.post(f"{EXPORTS}/20261115T000000Z-123456/stop")
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
    assert "It may have ended." in answer.json()["detail"]


def test_whoever_only_reads_the_platform_sees_exports_and_stops_none(shell: Shell) -> None:
    reader = Caller(create_api(shell), new_key(shell, "platform:read"))
    assert reader.get(EXPORTS).status_code == 200
    assert reader.post(f"{EXPORTS}/x/stop").status_code == 403
    assert Caller(create_api(shell), new_key(shell, "codex:admin")).get(EXPORTS).status_code == 403
