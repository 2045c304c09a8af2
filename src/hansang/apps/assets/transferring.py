"""Transferring a household: every item as a line of JSON, and the same household made of them elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from hansang.apps.assets.books import chain_start
from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import AssetManager, Book, BookKey
from hansang.apps.assets.house_rules import Counting
from hansang.apps.assets.plans import Household
from hansang.design import Database, Entity
from hansang.design.kinds import recognised
from hansang.errors import Conflict, HansangError, InvalidInput

FORM = "hansang-assets"
_OUTSIDE = ("Book", "Household")
"""What is of the server rather than of one household, or comes with the first line."""
LONGEST_LINE = 1_000_000
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that could not be taken, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Transferred:
    """What came of an import: how many items, and the lines that were refused."""

    items: int
    refused: list[RefusedLine]


class Transferring:
    """Exports a household, and imports one into tables that have none."""

    def __init__(self, database: Database, cascade: Cascade, codes: CodeLists, counting: Counting) -> None:
        self._database, self._cascade = database, cascade
        self._codes, self._counting = codes, counting

    def export(self) -> Iterator[str]:
        """Every item as a line; the first one has the book."""
        book = self._database.find(BookKey(), consistent=True) or Book()
        yield _line({"form": FORM, "book": book.model_dump(mode="json", exclude={"version"})})
        for entity in self._entities():
            if not isinstance(entity, Book | Household):
                yield _line(
                    {"entity": type(entity).__name__, **entity.model_dump(mode="json", exclude_none=True)}
                )

    def _entities(self) -> Iterator[Entity]:
        request: dict[str, Any] = {"TableName": self._database.name(AssetManager), "ConsistentRead": True}
        start = None
        while True:
            page = self._database.call(
                "Scan", request | ({"ExclusiveStartKey": start} if start else {}), "assets export"
            )
            for item in page["Items"]:
                shape = recognised(AssetManager.shapes, item)
                if shape is not None:
                    yield shape.decode(item)
            start = page.get("LastEvaluatedKey")
            if start is None:
                return

    def restore(self, lines: Iterable[str], *, dry_run: bool = False) -> Transferred:
        """Make the household of such lines, where there is none; broken off, the same lines go on.

        With `dry_run` nothing is written, and the lines that would be refused are told.
        """
        if self._database.find(BookKey(), consistent=True) is not None:
            raise Conflict(
                "There is a household already. Import into an empty data file.", code="assets.household-there"
            )
        numbered = enumerate(lines, 1)
        book = _book(next(numbered, (1, ""))[1])
        waiting: list[Entity] = []
        refused: list[RefusedLine] = []
        count = 0
        for number, line in numbered:
            if not line.strip():
                continue
            try:
                waiting.append(_entity(line))
            except (HansangError, ValidationError, ValueError) as reason:
                refused.append(RefusedLine(number, str(reason).partition("\n")[0][:200]))
            if len(waiting) >= _AT_ONCE:
                count += len(waiting) if dry_run else self._database.batch_write(waiting)
                waiting = []
        count += len(waiting) if dry_run else self._database.batch_write(waiting)
        if dry_run:
            return Transferred(count, refused)
        self._database.put(book.model_copy(update={"wrong_since": chain_start(book) if book.last else None}))
        self._codes.drop()
        self._counting.drop()
        self._cascade.go_on(None)
        return Transferred(count, refused)


def _line(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _book(line: str) -> Book:
    try:
        found = json.loads(line[:LONGEST_LINE])
        return Book.model_validate({FORM: found["book"]}[found["form"]])
    except (ValueError, KeyError, TypeError) as reason:
        raise InvalidInput(
            "This is not an export of a household: its first line has to be that of hansang assets export.",
            code="assets.not-an-export",
        ) from reason


def _entity(line: str) -> Entity:
    if len(line) > LONGEST_LINE:
        raise ValueError("The line is too long.")
    values = json.loads(line)
    name = values.pop("entity", None)
    for shape in AssetManager.shapes:
        if shape.cls.__name__ == name and name not in _OUTSIDE:
            found: Entity = shape.cls.model_validate_json(json.dumps(values))
            return found
    raise ValueError(f"{name} is not a kind of item.")
