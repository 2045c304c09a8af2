"""The formats in which a whole list is a file. This is the one place that knows them: a new one is added here.

The API streams them and names them in its reference, the console links to them. Beside this file a new format
needs its line in `surfaces/api/korean.toml` and a word in `docs/api.md`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import orjson

from hansang.parts.words import Words
from hansang.surfaces.http.exact_json import exact

# Excel takes UTF-8 for what it is only when the file begins with this.
_MARK = "\ufeff"
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]").match
"""What a spreadsheet takes for a formula; and the same behind quotes, so that the first one is always ours."""


@dataclass(frozen=True, slots=True)
class ExportRows:
    """What is to be written, in the two ways in which a format may want it; each is read as it is written."""

    columns: tuple[str, ...]
    records: Callable[[], Iterable[dict[str, Any]]]
    """The values of each answer by column; an item that cannot be read ends them with a problem."""
    documents: Callable[[], Iterable[bytes]]
    """Each answer as JSON, and each item that cannot be read as well."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One format: its name in an address, how it is called, and how it is written."""

    name: str
    """It is also the end of the file's name."""
    title: Words
    media_type: str
    write: Callable[[ExportRows], Iterator[bytes]]
    aliases: tuple[str, ...] = ()
    """Other media types by which the header Accept asks for it."""
    heading_lines: int = 0
    """How many lines come before the first answer."""
    has_unreadable: bool = False
    """Whether items that cannot be read have a place in it."""

    @property
    def bare_type(self) -> str:
        """The media type without its parameters."""
        return self.media_type.partition(";")[0]

    @property
    def accepted(self) -> tuple[str, ...]:
        """The media types by which the header Accept asks for it."""
        return self.bare_type, *self.aliases


# ── JSON Lines ────────────────────────────────────────────────────────────────────────────────────


def write_json_lines(rows: ExportRows) -> Iterator[bytes]:
    """One JSON document a line."""
    return (each + b"\n" for each in rows.documents())


# ── CSV ───────────────────────────────────────────────────────────────────────────────────────────


def write_csv(rows: ExportRows) -> Iterator[bytes]:
    """A heading, and one line an answer: CSV of RFC 4180 in UTF-8."""
    yield (_MARK + _line(rows.columns)).encode()
    for record in rows.records():
        yield _line([cell(record.get(name)) for name in rows.columns]).encode()


def _line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()


def cell(value: Any) -> str:
    """A value as it stands in a spreadsheet; text that would be taken for a formula gets a quote before it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if _FORMULA(value) else value
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(value)
    return orjson.dumps(exact(value)).decode()


_ALL = (
    ExportFormat(
        "jsonl",
        Words("JSON Lines", "JSON Lines"),
        "application/jsonl",
        write_json_lines,
        aliases=("application/x-ndjson",),
        has_unreadable=True,
    ),
    ExportFormat("csv", Words("CSV", "CSV"), "text/csv; charset=utf-8", write_csv, heading_lines=1),
)
FORMATS = {each.name: each for each in _ALL}
"""Every format, by its name."""
