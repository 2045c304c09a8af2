"""What the servers of these tests serve, with nothing imported that a server does without.

`python -m tests.surfaces.server.builds '{"workers": 2, …}' BUILD` serves what the function BUILD of this module
opens, and prints its address.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from hansang.errors import DamagedFile, HansangError
from hansang.settings import ServerSettings
from hansang.surfaces.server.serving import serve
from hansang.surfaces.server.workers import Worker


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
