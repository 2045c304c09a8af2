"""Starting, dying, being replaced, and ending without losing what has begun."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from hansang.surfaces.server.sockets import bound, resolved, url_of
from tests.surfaces.server.standing import HANG, Standing, standing

pytestmark = pytest.mark.long


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Standing]:
    """A server with two workers."""
    with standing(tmp_path, workers=2) as found:
        yield found


def eventually(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + HANG
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_refused(server: Standing) -> bool:
    url = httpx2.URL(server.url)
    try:
        socket.create_connection((url.host, url.port or 0), timeout=60).close()
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:
        return False  # It was waiting to be accepted when the listener closed: the next one is refused.
    return False


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


# ── ending ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("workers", [1, 2])
def test_a_request_that_has_begun_is_answered_and_no_new_one_is_taken(tmp_path: Path, workers: int) -> None:
    with standing(tmp_path, "framed_build", workers=workers, apps=["codex"]) as server:
        with ThreadPoolExecutor(1) as pool, server.client() as client:
            begun = tmp_path / "begun"
            pending = pool.submit(client.get, "/slow", params={"begun": str(begun)})
            eventually(begun.exists)
            server.process.send_signal(signal.SIGTERM)
            eventually(lambda: is_refused(server))
            assert not pending.done()
            begun.unlink()
            assert pending.result().status_code == 200
        code, logged = server.end()
    assert code == 0
    assert '"route":"/slow","status":200' in logged
    closed = {f"shop.db.closed-{number}" for number in range(1, workers + 1)}
    assert {each.name for each in tmp_path.iterdir()} == {"shop.db", "shop.db-lock", "shop.db.key", *closed}


def test_an_idle_connection_does_not_hold_up_the_end(tmp_path: Path) -> None:
    with standing(tmp_path, workers=1) as server, server.client() as client:
        assert client.get("/pid").status_code == 200
        server.process.send_signal(signal.SIGINT)
        assert server.end()[0] == 0  # While the client still holds its connection.


def test_a_terminal_that_interrupts_all_processes_at_once_does_no_harm(
    pair: Standing, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(1) as pool, pair.client() as client:
        begun = tmp_path / "begun"
        pending = pool.submit(client.get, "/slow", params={"begun": str(begun)})
        eventually(begun.exists)
        os.killpg(pair.process.pid, signal.SIGINT)
        eventually(lambda: is_refused(pair))
        begun.unlink()
        assert pending.result().status_code == 200
    code, logged = pair.end()
    assert code == 0
    assert "Traceback" not in logged


def test_a_server_that_is_interrupted_while_it_starts_ends_quietly(tmp_path: Path) -> None:
    with standing(tmp_path, "interrupted_build", workers=2) as server:
        code, logged = server.end()
    assert (code, server.url, logged) == (0, "", "")


# ── several workers ───────────────────────────────────────────────────────────────────────────────


def test_a_worker_that_dies_is_replaced_while_the_other_one_answers(pair: Standing) -> None:
    before = pair.pids(2)
    assert pair.process.pid not in before
    with pytest.raises(httpx2.TransportError):
        httpx2.get(f"{pair.url}/die", timeout=HANG)
    assert [pair.address.request("GET", "/pid").status for _ in range(10)] == [200] * 10
    eventually(lambda: len(pair.pids(2) - before) == 1)
    os.kill(pair.pid(), signal.SIGKILL)
    eventually(lambda: len(pair.pids(2) - before) >= 1)
    pair.process.send_signal(signal.SIGTERM)
    code, logged = pair.end()
    assert code == 0
    assert "ended: code 9; another one starts in " in logged
    assert "ended: code -9; another one starts in " in logged


def test_workers_end_when_their_parent_is_killed(pair: Standing) -> None:
    pids = pair.pids(2)
    pair.process.kill()
    eventually(lambda: all(is_gone(each) for each in pids))
    eventually(lambda: is_refused(pair))  # Their parent may take a moment longer.


@dataclass(frozen=True)
class Scraped:
    """How often /pid was answered, and when each worker was started."""

    requests: int
    started: list[str]

    @classmethod
    def by(cls, client: httpx2.Client) -> Scraped:
        lines = client.get("/metrics").text.splitlines()
        mark = 'hansang_http_requests_total{method="GET",route="/pid",status="200"} '
        [requests] = [line.removeprefix(mark) for line in lines if line.startswith(mark)]
        started = [line for line in lines if line.startswith("hansang_worker_start_time_seconds{")]
        return cls(int(float(requests)), started)


def test_metrics_are_the_sums_over_all_workers_even_of_dead_ones(tmp_path: Path) -> None:
    with standing(tmp_path, "framed_build", workers=2, apps=["codex"]) as pair, pair.client() as client:
        sent, pids = 1, {client.get("/pid").json()["pid"]}
        [survivor] = pids
        while len(pids) < 2 or sent < 20:
            pids.add(pair.pid())
            sent += 1
        # The worker at the other end of this connection knows what the other one has shown, which is all.
        eventually(lambda: Scraped.by(client).requests == sent)
        before = Scraped.by(client).started
        assert len(before) == 2
        [victim] = pids - {survivor}
        os.kill(victim, signal.SIGKILL)
        eventually(lambda: Scraped.by(client).started != before)
        assert Scraped.by(client).requests == sent


# ── not starting ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("workers", [1, 2])
def test_a_server_that_cannot_open_its_data_says_why_and_ends(tmp_path: Path, workers: int) -> None:
    with standing(tmp_path, "broken_build", workers=workers) as server:
        assert server.url == ""
        code, logged = server.end()
    assert code == 3
    assert logged.splitlines()[-1] == f"DamagedFile: {server.data} is broken."


def test_a_worker_that_dies_before_it_is_ready_ends_the_start(tmp_path: Path) -> None:
    with standing(tmp_path, "dying_build", workers=2) as server:
        code, logged = server.end()
    assert code == 3
    assert "ended with code 7 before it was ready." in logged


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with bound(resolved("127.0.0.1", 0)[0]) as listener:
        port = listener.getsockname()[1]
        with standing(tmp_path, workers=2, port=port) as server:
            code, logged = server.end()
    assert code == 3
    assert f"AddressError: Cannot listen on 127.0.0.1 port {port}" in logged


def test_the_address_of_a_socket_is_one_that_a_browser_takes() -> None:
    with bound(resolved("127.0.0.1", 0)[0]) as listener:
        assert url_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
    with bound(resolved("::1", 0)[0]) as listener:
        assert url_of(listener) == f"http://[::1]:{listener.getsockname()[1]}"
