"""Serving: one socket, and as many workers behind it as the settings say."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from hansang.settings import ServerSettings
from hansang.surfaces.http.logs import logging_to
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.server.sockets import bound, resolved, url_of
from hansang.surfaces.server.supervisor import Supervisor
from hansang.surfaces.server.workers import Build, Worker, run_worker


def new_server_id() -> str:
    """An id for one start of a server."""
    return secrets.token_hex(8)


def serve(
    settings: ServerSettings,
    build: Build,
    ready: Callable[[str], object],
    new_id: Callable[[], str] = new_server_id,
    *,
    prepare: Callable[[], object] = lambda: None,
) -> None:
    """Listen and serve until SIGTERM or SIGINT; then stop listening, finish what has begun, and return.

    `prepare` is called when the address is ours, so that a port in use is told before anything is written;
    `ready` is told the address once requests are answered there. With one worker everything is in this
    process; with more, each is a process that builds the application for itself and shares the socket.
    """
    with closing(bound(resolved(settings.host, settings.port)[0])) as listener:
        prepare()
        url, server = url_of(listener), new_id()
        if settings.workers == 1:
            http = HttpServer(None, grace=settings.grace)
            run_worker(http, settings, build, Worker(1, server), listener, lambda: ready(url))
            return
        with TemporaryDirectory(prefix="hansang-") as board, logging_to(settings.log):
            Supervisor(settings, build, listener, server, Path(board), lambda: ready(url)).run()
