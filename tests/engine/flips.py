"""Flipped bytes: a file with a little of everything, all of its answers, and what becomes of them after a flip.

`python -m tests.engine.flips --count 1000` is the long run.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansang.engine import Engine
from hansang.engine.damage import Damage
from hansang.engine.inspection import examine
from hansang.engine.sql.reader import JOINED_AT_ONCE
from hansang.errors import HansangError, StoreError
from tests.engine.control import Request, attributes, create, definition, index, key, with_stream

NOW = 1_790_000_000.0
_STAMP = "2026-11-15T00:00:00Z"
_INCLUDED = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"]}

BALES = JOINED_AT_ONCE * 2 + 10
"""So many that a page of them is read in several pieces."""

Answers = dict[str, Any]

FOUND = "found by the check, and every answer right or refused"
HARMLESS = "harmless: every answer is what it was"
UNSEEN = "refused, and not found by the check"
WRONG = "answered wrong"


def fill(path: Path) -> None:
    """Make a file with several tables, indexes of every projection, an order of expiry, and a stream."""
    with opened(path) as engine:
        create(engine, orders())
        create(engine, with_stream("soup"))
        create(
            engine,
            definition("hay", AttributeDefinitions=attributes(pk="S", sk="S"), KeySchema=key("pk", "sk")),
        )
        specification = {"Enabled": True, "AttributeName": "until"}
        engine.call("UpdateTimeToLive", {"TableName": "rice", "TimeToLiveSpecification": specification})
        for number in range(60):
            engine.call("PutItem", {"TableName": "rice", "Item": grain(number)})
        for number in range(20):
            engine.call("PutItem", {"TableName": "soup", "Item": {"pk": {"S": f"{number}"}, "n": {"N": "1"}}})
        for number in range(0, 20, 3):
            engine.call("DeleteItem", {"TableName": "soup", "Key": {"pk": {"S": f"{number}"}}})
        for number in range(BALES):
            bale = {"pk": {"S": "STACK"}, "sk": {"S": f"{number:04d}"}, "n": {"N": f"{number}"}}
            engine.call("PutItem", {"TableName": "hay", "Item": bale})
        item = {"Put": {"TableName": "soup", "Item": {"pk": {"S": "paid"}}}}
        engine.call("TransactWriteItems", {"TransactItems": [item], "ClientRequestToken": "once"})


def opened(path: Path) -> Engine:
    return Engine.open(path, durability="normal", clock=lambda: NOW, sweep_seconds=None)


def orders() -> Request:
    return definition(
        "rice",
        AttributeDefinitions=attributes(pk="S", sk="S", colour="S", weight="N"),
        KeySchema=key("pk", "sk"),
        GlobalSecondaryIndexes=[
            index("by-colour", "colour", "sk"),
            index("by-weight", "colour", "weight", projection="KEYS_ONLY"),
        ],
        LocalSecondaryIndexes=[index("heavy", "pk", "weight") | {"Projection": _INCLUDED}],
    )


def grain(number: int) -> Request:
    item: Request = {
        "pk": {"S": f"FIELD#{number % 7}"},
        "sk": {"S": f"GRAIN#{number:04d}"},
        "weight": {"N": f"{number * 37 % 101}"},
        "note": {"S": f"grain {number} " * (200 if number % 20 == 0 else 4)},
        "seen": {"S": _STAMP},
    }
    if number % 3:
        item["colour"] = {"S": ("white", "brown", "black")[number % 3]}
    if number % 5 == 0:
        item["until"] = {"N": "4102444800"}
    return item


# ── all answers ───────────────────────────────────────────────────────────────────────────────────


def questions() -> dict[str, tuple[str, Request]]:
    """Requests that together read everything in the file, by name."""
    asked: dict[str, tuple[str, Request]] = {"tables": ("ListTables", {}), "streams": ("ListStreams", {})}
    for table in ("rice", "soup", "hay"):
        asked[f"describe {table}"] = ("DescribeTable", {"TableName": table})
        asked[f"scan {table}"] = ("Scan", {"TableName": table})
        asked[f"expiry {table}"] = ("DescribeTimeToLive", {"TableName": table})
    for name in ("by-colour", "by-weight", "heavy"):
        asked[f"scan {name}"] = ("Scan", {"TableName": "rice", "IndexName": name})
    for forward in (True, False):
        asked[f"hay, forward {forward}"] = ("Query", stack(forward=forward))
    for number in range(60):
        item = grain(number)
        place = {"pk": item["pk"], "sk": item["sk"]}
        asked[f"get {number}"] = ("GetItem", {"TableName": "rice", "Key": place})
    for number in range(20):
        asked[f"soup {number}"] = ("GetItem", {"TableName": "soup", "Key": {"pk": {"S": f"{number}"}}})
    for field in range(7):
        asked[f"field {field}"] = ("Query", _query("pk", f"FIELD#{field}"))
        asked[f"heavy {field}"] = ("Query", _query("pk", f"FIELD#{field}") | {"IndexName": "heavy"})
    for colour in ("brown", "black"):
        for name in ("by-colour", "by-weight"):
            asked[f"{name} {colour}"] = ("Query", _query("colour", colour) | {"IndexName": name})
    return asked


def stack(*, forward: bool) -> Request:
    """All of the hay in one query."""
    return _query("pk", "STACK") | {"TableName": "hay", "ScanIndexForward": forward}


def _query(name: str, value: str) -> Request:
    values = {":v": {"S": value}}
    condition = {"KeyConditionExpression": f"{name} = :v", "ExpressionAttributeValues": values}
    return {"TableName": "rice", "ReturnConsumedCapacity": "TOTAL", **condition}


def answers(path: Path) -> Answers:
    """Every answer, or the error that came in its place; a bare exception is nobody's answer."""
    try:
        with opened(path) as engine:
            found = {name: _answer(engine, *asked) for name, asked in questions().items()}
            return {**found, "records": _told(lambda: list(_records(engine)))}
    except HansangError as error:
        return dict.fromkeys([*questions(), "records"], error)


def _answer(engine: Engine, operation: str, request: Request) -> Any:
    return _told(lambda: engine.call(operation, request))


def _told(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except StoreError as error:
        return error


def _records(engine: Engine) -> Iterator[Any]:
    [stream] = engine.call("ListStreams", {})["Streams"]
    described = engine.call("DescribeStream", {"StreamArn": stream["StreamArn"]})["StreamDescription"]
    shard = {
        "ShardId": described["Shards"][0]["ShardId"],
        "StreamArn": stream["StreamArn"],
        "ShardIteratorType": "TRIM_HORIZON",
    }
    iterator = engine.call("GetShardIterator", shard)["ShardIterator"]
    yield from engine.call("GetRecords", {"ShardIterator": iterator})["Records"]


# ── a flip ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Flip:
    """What became of a file with one byte changed."""

    place: int
    value: int
    wrong: list[str]
    """The questions that were answered otherwise than before, and not with an error."""
    refused: int
    found: list[Damage] | HansangError
    """What the check has to say, if anything."""

    @property
    def outcome(self) -> str:
        if self.wrong:
            return WRONG
        if self.found:
            return FOUND
        return UNSEEN if self.refused else HARMLESS


def flip(whole: bytes, path: Path, right: Answers, dice: random.Random) -> Flip:
    """Change one byte of a file and see what it answers then, and what the check says."""
    place, value = dice.randrange(len(whole)), dice.randrange(1, 256)
    damaged = bytearray(whole)
    damaged[place] ^= value
    path.write_bytes(damaged)
    found = _found(path)
    path.write_bytes(damaged)
    told = answers(path)
    for suffix in ("-wal", "-shm", "-lock"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).unlink()
    wrong = [name for name, answer in told.items() if not _is_error(answer) and answer != right[name]]
    return Flip(place, value, wrong, sum(map(_is_error, told.values())), found)


def _is_error(answer: Any) -> bool:
    return isinstance(answer, HansangError)


def _found(path: Path) -> list[Damage] | HansangError:
    try:
        return examine(path, lambda *_: None)[1].damages
    except HansangError as error:
        return error


# ── the long run ──────────────────────────────────────────────────────────────────────────────────


def flips(folder: Path, count: int, seed: int) -> Iterator[Flip]:
    """So many flips, each of the same file as it was."""
    path, dice = folder / "data.db", random.Random(seed)
    fill(path)
    whole, right = path.read_bytes(), answers(path)
    assert not any(map(_is_error, right.values()))
    for _ in range(count):
        yield flip(whole, path, right, dice)


def main() -> int:
    """Print what became of many flips; 1 when one was answered wrong, or is found by nobody and not harmless."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for each in flips(Path(folder), options.count, options.seed):
            outcomes[each.outcome] += 1
            if each.wrong:
                sys.stdout.write(f"byte {each.place} ^ {each.value:#04x}: {', '.join(each.wrong)}\n")
    for outcome, count in sorted(outcomes.items()):
        sys.stdout.write(f"{count:6,} {outcome}\n")
    return 1 if outcomes[WRONG] or outcomes[UNSEEN] else 0


if __name__ == "__main__":
    sys.exit(main())
