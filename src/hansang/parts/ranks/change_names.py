"""What changes are called, and how a root lists those that it has counted.

A name is the number of the change's shard and eight random bytes. Every reader of a rank pays for the name of every
change that waits, so it is as short as it can be. Names of before were longer, in hexadecimal digits; they are read
wherever they still are.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from struct import Struct

_BYTES, _LETTERS = 9, 12
_OLD_BYTES, _OLD_DIGITS = 12, 24
_OLD_ONES = Struct(">H")
"""How many of a list have names of before. With it no list is as long as one of before, which had twelve bytes each."""


def change_name(shards: int, chance: Callable[[int], bytes]) -> tuple[int, str]:
    """A name that nobody else has, and the shard that it says."""
    given = chance(_BYTES)
    shard = given[0] % shards
    return shard, urlsafe_b64encode(bytes([shard]) + given[1:]).decode()


def named_shard(name: str) -> int:
    """In which shard a change was written."""
    return int(name[:2], 16) if len(name) == _OLD_DIGITS else urlsafe_b64decode(name[:4])[0]


def listed(names: Iterable[str]) -> bytes:
    """Names as a root lists them."""
    short, old = list[str](), list[str]()
    for name in names:
        (old if len(name) == _OLD_DIGITS else short).append(name)
    if not short and not old:
        return b""
    return urlsafe_b64decode("".join(short)) + bytes.fromhex("".join(old)) + _OLD_ONES.pack(len(old))


def names_in(done: bytes) -> list[str]:
    """The names that a root lists."""
    if len(done) % _OLD_BYTES == 0:
        return _parts(done.hex(), _OLD_DIGITS)
    (old_ones,) = _OLD_ONES.unpack_from(done, len(done) - _OLD_ONES.size)
    end = len(done) - _OLD_ONES.size
    between = end - old_ones * _OLD_BYTES
    short = urlsafe_b64encode(done[:between]).decode()
    return _parts(short, _LETTERS) + _parts(done[between:end].hex(), _OLD_DIGITS)


def _parts(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]
