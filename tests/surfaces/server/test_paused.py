"""Another process that is paused while it holds the data file: readers go on, writers are told, the end comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import httpx2

from hansang.settings import ServerSettings
from hansang.wiring import open_shell
from tests.surfaces.server.standing import Standing, standing
from tests.surfaces.server.test_serving import eventually
from tests.surfaces.shells import new_key

HOLDING = """
import os, signal, sys
from hansang.engine import Engine

def hold(writer):
    sys.stdout.write("holding\\n")
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGSTOP)

with Engine.open(sys.argv[1], sweep_seconds=None) as engine:
    engine.store.write(hold)
"""


@contextmanager
def paused(data: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has paused itself in the middle of a write; killed at the end if it has not ended."""
    command = [sys.executable, "-c", HOLDING, str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "holding\n"
            eventually(lambda: is_stopped(process))
            yield process
        finally:
            process.kill()


def is_stopped(process: subprocess.Popen[str]) -> bool:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@contextmanager
def serving(folder: Path) -> Iterator[tuple[Standing, httpx2.Client]]:
    """The product on a file, and a client with a key that was never used."""
    with open_shell(ServerSettings(data=str(folder / "shop.db"), jobs=False)) as shell:
        key = new_key(shell, "*:admin")
    with (
        standing(folder, "product_build", grace=1) as server,
        httpx2.Client(base_url=server.url, headers={"authorization": f"Bearer {key}"}, timeout=60) as client,
    ):
        yield server, client


def make_key(client: httpx2.Client) -> httpx2.Response:
    return client.post("/api/platform/keys", json={"label": "loader", "scopes": ["news:read"]})


def test_a_paused_process_stops_no_reader_and_writers_are_told(tmp_path: Path) -> None:
    with (
        serving(tmp_path) as (server, client),
        paused(server.data) as holder,
        ThreadPoolExecutor(6) as pool,
    ):
        told, waiting = told_at_once(pool, client)
        assert {each.result().json()["code"] for each in told} == {"overloaded"}
        assert all(int(each.result().headers["retry-after"]) > 0 for each in told)
        assert len(waiting) >= 4
        for path in ("/api/platform/keys", "/api/platform/jobs", "/sign-in", "/metrics", "/health/live"):
            assert client.get(path).status_code == 200, path
        ready = client.get("/health/ready")
        checks = ready.json()["checks"]
        assert (ready.status_code, checks["read"], checks["thread"]) == (503, "ok", "ok")
        assert checks["write"] in {"timeout", "store-busy"}
        assert is_stopped(holder)
        assert_told_busy(waiting)
        os.kill(holder.pid, signal.SIGCONT)
        assert holder.wait(60) == 0
        eventually(lambda: make_key(client).status_code == 201)
        eventually(lambda: client.get("/health/ready").status_code == 200)


Writes = set[Future[httpx2.Response]]


def told_at_once(pool: ThreadPoolExecutor, client: httpx2.Client) -> tuple[Writes, Writes]:
    """Those of six writes that are told first, and those that wait meanwhile.

    They are sent again if the machine was so busy that the first had waited for its five seconds before the last came.
    """
    for _ in range(5):
        told, waiting = wait({pool.submit(make_key, client) for _ in range(6)}, 60, FIRST_COMPLETED)
        if "store-busy" not in {each.result().json()["code"] for each in told}:
            break
        wait(waiting, 60)
    return told, waiting


def assert_told_busy(waiting: Writes) -> None:
    answers = [each.result(60) for each in waiting]
    assert {each.status_code for each in answers} == {503}
    assert {each.json()["code"] for each in answers} <= {"store-busy", "overloaded"}
    assert all(int(each.headers["retry-after"]) > 0 for each in answers)


def test_a_server_ends_while_a_paused_process_holds_its_file(tmp_path: Path) -> None:
    with (
        serving(tmp_path) as (server, client),
        paused(server.data) as holder,
        ThreadPoolExecutor(1) as pool,
    ):
        pending = pool.submit(make_key, client)
        eventually(lambda: in_progress(client) == 2)
        server.process.send_signal(signal.SIGTERM)
        server.end()
        assert is_stopped(holder)
        assert pending.exception() is not None or pending.result().status_code == 503


def in_progress(client: httpx2.Client) -> float:
    """How many requests are being worked on, this one too."""
    lines = client.get("/metrics").text.splitlines()
    return next(
        float(each.split()[-1]) for each in lines if each.startswith("hansang_http_requests_in_progress ")
    )
