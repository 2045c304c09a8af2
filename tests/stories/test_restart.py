"""A server that is stopped or killed in the middle of load loses nothing that it has acknowledged."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

import httpx2
import pytest

from hansang.apps.platform.accounts import accounts_of
from hansang.settings import ServerSettings
from hansang.wiring import open_shell

CREATED = 201


@contextmanager
def running(data: Path, folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A server in a process of its own, of the one application that is written to, and its address."""
    said = folder / f"said-{monotonic()}.txt"
    command = [str(Path(sys.executable).with_name("hansang")), "up", "--data", str(data), "--port", "0"]
    with said.open("w") as out:
        process = subprocess.Popen(
            [*command, "--app", "codex", "--rate", "1000000", *options], stdout=out, stderr=subprocess.DEVNULL
        )
    try:
        yield process, _address(process, said)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def _address(process: subprocess.Popen[bytes], said: Path) -> str:
    end = monotonic() + 60
    while monotonic() < end and process.poll() is None:
        found = re.search(r"Hansang is at (\S+)\n", said.read_text())
        if found:
            return found[1]
        sleep(0.05)
    raise AssertionError(f"The server did not start: {said.read_text()}")


class Writers:
    """Threads that create categories until they are refused, and remember what was acknowledged."""

    def __init__(self, url: str, key: str, mark: str) -> None:
        self.acknowledged: list[str] = []
        self._url, self._key, self._mark = url, key, mark
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(4)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _write(self, thread: int) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        headers = {"Authorization": f"Bearer {self._key}"}
        with httpx2.Client(base_url=self._url, headers=headers, timeout=60) as client:
            for number in range(10_000):
                given = {
                    "id": f"{self._mark}-{thread}-{number}",
                    "title": "t",
                    "desc": "d",
                    "created_at": now,
                    "updated_at": now,
                }
                try:
                    answer = client.post("/api/codex/entities/Category", json=given)
                except httpx2.TransportError:
                    return
                if answer.status_code == CREATED:
                    self.acknowledged.append(given["id"])


@pytest.fixture
def key(tmp_path: Path) -> str:
    with open_shell(ServerSettings(data=str(tmp_path / "story.db"), jobs=False)) as shell:
        _, text = accounts_of(shell.identity).keys.create("story", ["codex:write"], "a test")
    return text


@pytest.mark.parametrize(
    ("how", "workers"), [(signal.SIGTERM, 2), (signal.SIGKILL, 1)], ids=["stopped", "killed"]
)
def test_nothing_that_was_acknowledged_is_lost(
    how: signal.Signals, workers: int, tmp_path: Path, key: str
) -> None:
    data = tmp_path / "story.db"
    with running(data, tmp_path, "--workers", str(workers)) as (process, url):
        writers = Writers(url, key, "a")
        writers.start()
        end = monotonic() + 60
        while len(writers.acknowledged) < 60 and monotonic() < end:
            sleep(0.05)
        process.send_signal(how)
        writers.join()
        process.wait(60)
    assert len(writers.acknowledged) >= 60
    with running(data, tmp_path) as (_, url), httpx2.Client(base_url=url, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {key}"
        for each in writers.acknowledged:
            answer = client.get("/api/codex/entities/Category", params={"id": each})
            assert answer.status_code == 200, each
        changes = sum(len(page) for page in _changes(client))
    assert changes >= len(writers.acknowledged)


def _changes(client: httpx2.Client) -> Iterator[list[object]]:
    cursor = None
    while True:
        params = {"area": "codex", "limit": "100"} | ({"cursor": cursor} if cursor else {})
        page = client.get("/api/platform/changes", params=params).json()
        yield page["items"]
        cursor = page["cursor"]
        if cursor is None:
            return
