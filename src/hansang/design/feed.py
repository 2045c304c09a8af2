"""Streams as typed changes: what an entity was, and what it is now."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hansang.design.entity import Entity
from hansang.design.kinds import recognised
from hansang.design.runner import Runner
from hansang.design.shape import Item
from hansang.design.table import Table
from hansang.design.translation import translated
from hansang.errors import DataError, DesignError, NoSuchTable, Refused, UnexpectedItem, WireError

_SINCE, _DONE = "@", "-"
"""How a position says of a shard that nothing was read of it since a time, and that it is done with."""


@dataclass(frozen=True, slots=True)
class ItemChange:
    """One change of one item. `old` is None when it is new, `new` is None when it is gone.

    `expired` says that nobody deleted it: its time was up. What cannot be read as an entity is here all the same, as
    it is stored, in `old_item` and `new_item`: `reason` says why, and `kind` is None where nothing could be read.
    """

    kind: type[Entity] | None
    old: Any
    new: Any
    sequence: str
    expired: bool
    old_item: Item | None = None
    new_item: Item | None = None
    reason: str = ""
    key: Item = field(default_factory=dict)
    """The key as it is stored, which a stream tells even if it tells nothing else."""


@dataclass(slots=True)
class _Shard:
    """One shard of the stream: where to go on in it, and the shard that has to be read first."""

    name: str
    parent: str | None
    iterator: str | None = None
    is_done: bool = False


class Feed:
    """The changes of a table, from a place on, each once and in order.

    `position` can be kept after what `poll` has returned is dealt with, and a feed opened there again.
    """

    def __init__(
        self,
        runner: Runner,
        table: type[Table],
        start: str,
        position: Mapping[str, str] | None = None,
        *,
        switched_on: bool = False,
    ) -> None:
        """`switched_on` says that the table has its stream where it is, though its design has none."""
        if table.stream != "NEW_AND_OLD_IMAGES" and not switched_on:
            raise DesignError(
                f"{table.__name__} has no stream of old and new images. Give it stream='NEW_AND_OLD_IMAGES'."
            )
        self._runner, self._table = runner, table
        self.position: dict[str, str] = dict(position or {})
        """For each shard, the last sequence number that `poll` has returned, or since when it was looked at."""
        self._waiting: deque[tuple[str, ItemChange]] = deque()
        self._shards: dict[str, _Shard] = {}
        self._arn = self._stream_arn()
        self._open(is_newest=start == "newest" and not position)

    def _stream_arn(self) -> str:
        name = self._runner.name(self._table)
        described = self._runner.call("DescribeTable", {"TableName": name}, "feed")["Table"]
        arn: str | None = described.get("LatestStreamArn")
        if arn is None:
            raise NoSuchTable(f"The table {name} has no stream. Turn it on with UpdateTable.")
        return arn

    # ── shards ────────────────────────────────────────────────────────────────────────────────────

    def _described(self) -> Iterator[Mapping[str, Any]]:
        request: dict[str, Any] = {"StreamArn": self._arn}
        while True:
            described = self._runner.call("DescribeStream", request, "feed")["StreamDescription"]
            yield from described["Shards"]
            last = described.get("LastEvaluatedShardId")
            if last is None:
                return
            request["ExclusiveStartShardId"] = last

    def _open(self, *, is_newest: bool) -> None:
        """The shards that there are when the feed begins; those that come later are read from their beginning."""
        for found in list(self._described()):
            shard = self._note(found)
            if is_newest and "EndingSequenceNumber" in found["SequenceNumberRange"]:
                self.position[shard.name] = _DONE
            elif is_newest:
                self.position[shard.name] = f"{_SINCE}{int(self._runner.now().timestamp())}"
                shard.iterator = self._iterator(shard, "LATEST")
            shard.is_done = self.position.get(shard.name) == _DONE

    def _note(self, found: Mapping[str, Any]) -> _Shard:
        shard = _Shard(found["ShardId"], found.get("ParentShardId"))
        self._shards[shard.name] = shard
        return shard

    def _look_for_more(self) -> None:
        """Note the shards that have come, and forget those that are read and gone."""
        listed = list(self._described())
        for found in listed:
            if found["ShardId"] not in self._shards:
                self._note(found)
        names = {found["ShardId"] for found in listed} | {name for name, _ in self._waiting}
        for name in [name for name, shard in self._shards.items() if shard.is_done and name not in names]:
            del self._shards[name]
            self.position.pop(name, None)

    def _readable(self) -> list[_Shard]:
        """The shards that can be read now: not those whose parent has changes left."""
        return [
            shard
            for shard in self._shards.values()
            if not shard.is_done and (shard.parent not in self._shards or self._shards[shard.parent].is_done)
        ]

    def _iterator(self, shard: _Shard, kind: str = "TRIM_HORIZON") -> str:
        request = {"StreamArn": self._arn, "ShardId": shard.name, "ShardIteratorType": kind}
        last = self.position.get(shard.name, _SINCE)
        if not last.startswith(_SINCE):
            request |= {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
        try:
            found: str = self._runner.send("GetShardIterator", request, "feed")["ShardIterator"]
        except WireError as error:
            raise self._failed(shard, error) from error
        return found

    def _since(self, shard: _Shard) -> float:
        """Before which changes of a shard were there already when the feed was opened."""
        last = self.position.get(shard.name, "")
        return float(last[1:]) if last.startswith(_SINCE) else 0.0

    # ── changes ───────────────────────────────────────────────────────────────────────────────────

    def poll(self, limit: int = 1000) -> list[ItemChange]:
        """The changes since the last time, at most `limit`; none is no error.

        When a request fails, what was read before it is kept, and comes with the next call.
        """
        if len(self._waiting) < limit:
            self._look_for_more()
            for shard in self._in_turn(limit):
                self._read(shard, min(limit, 1000))
        taken: list[ItemChange] = []
        while self._waiting and len(taken) < limit:
            name, change = self._waiting.popleft()
            self.position[name] = change.sequence
            taken.append(change)
        return taken

    def _in_turn(self, limit: int) -> Iterator[_Shard]:
        """Each shard once, children behind their parents, until there is enough."""
        seen: set[str] = set()
        while len(self._waiting) < limit:
            following = next((shard for shard in self._readable() if shard.name not in seen), None)
            if following is None:
                return
            seen.add(following.name)
            yield following

    def _read(self, shard: _Shard, limit: int) -> None:
        response = self._records(shard, limit)
        since = self._since(shard)
        self._waiting += [
            (shard.name, self._change(record))
            for record in response["Records"]
            if float(record["dynamodb"].get("ApproximateCreationDateTime", since)) >= since
        ]
        shard.iterator = response.get("NextShardIterator")
        shard.is_done = shard.iterator is None

    def _records(self, shard: _Shard, limit: int) -> dict[str, Any]:
        """The next records of a shard; an iterator that grew old while nobody asked is had anew."""
        for _ in range(2):
            request = {"ShardIterator": shard.iterator or self._iterator(shard), "Limit": limit}
            try:
                return self._runner.send("GetRecords", request, "feed")
            except WireError as error:
                shard.iterator = None
                if error.code != "ExpiredIteratorException":
                    raise self._failed(shard, error) from error
        raise Refused("The iterators of the stream expire before they can be used. Poll again.")

    def _failed(self, shard: _Shard, error: WireError) -> DataError:
        """What a refused read means: an iterator that grew old is had anew next time, what was trimmed is lost."""
        shard.iterator = None
        if error.code == "TrimmedDataAccessException":
            return Refused(
                "The changes behind this position are older than 24 hours and are no longer kept. Open the feed again with "
                "start='oldest', and compare what you have with the table."
            )
        return translated(error)

    def _change(self, record: Mapping[str, Any]) -> ItemChange:
        images = record["dynamodb"]
        items: tuple[Item | None, Item | None] = images.get("OldImage"), images.get("NewImage")
        expired = record.get("userIdentity", {}).get("Type") == "Service"
        (was, old, why), (is_, new, why_new) = (self._entity(item) for item in items)
        sequence, key = images["SequenceNumber"], images.get("Keys", {})
        return ItemChange(is_ or was, old, new, sequence, expired, *items, why_new or why, key)

    def _entity(self, item: Item | None) -> tuple[Any, Any, str]:
        """The kind of an item, its entity, and why it has none."""
        if item is None:
            return None, None, ""
        shape = recognised(self._table.shapes, item)
        if shape is None:
            return None, None, f"The item is of no kind that {self._table.__name__} has."
        try:
            return shape.cls, shape.decode(item), ""
        except UnexpectedItem as fault:
            return None, None, str(fault)
