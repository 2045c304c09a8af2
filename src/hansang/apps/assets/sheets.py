"""Sheets: CSV in UTF-8 or CP949, and Excel, as rows of cells, both ways."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Literal

from hansang.errors import InvalidInput

_LONGEST_CELL = 100_000
SheetForm = Literal["csv", "csv-cp949", "xlsx"]
MOST_ROWS, MOST_COLUMNS, LARGEST_FILE = 20_000, 60, 10_000_000
_LARGEST_UNPACKED = 100_000_000
_ZIP = b"PK\x03\x04"
_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What formulas begin with; of full width they are formulas too in some languages."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""What no workbook can hold."""

Cell = str | int | date | None
Row = Sequence[Cell]


def read_sheet(content: bytes) -> Iterator[list[str]]:
    """The rows of a file, each cell as text: Excel by its first bytes, else CSV in UTF-8 or in Korean Excel's CP949."""
    _expect_size(len(content), LARGEST_FILE)
    rows = _excel(content) if content.startswith(_ZIP) else _csv(content)
    for number, row in enumerate(rows):
        if number >= MOST_ROWS:
            raise InvalidInput(
                "A file has up to {most} rows.",
                code="assets.too-many-rows",
                values={"most": f"{MOST_ROWS:,}"},
            )
        yield row


def _expect_size(size: int, most: int) -> None:
    if size > most:
        raise InvalidInput(
            "A file has up to {most} bytes.", code="assets.file-too-large", values={"most": f"{most:,}"}
        )


def plain_text(cell: str) -> str:
    """A cell as it was before it was made safe."""
    return cell[1:] if cell[:1] == "'" and _is_dangerous(cell[1:]) else cell


def _is_dangerous(cell: str) -> bool:
    """Whether a spreadsheet takes a cell for a formula, or we would take it for one that was made safe."""
    return cell.lstrip("'").startswith(_DANGEROUS)


def _csv(content: bytes) -> Iterator[list[str]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp949", errors="replace")
    first = text.partition("\n")[0]
    delimiter = max(",\t;", key=first.count)
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            yield [_cell(each) for each in row[:MOST_COLUMNS]]
    except csv.Error as reason:
        raise _unreadable(reason) from reason


def _cell(text: str) -> str:
    """What stands in a cell; what another part of the process lets the module read is not left to chance."""
    if len(text) > _LONGEST_CELL:
        raise csv.Error(f"a cell has more than {_LONGEST_CELL:,} characters")
    return text.strip()


def _excel(content: bytes) -> Iterator[list[str]]:
    from openpyxl import load_workbook  # It takes a third of a second, which few commands need.

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            size = sum(each.file_size for each in packed.infolist())
        _expect_size(size, _LARGEST_UNPACKED)
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    except InvalidInput:
        raise
    except Exception as reason:  # openpyxl raises whatever its parser does.
        raise _unreadable(reason) from reason
    try:
        sheet = book.worksheets[0]
        for row in sheet.iter_rows(max_col=MOST_COLUMNS, values_only=True):
            yield [_text(cell) for cell in row]
    finally:
        book.close()


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d}"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _unreadable(reason: Exception) -> InvalidInput:
    return InvalidInput(
        "The file cannot be read as CSV or Excel: {reason}.",
        code="assets.unreadable-sheet",
        values={"reason": str(reason)[:200] or type(reason).__name__},
    )


def write_sheet(rows: Iterable[Row], form: SheetForm) -> bytes:
    """Rows as a file."""
    if form == "xlsx":
        return _workbook(rows)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig" if form == "csv" else "cp949", errors="replace")


def _workbook(rows: Iterable[Row]) -> bytes:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("가계부")
    for row in rows:
        sheet.append([_safe(cell) for cell in row])
    found = io.BytesIO()
    book.save(found)
    return found.getvalue()


def _safe(cell: Cell) -> Cell:
    """A cell that no spreadsheet takes for a formula."""
    if isinstance(cell, str):
        plain = _CONTROL.sub(" ", cell)
        return f"'{plain}" if _is_dangerous(plain) else plain
    return cell.isoformat() if isinstance(cell, date) else cell
