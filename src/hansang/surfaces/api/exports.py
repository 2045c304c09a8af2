"""Everything that a question answers, as a file: JSON Lines for programs, CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import chain, islice
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from hansang.design.entity import Model
from hansang.design.marks import Role
from hansang.surfaces.api.parameters import Format
from hansang.surfaces.api.unreadable import Read, json_lines_of, rows_of
from hansang.surfaces.api.writing import exact, form, item_writer
from hansang.surfaces.naming import Naming

MEDIA_TYPES: dict[Format, str] = {
    "json": "application/json",
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8",
}
_ACCEPTED: dict[str, Format] = {
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "text/csv": "csv",
}
_CHUNK = 64 * 1024
# Excel takes UTF-8 for what it is only when the file begins with this.
_MARK = "\ufeff"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")

Columns = tuple[str, ...]
T = TypeVar("T")


def chosen(said: Format | None, accept: str) -> Format:
    """The form that a request asks for: what its address says, else the first that Accept names."""
    if said is not None:
        return said
    named = (each.partition(";")[0].strip().lower() for each in accept.split(","))
    return next((_ACCEPTED[each] for each in named if each in _ACCEPTED), "json")


def export(
    answers: Iterable[Read[Any]],
    kinds: tuple[type[Model], ...],
    wanted: Format,
    name: str,
    naming: Naming,
    role: Role | None = None,
) -> StreamingResponse:
    """The answers as a file, sent as they are read, with what somebody with this role sees."""
    if wanted == "csv":
        return attached(csv_lines(rows_of(answers, naming), kinds, role), wanted, name)
    return attached(json_lines_of(answers, item_writer(kinds, role), naming), wanted, name)


def attached(lines: Iterator[bytes], wanted: Format, name: str) -> StreamingResponse:
    """A file to be saved; what is wrong with the question is found out before the answer begins.

    What is met later ends the connection, so that the file is seen to be cut off.
    """
    pieces = chunks(lines)
    begun = chain(list(islice(pieces, 1)), pieces)
    headers = {"Content-Disposition": f'attachment; filename="{name}.{wanted}"'}
    return StreamingResponse(begun, headers=headers, media_type=MEDIA_TYPES[wanted])


def chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines in larger pieces, because each piece is a step between threads."""
    waiting = bytearray()
    for line in lines:
        waiting += line
        if len(waiting) >= _CHUNK:
            yield bytes(waiting)
            waiting.clear()
    if waiting:
        yield bytes(waiting)


def model_lines(
    answers: Iterable[Read[T]],
    show: Callable[[T], BaseModel],
    kind: type[BaseModel],
    wanted: Format,
    naming: Naming,
) -> Iterator[bytes]:
    """Answers, each shown as one model, in the form that is wanted."""
    if wanted == "csv":
        rows = (show(each).model_dump(mode="json") for each in rows_of(answers, naming))
        return table_lines(tuple(kind.model_fields), rows)
    return json_lines_of(answers, lambda each: show(each).model_dump_json().encode(), naming)


# ── CSV ───────────────────────────────────────────────────────────────────────────────────────────


def csv_lines(
    entities: Iterable[Any], kinds: tuple[type[Model], ...], role: Role | None = None
) -> Iterator[bytes]:
    """A heading, and one line an entity; with several kinds, the first column says which it is."""
    names = dict.fromkeys(name for kind in kinds for name in form(kind, role).names)
    named = ("kind",) if len(kinds) > 1 else ()
    return table_lines((*named, *names), (_values(each, role) for each in entities))


def table_lines(columns: Columns, rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Rows by their columns, as CSV of RFC 4180 in UTF-8."""
    yield (_MARK + _line(columns)).encode()
    for row in rows:
        yield _line([cell(row.get(name)) for name in columns]).encode()


def _values(entity: Any, role: Role | None) -> dict[str, Any]:
    kind = entity.__class__
    return {"kind": kind.__name__, **form(kind, role).values(entity)}


def _line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()


def cell(value: Any) -> str:
    """A value as it stands in a spreadsheet; text that would be taken for a formula gets a quote before it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(value)
    return orjson.dumps(exact(value)).decode()
