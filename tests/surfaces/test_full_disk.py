"""A disk that is full: everything can be read, and whoever writes is told why not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from hansang.apps.platform.accounts import accounts_of
from hansang.backends.embedded import Embedded
from hansang.backends.limits import Limited
from hansang.errors import StoreFull
from hansang.parts.platform import Platform
from hansang.surfaces.server.workers import Worker
from hansang.surfaces.shell import Shell
from hansang.wiring import product
from tests.surfaces.console.browsers import Browser
from tests.surfaces.shells import PASSWORD, SETTINGS, SetClock, new_key, opened

FAILURES = 30
"""After so many writes in a row that did not fit, no page has room for anything."""


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    with opened(SetClock(), replace(SETTINGS, data=str(tmp_path / "shop.db"))) as found:
        accounts_of(found.identity).people.create("owner", "Owner", {"*": "owner"}, PASSWORD)
        yield found


@pytest.fixture
def app(shell: Shell) -> Iterator[ASGIApp]:
    with product(shell, Worker(1, "tests")) as found:
        yield found


@contextmanager
def full(shell: Shell) -> Iterator[None]:
    """Let the file not grow by a page, and fill what room its pages have; make room at the end."""
    limited = shell.database.backend
    assert isinstance(limited, Limited)
    assert isinstance(limited.backend, Embedded)
    connection = limited.backend.engine.store._writer.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages:d}")
    try:
        _fill(shell)
        yield
    finally:
        connection.execute("PRAGMA max_page_count = 1073741823")


def _fill(shell: Shell) -> None:
    table, failures = shell.database.name(Platform), 0
    for number in count():
        try:
            item = {"PK": {"S": f"FILLER#{number}"}, "SK": {"S": "FILLER"}}
            shell.database.backend.call("PutItem", {"TableName": table, "Item": item})
            failures = 0
        except StoreFull:
            failures += 1
            if failures == FAILURES:
                return


def test_whoever_is_known_reads_on_and_whoever_writes_is_told(shell: Shell, app: ASGIApp) -> None:
    signed_in, key = Browser(app, "en").sign_in("owner"), new_key(shell, "*:admin")
    assert isinstance(shell.clock, SetClock)
    stranger = Browser(app, "ko")
    stranger.get("/sign-in")
    with full(shell):
        shell.clock.advance(3600)  # So the session and the key are to be noted as used.
        headers = {"Authorization": f"Bearer {key}"}
        assert signed_in.get("/").status == 200
        assert stranger.client.get("/api/platform/keys", headers=headers).status_code == 200
        made = stranger.client.post(
            "/api/platform/keys", headers=headers, json={"label": "new", "scopes": ["news:read"]}
        )
        assert (made.status_code, made.json()["code"]) == (503, "store-full")
        refused = stranger.send("/sign-in", name="owner", password=PASSWORD)
        assert refused.status == 503
        assert "디스크가 가득 차서 저장할 수 없습니다" in refused.shown
        assert "shop.db" not in refused.text
        ready = stranger.client.get("/health/ready", headers={"Accept": "application/json"})
        checks = {"read": "ok", "write": "store-full", "thread": "ok"}
        assert (ready.status_code, ready.json()["checks"]) == (503, checks)
    stranger.get("/sign-in")
    assert stranger.send("/sign-in", name="owner", password=PASSWORD).status == 303
