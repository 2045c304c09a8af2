"""One worker: it builds the application, serves it until it is told to stop, and closes it."""

from __future__ import annotations

import multiprocessing
import pickle
import resource
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Thread

from starlette.types import ASGIApp

from hansang.errors import HansangError
from hansang.settings import ServerSettings
from hansang.surfaces.http.logs import logging_to
from hansang.surfaces.server.ending import CLOSING, ending_in_time
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.server.signals import let_signals_come

_OPEN_FILES = 65536


@dataclass(frozen=True, slots=True)
class Worker:
    """Which of the processes of one server this is."""

    number: int
    server: str
    """An id of this start of the server, the same for all of its workers."""
    board: str | None = None
    """The folder where the workers show each other their counts, when there are several."""


Build = Callable[[ServerSettings, Worker], AbstractContextManager[ASGIApp]]
"""Opens what a worker serves, and closes it at the end; a function of a module, so that a process can find it."""


def run_worker(
    server: HttpServer,
    settings: ServerSettings,
    build: Build,
    worker: Worker,
    listener: socket.socket,
    ready: Callable[[], object],
) -> None:
    """Serve until a signal, then finish what has begun and close what was built."""
    _allow_many_connections()
    with (
        logging_to(settings.log),
        server.capture_signals(),
        ending_in_time(server.told, settings.grace + CLOSING),
        build(settings, worker) as app,
    ):
        server.config.app = app
        if not server.should_exit:
            ready()
            server.run(sockets=[listener])


def work(
    settings: ServerSettings, build: Build, worker: Worker, listener: socket.socket, report: Connection
) -> None:
    """The whole life of a worker in a process of its own; it tells its parent when it is ready, or why not."""
    server = HttpServer(None, grace=settings.grace)
    Thread(target=_stop_without_parent, args=(server,), daemon=True).start()
    with server.capture_signals():
        let_signals_come()
        try:
            run_worker(server, settings, build, worker, listener, lambda: report.send(None))
        except HansangError as error:
            with suppress(OSError):
                report.send(_portable(error))
            sys.exit(1)


def _stop_without_parent(server: HttpServer) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    server.should_exit = True
    server.told.set()


def _portable(error: HansangError) -> HansangError:
    """The error, or one that says the same and can be sent to another process."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own object
    except Exception:
        return HansangError(str(error))
    return error


def _allow_many_connections() -> None:
    """Use as many open files as the system lets this user have, since every connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
