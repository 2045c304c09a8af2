"""The end of a server: what it has received is answered, and nothing holds it up for ever."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from hansang.surfaces.server.ending import Told
from tests.surfaces.server.standing import Standing, standing

REQUEST = b"GET /pid HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"

STUCK = {
    "in the block": "threading.Event().wait()",
    "in a thread that it has begun": "threading.Thread(target=threading.Event().wait).start()",
}
ENDING = """
import threading
from hansang.surfaces.server.ending import Told, ending_in_time

told = Told()
with ending_in_time(told, {seconds}):
    told.set()
    {stuck}
print("not reached")
"""


def connected(server: Standing) -> socket.socket:
    url = httpx2.URL(server.url)
    return socket.create_connection((url.host, url.port or 0), timeout=60)


def answer_of(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    pieces = []
    while piece := connection.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def test_all_that_was_received_is_answered_before_the_end(tmp_path: Path) -> None:
    with standing(tmp_path, workers=1) as server, ExitStack() as opened:
        idle = opened.enter_context(connected(server))
        kept = opened.enter_context(connected(server))
        for each in (idle, kept):
            each.sendall(REQUEST)
            while not each.recv(65536).endswith(b"}"):
                pass
        half = opened.enter_context(connected(server))
        half.sendall(REQUEST[:20])
        assert server.pid()  # So the half was read.
        server.process.send_signal(signal.SIGSTOP)
        fresh = [opened.enter_context(connected(server)) for _ in range(50)]
        for each in (*fresh, kept):
            each.sendall(REQUEST)
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGCONT)
        answers = [answer_of(each) for each in (*fresh, kept)]
        half.sendall(REQUEST[20:])
        answers.append(answer_of(half))
        assert {each.partition(b"\r\n")[0] for each in answers} == {b"HTTP/1.1 200 OK"}
        assert answer_of(idle) == b""
        assert server.end()[0] == 0


def hammer(server: Standing) -> list[bytes]:
    """Ask again and again on one connection until the server says that it closes it; the answers."""
    answers: list[bytes] = []
    with connected(server) as connection:
        while not answers or b"connection: close" not in answers[-1]:
            connection.sendall(REQUEST)
            answer = b""
            while not answer.endswith(b"}"):
                piece = connection.recv(65536)
                assert piece, f"closed after {len(answers)} answers, and a request was sent"
                answer += piece
            answers.append(answer)
    return answers


def test_a_server_under_load_says_that_it_closes_a_connection_before_it_does(tmp_path: Path) -> None:
    with standing(tmp_path, workers=1) as server, ThreadPoolExecutor(8) as pool:
        clients = [pool.submit(hammer, server) for _ in range(8)]
        assert [server.pid() for _ in range(20)]
        server.process.send_signal(signal.SIGTERM)
        answers = [answer for each in clients for answer in each.result(60)]
        assert {each.partition(b"\r\n")[0] for each in answers} == {b"HTTP/1.1 200 OK"}
        assert server.end()[0] == 0


@pytest.mark.parametrize("stuck", STUCK.values(), ids=STUCK)
def test_a_process_ends_in_time_whatever_is_stuck_in_it(stuck: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDING.format(stuck=stuck, seconds=0.2)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "did not end within 0.2 s" in ended.stderr


def test_a_process_that_ends_by_itself_is_left_alone() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDING.format(stuck="pass", seconds=60)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "not reached\n", "")


class Interrupted(threading.Event):
    """An event in whose setting a signal comes, whose handler sets it too."""

    def __init__(self) -> None:
        super().__init__()
        self.handler: Callable[[], None] = lambda: None

    def set(self) -> None:
        assert self._cond.acquire(blocking=False), "the handler would wait for ever"  # type: ignore[attr-defined]
        self.handler()
        self._cond.release()  # type: ignore[attr-defined]
        super().set()


def test_a_signal_that_comes_while_another_is_taken_holds_up_nothing() -> None:
    event = Interrupted()
    told = Told(event)
    event.handler = told.set
    told.set()
    assert (told.is_set(), event.is_set()) == (True, True)
