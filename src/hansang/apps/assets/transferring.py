"""Transferring a household: every item as a line of JSON, and the same household made of them elsewhere."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from hansang.apps.assets.books import chain_start, expect_near
from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import AssetManager, Balances, Book, BookKey, Entry, Totals
from hansang.apps.assets.house_rules import Counting
from hansang.apps.assets.kinds import month_of_entry, parts_of
from hansang.apps.assets.plans import Household
from hansang.apps.assets.totals import sums, totals_of
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
        found, refused = _read(numbered)
        book, items = _book_of(found, book), _with_totals(found)
        if not dry_run:
            for start in range(0, len(items), _AT_ONCE):
                self._database.batch_write(items[start : start + _AT_ONCE])
            self._database.put(book)
            self._codes.drop()
            self._counting.drop()
            self._cascade.go_on(None)
        return Transferred(len(found), refused)


def _read(numbered: Iterable[tuple[int, str]]) -> tuple[list[Entity], list[RefusedLine]]:
    found, refused = list[Entity](), list[RefusedLine]()
    for number, line in numbered:
        try:
            if line.strip():
                found.append(_entity(line))
        except (HansangError, ValidationError, ValueError) as reason:
            refused.append(RefusedLine(number, str(reason).partition("\n")[0][:200]))
    return found, refused


def _with_totals(found: Sequence[Entity]) -> list[Entity]:
    """The items, with totals that are what the entries add up to, whatever the lines say."""
    entries: dict[str, dict[object, Entry]] = {}
    for each in found:
        if isinstance(each, Entry):
            entries.setdefault(month_of_entry(each), {})[(type(each), parts_of(each))] = each
    stored = {each.year_month: each for each in found if isinstance(each, Totals)}
    totals = [
        _totals(month, entries.get(month, {}).values(), stored.get(month))
        for month in sorted({*entries, *stored})
    ]
    return [*(each for each in found if not isinstance(each, Totals)), *totals]


def _totals(month: str, entries: Collection[Entry], stored: Totals | None) -> Totals:
    return totals_of(month, entries) if stored is None else stored.model_copy(update=sums(entries))


def _book_of(found: Sequence[Entity], book: Book) -> Book:
    """The book of the months that there are, all of whose balances are to be worked out."""
    known = [month_of_entry(each) for each in found if isinstance(each, Entry)]
    known += [each.year_month for each in found if isinstance(each, Totals)]
    given = {each.year_month for each in found if isinstance(each, Balances)}
    first, last = min(known, default=None), max(known, default=None)
    is_open = book.opening in given and (first is None or str(book.opening) < first)
    made = book.model_copy(
        update={"first": first, "last": last, "opening": book.opening if is_open else None}
    )
    for month in filter(None, (first, last)):
        expect_near(made, month)
    return made.model_copy(update={"wrong_since": chain_start(made) if last else None})


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
