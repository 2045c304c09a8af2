"""A real server in processes of its own, for the tests of starting, dying and ending.

`python -m tests.surfaces.server.standing '{"workers": 2, …}' BUILD` serves what the function BUILD of this module
opens, and prints its address.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from hansang.errors import DamagedFile, HansangError
from hansang.settings import ServerSettings
from hansang.surfaces.http.frame import framed
from hansang.surfaces.server.serving import serve
from hansang.surfaces.server.workers import Worker
from hansang.wiring import open_shell


def pid(_: Request) -> Response:
    return JSONResponse({"pid": os.getpid()})


def slow(request: Request) -> Response:
    time.sleep(float(request.query_params["seconds"]))
    return JSONResponse({"pid": os.getpid()})


def die(_: Request) -> Response:
    os._exit(9)


ROUTES = [Route("/pid", pid), Route("/slow", slow), Route("/die", die)]


@contextmanager
def build(settings: ServerSettings, worker: Worker) -> Iterator[ASGIApp]:
    """A small application with a real shell; its end is written into a file beside the data."""
    with (
        open_shell(settings, server_start=worker.server) as shell,
        framed(Starlette(routes=ROUTES), shell, worker=str(worker.number), board=worker.board) as app,
    ):
        yield app
    Path(f"{settings.data}.closed-{worker.number}").touch()


@contextmanager
def broken(settings: ServerSettings, worker: Worker) -> Iterator[ASGIApp]:
    """What cannot be opened."""
    raise DamagedFile(f"{settings.data} is broken.")
    yield


@contextmanager
def dying(settings: ServerSettings, worker: Worker) -> Iterator[ASGIApp]:
    """What ends the whole process."""
    os._exit(7)
    yield


BUILDS = {each.__name__: each for each in (build, broken, dying)}


@dataclass
class Standing:
    """A server that runs."""

    process: subprocess.Popen[str]
    url: str
    data: Path
    lines: list[dict[str, Any]] = field(default_factory=list)

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=30)

    def pids(self, number: int) -> set[int]:
        """The processes that answer, when so many of them have."""
        found, deadline = set[int](), time.monotonic() + 30
        while len(found) < number:
            assert time.monotonic() < deadline, f"only {found} answer"
            found.add(self.pid())
        return found

    def pid(self) -> int:
        """The process that answers a request on a connection of its own; one that dies meanwhile does not."""
        while True:
            try:
                return int(httpx2.get(f"{self.url}/pid", timeout=30).json()["pid"])
            except httpx2.TransportError:
                time.sleep(0.05)

    def end(self) -> tuple[int, str]:
        """Its exit code and all that it has logged."""
        _, logged = self.process.communicate(timeout=60)
        return self.process.returncode, logged


@contextmanager
def standing(folder: Path, built: str = "build", **settings: object) -> Iterator[Standing]:
    """A server on a data file in a folder, killed at the end if it has not ended."""
    data = folder / "shop.db"
    chosen = json.dumps({"data": str(data), "port": 0, "jobs": False, "rate": 1_000_000} | settings)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.surfaces.server.standing", chosen, built],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield Standing(process, process.stdout.readline().strip(), data)
    finally:
        process.kill()
        process.communicate()


def main(chosen: str, built: str) -> int:
    """Serve, and say how it went as the command line would."""
    try:
        serve(ServerSettings(**json.loads(chosen)), BUILDS[built], lambda url: print(url, flush=True))
    except HansangError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
