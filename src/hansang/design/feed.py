"""Streams as typed changes: what an entity was, and what it is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hansang.design.entity import Entity
from hansang.design.runner import Runner
from hansang.design.shape import Item, Shape, recognised
from hansang.design.table import Table
from hansang.errors import DesignError, NoSuchTable

_STARTS = {"oldest": "TRIM_HORIZON", "newest": "LATEST"}


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one entity. `old` is None when it is new, `new` is None when it is gone.

    `expired` says that nobody deleted it: its time was up.
    """

    kind: type[Entity]
    old: Any
    new: Any
    sequence: str
    expired: bool


class Feed:
    """The changes of a table, from a place on. `position` can be kept, and a feed opened there again."""

    def __init__(
        self, runner: Runner, table: type[Table], start: str, position: Mapping[str, str] | None = None
    ) -> None:
        if table.stream != "NEW_AND_OLD_IMAGES":
            raise DesignError(
                f"{table.__name__} has no stream of old and new images. Give it stream='NEW_AND_OLD_IMAGES'."
            )
        self._runner, self._table, self._start = runner, table, _STARTS[start]
        self.position: dict[str, str] = dict(position or {})
        """The last sequence number that was read, for each shard."""
        self._iterators: dict[str, str | None] = {}
        self._arn = self._stream_arn()
        self._open_shards()

    def _stream_arn(self) -> str:
        name = self._runner.name(self._table)
        described = self._runner.call("DescribeTable", {"TableName": name}, "feed")["Table"]
        arn: str | None = described.get("LatestStreamArn")
        if arn is None:
            raise NoSuchTable(f"The table {name} has no stream. Turn it on with UpdateTable.")
        return arn

    def _open_shards(self) -> None:
        request: dict[str, Any] = {"StreamArn": self._arn}
        while True:
            described = self._runner.call("DescribeStream", request, "feed")["StreamDescription"]
            for shard in described["Shards"]:
                if shard["ShardId"] not in self._iterators:
                    self._iterators[shard["ShardId"]] = self._iterator(shard["ShardId"])
            last = described.get("LastEvaluatedShardId")
            if last is None:
                return
            request["ExclusiveStartShardId"] = last

    def _iterator(self, shard: str) -> str:
        request = {"StreamArn": self._arn, "ShardId": shard, "ShardIteratorType": self._start}
        if shard in self.position:
            request |= {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.position[shard]}
        found: str = self._runner.call("GetShardIterator", request, "feed")["ShardIterator"]
        return found

    def poll(self, limit: int = 1000) -> list[Change]:
        """The changes since the last time; none is no error."""
        changes: list[Change] = []
        self._open_shards()
        for shard, iterator in self._iterators.items():
            if iterator is None:
                continue
            request = {"ShardIterator": iterator, "Limit": min(limit, 1000)}
            response = self._runner.call("GetRecords", request, "feed")
            self._iterators[shard] = response.get("NextShardIterator")
            for record in response["Records"]:
                self.position[shard] = record["dynamodb"]["SequenceNumber"]
                changes += self._change(record)
        return changes

    def _change(self, record: Mapping[str, Any]) -> Iterator[Change]:
        images = record["dynamodb"]
        old, new = images.get("OldImage"), images.get("NewImage")
        shape = self._shape(new or old)
        if shape is not None:
            expired = record.get("userIdentity", {}).get("Type") == "Service"
            before, after = (None if image is None else shape.decode(image) for image in (old, new))
            yield Change(shape.cls, before, after, images["SequenceNumber"], expired)

    def _shape(self, item: Item) -> Shape | None:
        return recognised(self._table.shapes, item)
