"""The syncer: at least once, in order for each item, resumed where it was, and never with credentials."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from hansang.apps.codex.design import CategoryKey, Credentials, FMWebApp
from hansang.apps.codex.syncing import (
    SIGNATURE,
    JsonLinesTarget,
    Syncer,
    TableTarget,
    WebhookTarget,
    open_target,
    turn_on,
)
from hansang.backends.embedded import Embedded
from hansang.design import Database, ItemChange
from hansang.errors import NoSuchTable, SettingsError, Unavailable
from hansang.parts.platform import Platform
from tests.apps.codex.site import category, post
from tests.clauses import clause
from tests.storing import opened, stored


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(FMWebApp, Platform) as found:
        yield found


class Kept:
    """A target in memory that fails when it is told to."""

    def __init__(self) -> None:
        self.fails, self.changes = 0, list[ItemChange]()

    def take(self, changes: Sequence[ItemChange]) -> None:
        if self.fails:
            self.fails -= 1
            raise Unavailable("down")
        self.changes += changes


@clause("4-09", "4-44", "X4-37")
def test_it_is_off_until_the_stream_is_turned_on(db: Database) -> None:
    with pytest.raises(NoSuchTable):
        Syncer(db, Kept()).run()
    turn_on(db)
    assert Syncer(db, Kept()).run() == 0


@clause("4-44", "X4-25")
def test_changes_come_in_order_at_least_once_and_without_credentials(db: Database) -> None:
    turn_on(db)
    db.put(category())
    db.put(Credentials(user_id="u001", password_hash="scrypt$x"))
    target = Kept()
    target.fails = 1
    with pytest.raises(Unavailable):
        Syncer(db, target).run()
    db.put(category().model_copy(update={"title": "둘째"}))
    db.delete(CategoryKey(id="c001"))
    assert Syncer(db, target).run() == 3
    assert [each.new and each.new.title for each in target.changes] == ["회사 소식", "둘째", None]
    db.put(post())
    assert (Syncer(db, target).run(), target.changes[-1].new) == (1, post())


def test_a_file_has_a_line_for_each_change(db: Database, tmp_path: Path) -> None:
    turn_on(db)
    db.put(category())
    db.delete(CategoryKey(id="c001"))
    Syncer(db, open_target(f"file:{tmp_path / 'changes.jsonl'}", "")).run()
    Syncer(db, JsonLinesTarget(tmp_path / "changes.jsonl")).run()
    lines = [json.loads(each) for each in (tmp_path / "changes.jsonl").read_text("utf-8").splitlines()]
    assert [each["event"] for each in lines] == ["insert", "remove"]
    assert lines[0]["key"] == {"PK": {"S": "CATEGORY#c001"}, "SK": {"S": "METADATA"}}


def test_a_second_table_is_what_the_first_one_is(db: Database, tmp_path: Path) -> None:
    place = str(tmp_path / "copy.db")
    with Embedded.open(place) as backend:
        Database(backend).create_tables(FMWebApp)
    turn_on(db)
    for made in (category(1), category(2), post(1)):
        db.put(made)
    db.delete(CategoryKey(id="c002"))
    Syncer(db, TableTarget(place, FMWebApp.name)).run()
    with Embedded.open(place) as backend:
        copied = stored(Database(backend), FMWebApp)
    assert sorted(map(str, copied)) == sorted(map(str, stored(db, FMWebApp)))


def test_a_webhook_is_signed_and_tried_again(db: Database) -> None:
    seen: list[tuple[str, bytes]] = []
    answers = [500, 204]

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append((self.headers[SIGNATURE], body))
            self.send_response(answers.pop(0))
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    turn_on(db)
    db.put(category())
    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            Syncer(db, WebhookTarget(f"http://127.0.0.1:{server.server_port}/hook", "secret")).run()
        finally:
            server.shutdown()
            thread.join()
    assert len(seen) == 2
    signature, body = seen[-1]
    assert signature == f"sha256={hmac.new(b'secret', body, hashlib.sha256).hexdigest()}"
    assert json.loads(body)["changes"][0]["event"] == "insert"


@pytest.mark.parametrize("place", ["nowhere", "file:", "table:copy.db", "https://hook.example"])
def test_a_target_that_cannot_be_is_refused(place: str) -> None:
    with pytest.raises(SettingsError, match="HANSANG_CODEX_SYNC_SECRET"):
        open_target(place, "")
