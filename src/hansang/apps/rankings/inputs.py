"""Days as files: CSV, JSON and JSON Lines, in UTF-8 or in Excel's CP949, read a piece at a time."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Literal, TextIO

from hansang.errors import InvalidInput

DayForm = Literal["csv", "json", "jsonl"]

_CHUNK = 64 * 1024
_LONGEST_ROW = 64 * 1024
_GAP = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
_ENDINGS: dict[str, DayForm] = {"csv": "csv", "json": "json", "jsonl": "jsonl", "ndjson": "jsonl"}


def form_by_name(name: str) -> DayForm | None:
    """The form of a file by its name."""
    return _ENDINGS.get(name.rpartition(".")[2].lower())


def read_rows(file: BinaryIO, form: DayForm | None = None) -> Iterator[Any]:
    """The rows of a file as they were given; without a form, the first character tells it."""
    head = file.read(_CHUNK)
    joined = io.BufferedReader(_Joined(head, file))
    text = io.TextIOWrapper(joined, encoding=_encoding(head), errors="surrogateescape", newline="")
    first = text.read(1)
    while first and first.isspace():
        first = text.read(1)
    wanted = form or ("json" if first == "[" else "jsonl" if first in ("{", "") else "csv")
    if wanted == "csv":
        return _csv(text, first)
    return _json(text, first) if wanted == "json" else _json_lines(text, first)


def _encoding(head: bytes) -> str:
    """UTF-8 where the beginning is that, else the code page that Korean Excel writes."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp949"
    return "utf-8-sig"


class _Joined(io.RawIOBase):
    """A file whose beginning was read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(found) :]
        buffer[: len(found)] = found
        return len(found)


# ── CSV ───────────────────────────────────────────────────────────────────────────────────────────


def _csv(text: TextIO, first: str) -> Iterator[Any]:
    reader = csv.reader(_with_first(text, first))
    try:
        columns = [name.strip().lower() for name in next(reader, [])]
        if not {"name", "level", "power"} <= {*columns}:
            raise InvalidInput(
                "The first line of the CSV has to name its columns: uuid,name,level,power.",
                code="rankings.csv-columns",
            )
        for row in filter(None, reader):
            yield {name: value for name, value in zip(columns, row, strict=False) if value != ""}
    except csv.Error as fault:
        raise InvalidInput(
            "The CSV cannot be read at line {line}: {reason}.",
            code="rankings.csv-line",
            values={"line": reader.line_num, "reason": fault},
        ) from fault


def _with_first(text: TextIO, first: str) -> Iterator[str]:
    line = first + text.readline(_LONGEST_ROW)
    while line:
        yield line
        line = text.readline(_LONGEST_ROW)


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────────


def _json_lines(text: TextIO, first: str) -> Iterator[Any]:
    for line in _with_first(text, first):
        if line.strip():
            yield _parsed(line)


def _parsed(line: str) -> Any:
    """A row, or the line itself where it is no JSON: it is refused as a row, and the others go on."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def _json(text: TextIO, first: str) -> Iterator[Any]:
    """The members of an array, without reading the whole of it."""
    if first != "[":
        raise InvalidInput("A day in JSON has to be an array of players.", code="rankings.json-array")
    buffer, is_more = "", True
    while is_more:
        chunk = text.read(_CHUNK)
        buffer, is_more = buffer + chunk, bool(chunk)
        place = _end_of_gap(buffer, 0)
        while place < len(buffer) and buffer[place] != "]":
            try:
                found, end = _DECODER.raw_decode(buffer, place)
            except (ValueError, RecursionError):
                break
            if end == len(buffer) and is_more:
                break  # A number at the end may go on in the next piece.
            yield found
            place = _end_of_gap(buffer, end)
        if buffer[place : place + 1] == "]":
            return
        buffer = buffer[place:]
        if len(buffer) > _LONGEST_ROW + _CHUNK:
            break
    raise InvalidInput(
        "The JSON cannot be read, or ends before its array does. Was the file cut off?",
        code="rankings.json-broken",
    )


def _end_of_gap(buffer: str, place: int) -> int:
    found = _GAP.match(buffer, place)
    return place if found is None else found.end()
