"""Lists of links as files: JSON, JSON Lines and CSV, read a line at a time however long they are."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal, Protocol

from hansang.apps.news.reasons import Reason, reason
from hansang.errors import InvalidInput

Form = Literal["json", "jsonl", "csv"]
FORMS: tuple[Form, ...] = ("json", "jsonl", "csv")

_CHUNK = 64 * 1024
_LONGEST_ITEM = 4 * 1024 * 1024
_DECODER = json.JSONDecoder()
_BETWEEN_TICKERS = str.maketrans(";|,", "   ")
_BETWEEN_CELLS = (",", ";", "\t", "|")
_OWN_COLUMNS = {"pk", "uploaded_at_utc_ms"}
"""The columns by which a CSV is known for an export of ours."""
_MARKED = re.compile(r"''*[=+\-@\t\r\n]").match
"""Text that an export has put a quote before, since a spreadsheet would take it for a formula."""
_TOO_LONG = "\0too long\0"
_MOST_NAMED = 10


class ListFile(Protocol):
    """Where the characters of a list come from."""

    def read(self, size: int, /) -> str:
        """The next characters, about so many; none at the end."""


def _behind(pattern: str) -> Callable[[str, int], int]:
    """A function that says where the characters of a pattern end, from a place on."""
    match = re.compile(pattern).match

    def end(text: str, place: int) -> int:
        found = match(text, place)
        assert found is not None
        return found.end()

    return end


_SPACE, _GAP = _behind(r"\s*"), _behind(r"[\s,]*")


class UnreadableLine:
    """A line that is not even JSON; it is reported as invalid, and the others go on."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason


def form_of(name: str, media_type: str = "") -> Form | None:
    """The form of a file, told by its name or its media type."""
    media = media_type.partition(";")[0].strip().lower()
    known: dict[str, Form] = {
        "application/json": "json",
        "application/x-ndjson": "jsonl",
        "application/jsonl": "jsonl",
        "text/csv": "csv",
        "text/tab-separated-values": "csv",
    }
    ending = name.rpartition(".")[2].lower()
    endings: dict[str, Form] = {
        "json": "json",
        "jsonl": "jsonl",
        "ndjson": "jsonl",
        "csv": "csv",
        "tsv": "csv",
    }
    return known.get(media) or endings.get(ending)


def read_links(file: ListFile, form: Form | None = None) -> Iterator[Any]:
    """The lines of a list, each as it was given; without a form, the first character tells it."""
    head = file.read(_CHUNK)
    wanted = form or _guessed(head)
    readers: dict[Form, Callable[[Iterator[str]], Iterator[Any]]] = {
        "json": _read_json,
        "jsonl": _read_json_lines,
        "csv": _read_csv,
    }
    return readers[wanted](_chunks(head.removeprefix("\ufeff"), file))


def _guessed(head: str) -> Form:
    first = head.lstrip("\ufeff \t\r\n")[:1]
    return "json" if first == "[" else "jsonl" if first in ("{", "") else "csv"


def _chunks(head: str, file: ListFile) -> Iterator[str]:
    chunk = head
    while chunk:
        yield chunk
        chunk = file.read(_CHUNK)


def _lines(chunks: Iterable[str]) -> Iterator[str]:
    """The lines of a text; in place of one that is too long stands a mark, and nothing of it is kept."""
    begun: list[str] = []
    length = 0
    for chunk in chunks:
        first, *others = chunk.split("\n")
        length += len(first)
        begun = [_TOO_LONG] if length > _LONGEST_ITEM else [*begun, first]
        if others:
            yield "".join(begun)
            yield from others[:-1]
            begun, length = [others[-1]], len(others[-1])
    if length:
        yield "".join(begun)


def _read_json_lines(chunks: Iterator[str]) -> Iterator[Any]:
    for line in _lines(chunks):
        if line.strip():
            yield _parsed(line)


def _too_long() -> UnreadableLine:
    return UnreadableLine(
        reason(
            "The line is longer than {most} MB. Is it one object a line?",
            code="news.long-line",
            values={"most": _LONGEST_ITEM // 1024**2},
        )
    )


def _parsed(line: str) -> Any:
    if line == _TOO_LONG:
        return _too_long()
    try:
        return json.loads(line)
    except json.JSONDecodeError as fault:
        values = {"column": fault.colno, "reason": fault.msg}
        text = "The line is not valid JSON at character {column}: {reason}."
        return UnreadableLine(reason(text, code="news.line-not-json-at", values=values))
    except (ValueError, RecursionError) as fault:
        values = {"reason": _said(fault)}
        return UnreadableLine(
            reason("The line is not valid JSON: {reason}.", code="news.line-not-json", values=values)
        )


def _read_json(chunks: Iterator[str]) -> Iterator[Any]:
    """The members of an array, without reading the whole of it."""
    buffer, place, begun = "", 0, False
    # A member that is not whole yet is tried again at twice its length, so that all tries together stay linear.
    while piece := "".join(_at_least(len(buffer) - place, chunks)):
        buffer, place = buffer[place:] + piece, 0
        if not begun:
            place = _after_bracket(buffer)
            begun = place > 0
        if begun:
            for found, end in _members(buffer, place):
                yield found
                place = end
            place = _GAP(buffer, place)
            if _is_over(buffer, place):
                _expect_nothing(buffer, place, chunks)
                return
    raise InvalidInput(
        "The JSON of the list ends before its array does. {hint}",
        code="news.json-ends",
        values={"hint": _cut_off(buffer, place)},
    )


def _at_least(wanted: int, chunks: Iterator[str]) -> Iterator[str]:
    """The next chunks, as many as have so many characters."""
    for chunk in chunks:
        yield chunk
        wanted -= len(chunk)
        if wanted <= 0:
            return


def _is_over(buffer: str, place: int) -> bool:
    return buffer[_GAP(buffer, place) :][:1] == "]"


def _expect_nothing(buffer: str, place: int, chunks: Iterator[str]) -> None:
    """Refuse what comes behind the array, since nobody would know that it was left out."""
    rest = buffer[_GAP(buffer, place) + 1 :]
    if rest.strip() or any(chunk.strip() for chunk in chunks):
        raise InvalidInput(
            "Behind the array of the list there is more. Put all links into one array.", code="news.json-more"
        )


def _said(fault: Exception) -> str:
    """What is wrong with a text, without the words of the language that this is written in."""
    if isinstance(fault, RecursionError):
        return "It is nested too deeply"
    return str(fault) if isinstance(fault, json.JSONDecodeError) else "A number in it is too long"


def _cut_off(buffer: str, place: int) -> str:
    """Why it does not go on, as far as that can be told."""
    try:
        _DECODER.raw_decode(buffer, _GAP(buffer, place))
    except (ValueError, RecursionError) as fault:
        if buffer[place:].strip(", \t\r\n"):
            return f"Was the file cut off, or is it not JSON? {_said(fault)}."
    return "Was the file cut off?"


def _after_bracket(buffer: str) -> int:
    """Behind the bracket that opens the array; 0 when it has not come yet."""
    start = _SPACE(buffer, 0)
    if buffer[start : start + 1] not in ("", "["):
        raise InvalidInput(
            'A list in JSON has to be an array: [{"title": …, "url": …}, …].', code="news.json-array"
        )
    return start + 1 if start < len(buffer) else 0


def _members(buffer: str, place: int) -> Iterator[tuple[Any, int]]:
    """The members that are whole, each with where it ends."""
    while True:
        place = _GAP(buffer, place)
        if buffer[place : place + 1] in ("", "]"):
            return
        try:
            found, end = _DECODER.raw_decode(buffer, place)
        except (ValueError, RecursionError) as fault:
            _expect_more(len(buffer) - place, _said(fault))
            return
        after = _SPACE(buffer, end)
        if buffer[after : after + 1] not in (",", "]"):
            _expect_more(len(buffer) - place, "no comma behind a member")
            return  # What follows is still to come, and may belong to it.
        yield found, end
        place = end


def _expect_more(length: int, why: object) -> None:
    """Refuse a member that should have been whole by now."""
    if length > _LONGEST_ITEM:
        raise InvalidInput(
            "The JSON of the list cannot be read: {reason}.", code="news.json-broken", values={"reason": why}
        )


def _read_csv(chunks: Iterator[str]) -> Iterator[Any]:
    csv.field_size_limit(_LONGEST_ITEM)
    lines = _lines(chunks)
    heading = next(lines, "")
    columns, between = _columns(heading)
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=between)
    try:
        yield from _rows(reader, columns)
    except csv.Error as fault:
        raise InvalidInput(
            "The CSV cannot be read at line {line}: {reason}.",
            code="news.csv-line",
            values={"line": reader.line_num + 1, "reason": fault},
        ) from fault


def _columns(heading: str) -> tuple[dict[str, int], str]:
    """Which column is where, and what stands between them; capitals and spaces around a name do not matter."""
    found: list[str] = []
    for between in _BETWEEN_CELLS:
        try:
            cells = next(csv.reader([heading], delimiter=between), [])
        except csv.Error as fault:
            raise InvalidInput(
                "The CSV cannot be read at line {line}: {reason}.",
                code="news.csv-line",
                values={"line": 1, "reason": fault},
            ) from fault
        names = [each.strip().casefold() for each in cells]
        if {"title", "url"} <= set(names):
            return {name: place for place, name in enumerate(names)}, between
        found = names if len(names) > len(found) else found
    raise InvalidInput(
        "The first line of the CSV has to name its columns: title,url,tickers. It names: {found}.",
        code="news.csv-columns",
        values={"found": ", ".join(each[:40] for each in found[:_MOST_NAMED] if each) or "–"},
    )


def _rows(reader: Iterator[list[str]], columns: Mapping[str, int]) -> Iterator[Any]:
    # By place and not as a dictionary of all columns: a short line below a million columns costs no more than itself.
    title, url, tickers = (columns.get(name, -1) for name in ("title", "url", "tickers"))
    as_written = _unmarked if columns.keys() >= _OWN_COLUMNS else _as_it_is
    for row in filter(None, reader):
        if _TOO_LONG in row:
            yield _too_long()
            continue
        yield {
            "title": as_written(_cell(row, title)),
            "url": as_written(_cell(row, url)),
            "tickers": _tickers(_cell(row, tickers) or ""),
        }


def _tickers(given: str) -> list[str]:
    """The tickers of a cell: a list in JSON, as an export has them, or names with something between them."""
    if given.startswith("["):
        with suppress(ValueError, RecursionError):
            found = json.loads(given)
            if isinstance(found, list) and all(isinstance(each, str) for each in found):
                return found
    return given.translate(_BETWEEN_TICKERS).split()


def _as_it_is(text: str | None) -> str | None:
    return text


def _unmarked(text: str | None) -> str | None:
    return text[1:] if text and _MARKED(text) else text


def _cell(row: list[str], place: int) -> str | None:
    return row[place] if 0 <= place < len(row) else None
