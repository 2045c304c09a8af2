"""Items from the files of an import: lines of DynamoDB JSON, or CSV, plain or compressed."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import orjson

Candidate = dict[str, Any] | None
"""An item as it was read; None for a line that has none."""


class ImportFormat:
    """How the files of an import are to be read."""

    def __init__(self, request: Mapping[str, Any], kinds: Mapping[str, str]) -> None:
        options = (request.get("InputFormatOptions") or {}).get("Csv") or {}
        self._is_csv = request["InputFormat"] == "CSV"
        self._is_gzip = request.get("InputCompressionType") == "GZIP"
        self._delimiter: str = options.get("Delimiter") or ","
        self._header: Sequence[str] | None = options.get("HeaderList")
        self._kinds = kinds

    def items(self, path: Path) -> Iterator[Candidate]:
        """What the lines of a file hold; one that is not compressed as it was said to be holds nothing."""
        with self._opened(path) as lines:
            try:
                yield from self._rows(lines) if self._is_csv else map(_document, lines)
            except (OSError, EOFError, UnicodeDecodeError, csv.Error):
                yield None

    @contextmanager
    def _opened(self, path: Path) -> Iterator[IO[bytes]]:
        with path.open("rb") as file:
            yield cast(IO[bytes], gzip.GzipFile(fileobj=file)) if self._is_gzip else file

    def _rows(self, file: IO[bytes]) -> Iterator[Candidate]:
        with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
            rows = csv.reader(text, delimiter=self._delimiter)
            header = self._header or next(rows, [])
            for row in rows:
                yield self._item(header, row) if len(row) == len(header) else None

    def _item(self, header: Sequence[str], row: Sequence[str]) -> Candidate:
        """Only keys have types in CSV; all else is text, and what is empty is not there."""
        return {
            name: {self._kinds.get(name, "S"): text} for name, text in zip(header, row, strict=True) if text
        }


def _document(line: bytes) -> Candidate:
    try:
        document = orjson.loads(line)
    except ValueError:
        return None
    item = document.get("Item") if isinstance(document, dict) else None
    return item if isinstance(item, dict) else None
