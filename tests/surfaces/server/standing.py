"""A real server in processes of its own, for the tests of starting, dying and ending.

`python -m tests.surfaces.server.standing '{"workers": 2, …}' BUILD` serves what the function BUILD of this module
opens, and prints its address.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from hansang.errors import DamagedFile, HansangError
from hansang.settings import ServerSettings
from hansang.surfaces.server.serving import serve
from hansang.surfaces.server.workers import Worker
from tests.surfaces.support import Address

HANG = 120
"""Seconds after which something that does not come is given up: several processes share a busy machine."""


def pid(_: Request) -> Response:
    return JSONResponse({"pid": os.getpid()})


def slow(request: Request) -> Response:
    """Says by a file that it has begun, and is answered when that file is gone."""
    begun = Path(request.query_params["begun"])
    begun.touch()
    while begun.exists():
        time.sleep(0.01)
    return JSONResponse({"pid": os.getpid()})


def die(_: Request) -> Response:
    os._exit(9)


ROUTES = [Route("/pid", pid), Route("/slow", slow), Route("/die", die)]


@contextmanager
def framed_build(settings: ServerSettings, worker: Worker) -> Iterator[ASGIApp]:
    """The small application in its frame, with a real shell; its end is seen by a file beside the data."""
    # Imported here, because most of these servers do without.
    from hansang.surfaces.http.frame import framed
    from hansang.wiring import open_shell

    with (
        open_shell(settings, server_start=worker.server) as shell,
        framed(Starlette(routes=ROUTES), shell, worker=str(worker.number), board=worker.board) as app,
    ):
        yield app
    Path(f"{settings.data}.closed-{worker.number}").touch()


@contextmanager
def product_build(settings: ServerSettings, worker: Worker) -> Iterator[ASGIApp]:
    """The whole product, with room for two writers and two that wait; a read may take as long as it takes."""
    from hansang.surfaces.http import readiness, threads
    from hansang.wiring import server_app

    threads.WRITERS, threads.WAITING_WRITERS = 2, 2
    readiness.PATIENCE = 60.0
    with server_app(settings, worker) as app:
        yield app


@contextmanager
def plain_build(settings: ServerSettings, worker: Worker) -> Iterator[ASGIApp]:
    """The small application alone."""
    yield Starlette(routes=ROUTES)


def broken_build(settings: ServerSettings, worker: Worker) -> AbstractContextManager[ASGIApp]:
    """What cannot be opened."""
    raise DamagedFile(f"{settings.data} is broken.")


def dying_build(settings: ServerSettings, worker: Worker) -> AbstractContextManager[ASGIApp]:
    """What ends the whole process."""
    os._exit(7)


@contextmanager
def interrupted_build(settings: ServerSettings, worker: Worker) -> Iterator[ASGIApp]:
    """What is interrupted, with all other processes of its terminal, before it is open."""
    if worker.number == 1:
        os.killpg(0, signal.SIGINT)
    time.sleep(0.5)
    yield Starlette(routes=ROUTES)


_ALL = (framed_build, product_build, plain_build, broken_build, dying_build, interrupted_build)
BUILDS = {each.__name__: each for each in _ALL}


@dataclass
class Standing:
    """A server that runs."""

    process: subprocess.Popen[str]
    url: str
    data: Path
    log: IO[str]

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=HANG)

    def pids(self, number: int) -> set[int]:
        """The processes that answer, when so many of them have."""
        found, deadline = set[int](), time.monotonic() + HANG
        while len(found) < number:
            assert time.monotonic() < deadline, f"only {found} answer"
            found.add(self.pid())
        return found

    @property
    def address(self) -> Address:
        url = httpx2.URL(self.url)
        return Address(url.host, url.port or 0)

    def pid(self) -> int:
        """The process that answers a request on a connection of its own; one that dies meanwhile does not."""
        while True:
            try:
                return int(self.address.request("GET", "/pid").document["pid"])
            except (OSError, HTTPException):
                time.sleep(0.05)

    def end(self) -> tuple[int, str]:
        """Its exit code and all that it has logged."""
        code = self.process.wait(HANG)
        self.log.seek(0)
        return code, self.log.read()


@contextmanager
def standing(folder: Path, built: str = "plain_build", **settings: object) -> Iterator[Standing]:
    """A server on a data file in a folder, killed at the end if it has not ended."""
    data = folder / "shop.db"
    usual: dict[str, object] = {"data": str(data), "port": 0, "jobs": False, "rate": 1_000_000, "grace": HANG}
    chosen = json.dumps(usual | settings)
    command = [sys.executable, "-m", "tests.surfaces.server.standing", chosen, built]
    with (
        TemporaryFile("w+") as log,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield Standing(process, process.stdout.readline().strip(), data, log)
        finally:
            process.kill()


def announce(url: str) -> None:
    """Print where the server is."""
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()


def main(chosen: str, built: str) -> int:
    """Serve, and say how it went as the command line would."""
    try:
        serve(ServerSettings(**json.loads(chosen)), BUILDS[built], announce)
    except HansangError as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
