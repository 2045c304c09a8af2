"""The syncer: follows the stream of the table and keeps a copy elsewhere in step (4-44, X4-37).

It is off unless a target is set. Every change comes at least once, and those of one item in their order; how far it
has come is kept, so it goes on after anything. How users sign in never leaves.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import urllib3

from hansang.apps.codex.design import Credentials, FMWebApp
from hansang.backends.urls import open_backend
from hansang.blueprint.live import call
from hansang.design import Database, ItemChange
from hansang.errors import SettingsError, Unavailable
from hansang.parts.feed_positions import keep_position, position_of

NAME = "codex-sync"
SIGNATURE = "X-Hansang-Signature"
_AT_ONCE = 100
_TIMEOUT = urllib3.Timeout(connect=5, read=20)


class SyncTarget(Protocol):
    """Where the copy is."""

    def take(self, changes: Sequence[ItemChange]) -> None:
        """Take changes in their order; the same ones may come again."""


def document(change: ItemChange) -> dict[str, Any]:
    """A change for another program: its place in the stream, the key, and the item before and after."""
    item = change.new_item or change.old_item or {}
    return {
        "sequence": change.sequence,
        "event": "remove" if change.new_item is None else "insert" if change.old_item is None else "modify",
        "key": {name: item.get(name) for name in FMWebApp.key_attributes()},
        "old": change.old_item,
        "new": change.new_item,
    }


class JsonLinesTarget:
    """A file to which each change is added as a line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def take(self, changes: Sequence[ItemChange]) -> None:
        """Add the lines, and have them on the disk before anything else."""
        with self._path.open("a", encoding="utf-8") as file:
            for each in changes:
                file.write(json.dumps(document(each), ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())


class TableTarget:
    """A second table with the same keys, on any backend."""

    def __init__(self, place: str, table: str) -> None:
        self._place, self._table = place, table

    def take(self, changes: Sequence[ItemChange]) -> None:
        """Put and delete one after the other; the last state of an item is the one that stays."""
        with open_backend(self._place, create=False) as backend:
            for each in changes:
                if each.new_item is not None:
                    call(backend, "PutItem", {"TableName": self._table, "Item": each.new_item})
                elif each.old_item is not None:
                    key = {name: each.old_item[name] for name in FMWebApp.key_attributes()}
                    call(backend, "DeleteItem", {"TableName": self._table, "Key": key})


class WebhookTarget:
    """An address that is sent the changes, signed with a secret that both sides know."""

    def __init__(self, url: str, secret: str) -> None:
        self._url, self._secret = url, secret.encode()
        self._retry = urllib3.Retry(
            3, backoff_factor=0.2, status_forcelist=range(500, 600), allowed_methods=None
        )

    def take(self, changes: Sequence[ItemChange]) -> None:
        """Send them; anything but a 2xx is tried again later from here."""
        body = json.dumps({"changes": [document(each) for each in changes]}, ensure_ascii=False).encode()
        signed = hmac.new(self._secret, body, hashlib.sha256).hexdigest()
        headers = {"Content-Type": "application/json", SIGNATURE: f"sha256={signed}"}
        try:
            with urllib3.PoolManager() as pool:
                answer = pool.request(
                    "POST", self._url, body=body, headers=headers, timeout=_TIMEOUT, retries=self._retry
                )
        except urllib3.exceptions.HTTPError as fault:
            raise Unavailable(f"The address of the sync cannot be reached: {fault}") from fault
        if not 200 <= answer.status < 300:
            raise Unavailable(f"The address of the sync answers with {answer.status}.")


def open_target(place: str, secret: str) -> SyncTarget:
    """The target of a setting: file:PATH, table:PLACE#TABLE, or an https address with a secret."""
    scheme, _, rest = place.partition(":")
    if scheme == "file" and rest:
        return JsonLinesTarget(Path(rest))
    if scheme == "table" and "#" in rest:
        where, _, table = rest.rpartition("#")
        return TableTarget(where, table)
    if scheme in ("http", "https") and secret:
        return WebhookTarget(place, secret)
    raise SettingsError(
        f"{place} is not a valid target of the sync. Give file:PATH, table:PLACE#TABLE, or an https address "
        "together with HANSANG_CODEX_SYNC_SECRET."
    )


class Syncer:
    """Brings what has changed to a target."""

    def __init__(self, database: Database, target: SyncTarget) -> None:
        self._database, self._target = database, target

    def run(self) -> int:
        """Bring everything that has changed since the last time; how many changes that were."""
        position, count = position_of(self._database, NAME), 0
        feed = self._database.feed(FMWebApp, start="oldest", position=position, switched_on=True)
        while True:
            changes = feed.poll(_AT_ONCE)
            told = [each for each in changes if not _is_secret(each)]
            if told:
                self._target.take(told)
            if changes:
                keep_position(self._database, NAME, feed.position)
                count += len(told)
                continue
            return count


def _is_secret(change: ItemChange) -> bool:
    """Whether a change is of how somebody signs in."""
    shape = Credentials.__shape__
    assert shape is not None
    return any(item is not None and shape.matches_key(item) for item in (change.old_item, change.new_item))


def turn_on(database: Database) -> None:
    """Turn the stream of the table on, with images of before and after (4-09)."""
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    request = {"TableName": database.name(FMWebApp), "StreamSpecification": specification}
    database.call("UpdateTable", request, "Sync.turn_on")
