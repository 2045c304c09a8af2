"""Presets: how the columns of a file are called, of Korean banks and cards and as a household has noted them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hansang.apps.assets.entering import Place
from hansang.apps.assets.plans import MOST_NOTED, ImportPreset, ImportPresetKey
from hansang.apps.assets.sheets import plain_text
from hansang.design import Database
from hansang.errors import InvalidInput
from hansang.parts.editing import Editing
from hansang.parts.history import Actor

HEADER: tuple[str, ...] = (
    "month", "kind", "name", "second", "amount", "date", "memo", "by", "tag", "whom"
)  # fmt: skip
"""The columns of our own sheets."""
MEANINGS = ("date", "memo", "out", "in")
"""What a column of a bank's or a card's file can be."""
_HEADER_ROWS = 30
"""How many rows are looked at for the names of columns."""


@dataclass(frozen=True, slots=True)
class Preset:
    """How the columns of a bank's or a card's file are called, the most telling first."""

    name: str
    columns: Mapping[str, Sequence[str]]
    is_card: bool = False

    @property
    def needed(self) -> frozenset[str]:
        """The columns without which it is another file."""
        if self.name == "ledger":
            return frozenset({"month", "kind", "amount"})
        return frozenset({"date", "out"})

    def found_in(self, names: Sequence[str]) -> dict[str, int]:
        """Where each column stands in a row of names."""
        found = {}
        for meaning, choices in self.columns.items():
            name = next((each for each in choices if each in names), None)
            if name is not None:
                found[meaning] = names.index(name)
        return found


PRESETS: tuple[Preset, ...] = (
    Preset("ledger", {each: (each,) for each in HEADER}),
    Preset(
        "card",
        {
            "date": ("이용일자", "이용일시", "이용일", "승인일자", "승인일시", "거래일자", "거래일"),
            "memo": ("이용가맹점", "가맹점명", "가맹점", "이용하신곳", "이용처"),
            "out": ("이용금액(원)", "이용금액", "승인금액", "결제금액", "금액"),
        },
        is_card=True,
    ),
    Preset(
        "bank",
        {
            "date": ("거래일시", "거래일자", "거래일", "일자", "날짜"),
            "memo": ("적요", "거래내용", "내용", "보낸분/받는분", "의뢰인/수취인", "메모"),
            "out": ("출금액(원)", "출금금액", "출금액", "출금(원)", "출금", "찾으신금액"),
            "in": ("입금액(원)", "입금금액", "입금액", "입금(원)", "입금", "맡기신금액"),
        },
    ),
)


@dataclass(frozen=True, slots=True)
class Rules:
    """Where lines go that do not say so themselves: by their number, by a word of their memo, else to one place."""

    words: Mapping[str, Place] = field(default_factory=dict)
    otherwise: Place | None = None
    by: str | None = None
    lines: Mapping[int, Place] = field(default_factory=dict)
    left: frozenset[int] = frozenset()
    """Lines that are not to be entered."""

    def place(self, line: int, memo: str, *, is_income: bool) -> Place | None:
        """The entry of a line; money that came in goes to an income alone, and is nobody's without a rule."""
        folded = memo.casefold()
        found = (each for word, each in self.words.items() if word.casefold() in folded)
        place = self.lines.get(line) or next(found, None if is_income else self.otherwise)
        return place if place is None or (place.kind.name == "income") == is_income else None


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file is laid out: its preset, where each column stands, and the row behind their names."""

    preset: Preset
    places: Mapping[str, int]
    headers: Sequence[str]
    start: int

    def named(self, row: Sequence[str]) -> dict[str, str]:
        """The cells of a row by what they mean."""
        return {name: plain_text(row[place]) for name, place in self.places.items() if place < len(row)}

    @property
    def columns(self) -> dict[str, str]:
        """The names of the columns by what they mean."""
        return {meaning: self.headers[place] for meaning, place in self.places.items()}


class Presets:
    """Recognises files, and notes how a household reads them."""

    def __init__(self, database: Database, editing: Editing) -> None:
        self._database, self._editing = database, editing

    def all(self) -> list[ImportPreset]:
        """What the household has noted."""
        return self._database.all(ImportPreset.all_of_them())

    def remember(self, name: str, layout: Layout, rules: Rules, actor: Actor) -> ImportPreset:
        """Note how a file was read, so that the next one of its kind is read alike."""
        words = list(rules.words.items())[-MOST_NOTED:]
        item = ImportPreset(
            name=name,
            columns=layout.columns,
            is_card=layout.preset.is_card,
            by=rules.by,
            otherwise=None if rules.otherwise is None else rules.otherwise.text,
            words={word: place.text for word, place in words} or None,
        )
        found = self._editing.find(ImportPreset, {"name": name})
        if found is None:
            return self._editing.create(item, actor).subject
        return self._editing.replace(item, found[1], actor).subject

    def forget(self, name: str, actor: Actor) -> None:
        """Drop what was noted under a name."""
        found = self._editing.find(ImportPreset, {"name": name})
        if found is not None:
            self._editing.delete(ImportPresetKey(name=name), found[1], actor)

    def layout(
        self,
        rows: Sequence[tuple[int, list[str]]],
        columns: Mapping[str, str] | None = None,
        *,
        is_card: bool = False,
    ) -> tuple[Layout, Rules | None]:
        """How a file is laid out, and the rules that go with it if the household has noted some."""
        if columns is not None:
            given = Preset("own", {meaning: (name,) for meaning, name in columns.items()}, is_card)
            return _recognised(rows, [given]), None
        noted = self.all()
        own = [Preset(each.name, _choices(each.columns), each.is_card) for each in noted]
        found = _recognised(rows, [*own, *PRESETS])
        kept = next((each for each in noted if each.name == found.preset.name), None)
        return found, None if kept is None else _rules(kept)


def unmapped(rows: Sequence[Sequence[str]]) -> Layout:
    """A file of which nothing is known but the names of its columns: the first row that has most cells."""
    head = max(range(min(len(rows), _HEADER_ROWS)), key=lambda place: len(list(filter(None, rows[place]))))
    return Layout(Preset("own", {}), {}, [re.sub(r"\s", "", cell) for cell in rows[head]], head + 1)


def _choices(columns: Mapping[str, str]) -> dict[str, tuple[str]]:
    return {meaning: (name,) for meaning, name in columns.items()}


def _rules(noted: ImportPreset) -> Rules:
    words = {word: Place.parse(text) for word, text in (noted.words or {}).items()}
    return Rules(words, None if noted.otherwise is None else Place.parse(noted.otherwise), noted.by)


def _recognised(rows: Sequence[tuple[int, list[str]]], presets: Sequence[Preset]) -> Layout:
    """The preset whose columns are named in one of the first rows; one of the household has to have all of its own."""
    for place, (_, row) in enumerate(rows[:_HEADER_ROWS]):
        names = [re.sub(r"\s", "", cell) for cell in row]
        for preset in presets:
            found = preset.found_in(names)
            needed = preset.needed if preset in PRESETS else preset.needed | preset.columns.keys()
            if found.keys() >= needed:
                return Layout(preset, found, names, place + 1)
    raise InvalidInput(
        "The file has no row that names its columns. Give it the columns of hansang assets export, or those of a bank "
        "or a card.",
        code="assets.no-columns",
    )
