"""A place in a shard as the text that clients carry."""

from __future__ import annotations

import binascii
from dataclasses import dataclass

import orjson

from hansang.engine.faults import invalid
from hansang.errors import WireError

HORIZON = -1
"""The place before the oldest record that there is, whichever that is when it is read."""

_VALID_SECONDS = 15 * 60
_LAST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Iterator:
    """Behind the record of this number, in this stream, asked for at this time."""

    arn: str
    after: int
    at: float


def written(place: Iterator) -> str:
    token = binascii.b2a_base64(orjson.dumps([place.after, place.at]), newline=False).decode()
    return f"{place.arn}|1|{token}"


def parsed(text: str, now: float) -> Iterator:
    """Refuse what is no iterator, and one that is older than a quarter of an hour."""
    arn, _, token = text.rpartition("|1|")
    try:
        after, at = orjson.loads(binascii.a2b_base64(token.encode()))
        place = Iterator(arn, int(after), float(at))
    except (ValueError, TypeError, OverflowError) as reason:
        raise invalid("Invalid ShardIterator.") from reason
    if not HORIZON <= place.after <= _LAST:
        raise invalid("Invalid ShardIterator.")
    if now - place.at > _VALID_SECONDS:
        raise WireError("ExpiredIteratorException", "Iterator expired.")
    return place
