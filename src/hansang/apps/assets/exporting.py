"""Exporting: a household as a file, whole as JSON Lines, or the entries of a period as a sheet."""

from __future__ import annotations

from typing import Literal, get_args

from hansang.apps.assets.design import MOST_CODES
from hansang.apps.assets.importing import sheet_rows
from hansang.apps.assets.reading import LedgerReading, expect_span
from hansang.apps.assets.rules import months
from hansang.apps.assets.sheets import write_sheet
from hansang.apps.assets.transferring import Transferring

FileForm = Literal["jsonl", "csv", "csv-cp949", "xlsx"]
FILE_FORMS: tuple[FileForm, ...] = get_args(FileForm)
MEDIA_TYPES: dict[FileForm, str] = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "csv-cp949": "text/csv; charset=euc-kr",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class Exporting:
    """Writes files."""

    def __init__(self, reading: LedgerReading, transferring: Transferring) -> None:
        self._reading, self._transferring = reading, transferring

    def content(self, form: FileForm, first: str | None = None, last: str | None = None) -> bytes:
        """The file; a sheet has all months unless some are named."""
        if form == "jsonl":
            return "".join(f"{line}\n" for line in self._transferring.export()).encode()
        book, now = self._reading.book(), self._reading.this_month
        first, last = first or book.first or now, last or book.last or now
        expect_span(first, last, MOST_CODES)
        return write_sheet(sheet_rows(self._reading.each_month(list(months(first, last)))), form)


def file_name(form: FileForm, household: str = "") -> str:
    """What the file is called."""
    end = "csv" if form.startswith("csv") else form
    return f"household{'-' if household else ''}{household}.{end}"
