"""Following the streams of the old tables: which items have changed since they were read whole (X4-12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hansang.apps.codex.migration.state import MigratedTable, MigratedTableKey
from hansang.backends.base import Backend
from hansang.blueprint.live import call, describe
from hansang.clock import Clock
from hansang.design import Database, ItemChange, Table
from hansang.design.shape import Item
from hansang.errors import Conflict, Refused, WireError
from hansang.parts.timestamps import to_whole_second

KEPT = timedelta(hours=24)
"""How long a stream keeps a change."""
REACH = KEPT - timedelta(hours=1)
"""For how long a stream is followed from one moment on: a shard that was not begun loses its oldest changes silently."""
_AT_ONCE = 100
"""As many as one BatchGetItem reads."""
_QUIET = 3
"""So many polls without a change are the end: on AWS a poll can be empty though more is to come."""


class OldTable(Table, name="old-table"):
    """A table of which no design is known; its changes are told by their keys and images."""


@dataclass(frozen=True, slots=True)
class StreamStart:
    """That a stream was on at a moment from which on nothing of it has been dealt with."""

    arn: str
    at: datetime


class StreamFollower:
    """Tells what has changed in the old tables, and keeps how far that was dealt with."""

    def __init__(self, source: Backend, database: Database, clock: Clock) -> None:
        self._source, self._database, self._clock = source, database, clock

    # ── where to begin ────────────────────────────────────────────────────────────────────────────

    def start(self, table: str) -> StreamStart | None:
        """Where the stream of a table is now, None if it has none; asked for before the table is read whole."""
        now, found = to_whole_second(self._clock()), self._stream(table)
        return None if found is None else StreamStart(found["LatestStreamArn"], now)

    def keep_start(self, table: str, start: StreamStart | None) -> None:
        """Follow the stream from there on: the table was read whole since."""
        self._keep(table, stream_arn=start and start.arn, followed_at=start and start.at, shards={})

    def _keep(self, table: str, **changed: Any) -> None:
        self._database.put(self._kept(table).model_copy(update=changed))

    def _kept(self, table: str) -> MigratedTable:
        found = self._database.find(MigratedTableKey(source=table), consistent=True)
        return found or MigratedTable(source=table)

    def _stream(self, table: str) -> dict[str, Any] | None:
        """The description of a table whose stream is on."""
        found = describe(self._source, table)
        return (
            found if found is not None and found.get("StreamSpecification", {}).get("StreamEnabled") else None
        )

    # ── following ─────────────────────────────────────────────────────────────────────────────────

    def changes(self, table: str, id_attribute: str | None) -> Iterator[list[ItemChange]]:
        """What has changed, some at a time; whoever asks for more has dealt with those before."""
        self._expect_followable(table, id_attribute)
        try:
            yield from self._polled(table)
        except Refused as refused:
            if isinstance(refused.__cause__, WireError) and "Trimmed" in refused.__cause__.code:
                raise _behind(table) from refused
            raise

    def _polled(self, table: str) -> Iterator[list[ItemChange]]:
        database = Database(self._source, names={OldTable: table}, clock=self._clock)
        feed = database.feed(OldTable, start="oldest", position=self._kept(table).shards, switched_on=True)
        quiet, since = 0, to_whole_second(self._clock())
        while quiet < _QUIET:
            self._expect_reach(table)
            changes = feed.poll(_AT_ONCE)
            quiet = 0 if changes else quiet + 1
            if changes:
                yield changes
                self._keep(table, shards=dict(feed.position))
                since = to_whole_second(self._clock())
        self._keep(table, followed_at=since)

    def _expect_followable(self, table: str, id_attribute: str | None) -> None:
        """Refuse what would leave a change out: a stream that does not reach back, or does not tell ids."""
        found, kept = self._stream(table), self._kept(table)
        if found is None:
            raise Conflict(
                "{table} has no stream. Turn it on, and run delta once without --by stream.",
                code="codex.no-stream",
                values={"table": table},
            )
        if kept.stream_arn != found["LatestStreamArn"]:
            raise _behind(table)
        self._expect_reach(table)
        tells_old = "OLD" in found["StreamSpecification"]["StreamViewType"]
        if id_attribute is not None and id_attribute not in _keys(found) and not tells_old:
            raise Conflict(
                "The stream of {table} does not tell the id of what was deleted. Turn it on with NEW_AND_OLD_IMAGES.",
                code="codex.stream-without-ids",
                values={"table": table},
            )

    def _expect_reach(self, table: str) -> None:
        """Refuse to go on once the stream may have dropped a change that was not dealt with."""
        since = self._kept(table).followed_at
        if since is None or to_whole_second(self._clock()) - since >= REACH:
            raise _behind(table)

    def keys_of(self, table: str) -> set[str]:
        """The attributes that the key of an old table is made of."""
        return _keys(describe(self._source, table) or {"KeySchema": []})

    def current(self, table: str, changes: Sequence[ItemChange]) -> list[Item]:
        """The items of these changes as they are now, without those that are gone."""
        keys = {repr(sorted(each.key.items())): each.key for each in changes}
        wanted: dict[str, Any] = {table: {"Keys": list(keys.values()), "ConsistentRead": True}}
        found: list[Item] = []
        while wanted:
            answer = call(self._source, "BatchGetItem", {"RequestItems": wanted})
            found += answer["Responses"].get(table, ())
            wanted = answer.get("UnprocessedKeys") or {}
        return found


def _keys(described: dict[str, Any]) -> set[str]:
    return {each["AttributeName"] for each in described["KeySchema"]}


def _behind(table: str) -> Conflict:
    return Conflict(
        "The stream of {table} does not reach back to when the table was last read whole: it keeps 24 hours, and was "
        "perhaps turned off meanwhile. Run delta once without --by stream; it reads everything, and the stream can be "
        "followed from there.",
        code="codex.stream-behind",
        values={"table": table},
    )
