"""The server under load: typed reads and writes through HTTP, beside a bare FastAPI route, in one run.

python bench/http_load.py [--quick]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from hansang.apps.codex.design import Category
from hansang.apps.platform.accounts import accounts_of
from hansang.settings import ServerSettings
from hansang.wiring import open_shell
from peers import free_port
from tables import show

CONNECTIONS = 16
MARK = 0.5
FLAT = 100_000
CATEGORIES = 200


# ── the client ────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Load:
    """What one turn of load has seen."""

    times: list[float] = field(default_factory=list)
    seconds: float = 0.0
    wrong: int = 0

    @property
    def rate(self) -> float:
        return len(self.times) / self.seconds

    def late(self, share: float) -> float:
        """The time, in milliseconds, under which this share of the requests stayed."""
        return sorted(self.times)[int(len(self.times) * share)] * 1000


async def _connection(port: int, request: Callable[[], bytes], stop: Callable[[], bool], load: Load) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while not stop():
        begun = time.perf_counter()
        writer.write(request())
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
        load.times.append(time.perf_counter() - begun)
        load.wrong += head[9:10] != b"2"
    writer.close()
    await writer.wait_closed()


def put_under_load(
    port: int, request: Callable[[], bytes], seconds: float, requests: int | None = None
) -> Load:
    """Send requests over several connections, each the next when the one before is answered."""
    load = Load()
    end = time.perf_counter() + seconds

    def stop() -> bool:
        return len(load.times) >= requests if requests else time.perf_counter() > end

    async def run() -> None:
        await asyncio.gather(*(_connection(port, request, stop, load) for _ in range(CONNECTIONS)))

    begun = time.perf_counter()
    asyncio.run(run())
    load.seconds = time.perf_counter() - begun
    return load


def reading(path: str, key: str) -> Callable[[], bytes]:
    numbers = iter(range(10**9))

    def request() -> bytes:
        number = next(numbers) % CATEGORIES
        return f"GET {path}?id=c{number} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n".encode()

    return request


def writing(path: str, key: str, mark: str) -> Callable[[], bytes]:
    numbers = iter(range(10**9))
    at = "2026-11-15T09:30:00Z"

    def request() -> bytes:
        given = {
            "id": f"{mark}{next(numbers)}",
            "title": "t",
            "desc": "d",
            "created_at": at,
            "updated_at": at,
        }
        body = json.dumps(given).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    return request


# ── the servers ───────────────────────────────────────────────────────────────────────────────────


@contextmanager
def started(command: list[str], port: int) -> Iterator[int]:
    """A server in a process of its own, once it answers."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(port)
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _wait(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("The server did not start.")


def prepared(data: Path) -> str:
    """A data file with categories to read; the key that may read and write them."""
    now = datetime.now(UTC)
    with open_shell(ServerSettings(data=str(data), jobs=False)) as shell:
        shell.database.batch_write(
            Category(id=f"c{number}", title=f"Title {number}", desc="A line", created_at=now, updated_at=now)
            for number in range(CATEGORIES)
        )
        _, key = accounts_of(shell.identity).keys.create("bench", ["codex:write"], "bench")
    return key


def resident(pid: int) -> float:
    """What a process has in memory, in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


# ── the run ───────────────────────────────────────────────────────────────────────────────────────


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Shorter turns and fewer requests.")
    quick = parser.parse_args().quick
    seconds, turns, flat = (1.0, 2, 5_000) if quick else (3.0, 5, FLAT)
    with tempfile.TemporaryDirectory() as folder:
        key = prepared(Path(folder) / "load.db")
        ours, bare = free_port(), free_port()
        command = [str(Path(sys.executable).with_name("hansang")), "up", "--data", f"{folder}/load.db"]
        options = ["--port", str(ours), "--rate", "100000000"]
        beside = [sys.executable, str(Path(__file__).with_name("bare_api.py")), str(bare)]
        with started([*command, *options], ours) as pid, started(beside, bare):
            _compare(ours, bare, key, seconds, turns)
            _stay_flat(ours, pid, key, flat)


def _compare(ours: int, bare: int, key: str, seconds: float, turns: int) -> None:
    path = "/api/codex/entities/Category"
    loads: dict[str, list[Load]] = {}
    for turn in range(turns + 1):
        for name, port, request in (
            ("bare read", bare, reading("/categories", key)),
            ("typed read", ours, reading(path, key)),
            ("bare write", bare, writing("/categories", key, f"t{turn}-")),
            ("typed write", ours, writing(path, key, f"t{turn}-")),
        ):
            load = put_under_load(port, request, seconds)
            if turn:  # The first turn warms up.
                loads.setdefault(name, []).append(load)
    rows = [
        (
            name,
            f"{median(load.rate for load in each):,.0f}",
            f"{median(load.late(0.99) for load in each):.1f}",
            str(sum(load.wrong for load in each)),
        )
        for name, each in loads.items()
    ]
    show(f"requests over {CONNECTIONS} connections", ("", "a second", "p99 ms", "wrong"), rows)
    for verb in ("read", "write"):
        share = median(
            one.rate / other.rate
            for one, other in zip(loads[f"typed {verb}"], loads[f"bare {verb}"], strict=True)
        )
        mark = f" ({'met' if share >= MARK else 'not met'}: at least {MARK:.0%})" if verb == "read" else ""
        print(f"typed {verb}: {share:.0%} of a bare FastAPI route{mark}")


def _stay_flat(port: int, pid: int, key: str, requests: int) -> None:
    request = reading("/api/codex/entities/Category", key)
    put_under_load(port, request, 0, requests // 10)
    before = resident(pid)
    load = put_under_load(port, request, 0, requests)
    print(f"memory: {before:.0f} MB before, {resident(pid):.0f} MB after {len(load.times):,} requests")


if __name__ == "__main__":
    main()
