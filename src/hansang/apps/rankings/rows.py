"""The rows of an import: what a player has to look like, and how rows are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b, sha256
from struct import Struct
from typing import Annotated, Any
from zlib import crc32

from pydantic import AfterValidator, Field

from hansang.apps.rankings.design import Board, RejectedRow
from hansang.apps.rankings.rules import OFFICIAL

HIGHEST_POWER = 10**37
LONGEST_NAME = 100


def _expect_bounded(score: int) -> int:
    if score > HIGHEST_POWER:
        raise ValueError("A level and a power are at most 10^37.")
    return score


# The bound is no number of JSON Schema, since it has more than 64 bits.
GivenScore = Annotated[int, Field(ge=0), AfterValidator(_expect_bounded)]
"""A level or a power, as a client gives it."""

_DIGITS = re.compile(r"[0-9]{1,40}").fullmatch


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """One player of a day, as delivered; without a uuid until it is found by the name."""

    line: int
    uuid: str
    name: str
    level: int
    power: int
    level_rank: int | None = None
    power_rank: int | None = None

    def rank(self, board: Board) -> int | None:
        return self.level_rank if board == "level" else self.power_rank

    def score(self, board: Board) -> int:
        return self.level if board == "level" else self.power


class BadRow(Exception):
    """A row that cannot be imported; its code and values say why."""

    def __init__(self, text: str, *, code: str, values: Mapping[str, object] | None = None) -> None:
        super().__init__(text.format_map(values) if values else text)
        self.code, self.values = code, {name: str(value) for name, value in (values or {}).items()}

    def rejected(self, line: int, name: str = "") -> RejectedRow:
        return RejectedRow(
            line=line, name=name[:LONGEST_NAME], code=self.code, values=self.values, why=str(self)
        )


def row_of(line: int, given: Any) -> PlayerRow:
    """A row as it was given, or BadRow; numbers may be text, as a CSV has them."""
    if not isinstance(given, Mapping):
        raise BadRow(
            "A row has to be an object with uuid, name, level and power.", code="rankings.row-not-an-object"
        )
    uuid, name = _text(given, "uuid", 64), _text(given, "name", LONGEST_NAME)
    if "#" in uuid:
        raise BadRow("A uuid has no #: {uuid}", code="rankings.row-uuid", values={"uuid": uuid})
    if not name:
        raise BadRow("The row has no name.", code="rankings.row-no-name")
    return PlayerRow(
        line,
        uuid,
        name,
        _number(given, "level", 0, HIGHEST_POWER),
        _number(given, "power", 0, HIGHEST_POWER),
        _rank(given, "level_rank"),
        _rank(given, "power_rank"),
    )


def _text(given: Mapping[str, Any], field: str, longest: int) -> str:
    value = given.get(field)
    text = "" if value is None else value
    if not isinstance(text, str) or len(text) > longest:
        raise BadRow(
            "{field} has to be text of up to {most} characters.",
            code="rankings.row-text",
            values={"field": field, "most": longest},
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadRow(
            "{field} is not valid UTF-8.", code="rankings.row-encoding", values={"field": field}
        ) from None
    return text.strip()


def _number(given: Mapping[str, Any], field: str, least: int, most: int) -> int:
    value = given.get(field)
    if isinstance(value, str) and _DIGITS(value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadRow(
            "{field} has to be a whole number from {least} to {most}, not {given}.",
            code="rankings.row-number",
            values={
                "field": field,
                "least": least,
                "most": most if most == OFFICIAL else "10^37",
                "given": str(value)[:40],
            },
        )
    return value


def _rank(given: Mapping[str, Any], field: str) -> int | None:
    value = given.get(field)
    return None if value is None or value == "" else _number(given, field, 1, OFFICIAL)


# ── telling rows apart ────────────────────────────────────────────────────────────────────────────


def player_digest(uuid: str) -> int:
    """A number of eight bytes that stands for a player."""
    return int.from_bytes(blake2b(uuid.encode(), digest_size=8).digest())


def row_sum(uuid: str, name: str, score: int) -> int:
    """What a row of a board adds to the sum by which an index is found complete."""
    return crc32(f"{uuid}\0{name}\0{score}".encode())


_ROW = Struct(">QII")


def packed_sums(rows: Iterable[PlayerRow]) -> bytes:
    """The digests of players with what their rows add to the sums of the boards."""
    return b"".join(
        _ROW.pack(
            player_digest(row.uuid),
            row_sum(row.uuid, row.name, row.level),
            row_sum(row.uuid, row.name, row.power),
        )
        for row in rows
    )


def unpacked_sums(blob: bytes) -> Iterator[tuple[int, int, int]]:
    """Each player's digest, and what the row adds to the sum by level and by power."""
    return _ROW.iter_unpack(blob)


def fingerprint(rows: Iterable[PlayerRow], rejected: Iterable[RejectedRow]) -> str:
    """The same exactly when rows and refusals are."""
    found = sha256()
    for row in rows:
        told = (row.uuid, row.name, row.level, row.power, row.level_rank, row.power_rank)
        found.update(repr(told).encode())
    for bad in rejected:
        found.update(repr((bad.line, bad.code)).encode())
    return found.hexdigest()[:32]
