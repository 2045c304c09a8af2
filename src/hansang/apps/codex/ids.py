"""Ids that sort by the time at which they were made."""

from __future__ import annotations

from datetime import datetime
from random import Random

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid(at: datetime, chance: Random) -> str:
    """An id of 26 characters that sorts by its time (X4-05)."""
    number = int(at.timestamp() * 1000) << 80 | chance.getrandbits(80)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
