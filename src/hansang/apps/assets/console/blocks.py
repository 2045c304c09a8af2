"""A block of cells from Excel, laid upon the grid of a month: by its names, or from the chosen cell on."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.console.grid import Grid, GridCell, GridRow
from hansang.apps.assets.entering import Place
from hansang.apps.assets.kinds import KINDS
from hansang.apps.assets.pasting import MOST_CELLS
from hansang.apps.assets.sharing import Share
from hansang.design.normalize import normalize_nfc
from hansang.errors import InvalidInput

BlockState = Literal["new", "changed", "same", "unknown", "unreadable", "meanwhile", "left"]
_NOTHING = ("", "-", "–")
_LONGEST_NAME = 50


@dataclass(frozen=True, slots=True)
class BlockCell:
    """One cell of a block, and what would become of it."""

    name: str
    by: str | None
    text: str
    state: BlockState
    row: GridRow | None = None
    cell: GridCell | None = None
    amount: int | None = None

    @property
    def share(self) -> Share:
        """What is to be written."""
        assert self.row is not None
        assert self.cell is not None
        is_income = self.row.kind == "income"
        return Share(
            Place(KINDS[self.row.kind], self.cell.parts),
            None if is_income else self.cell.by,
            self.amount,
            self.cell.amount or 0,
        )

    @property
    def key(self) -> str:
        """Which cell of the grid; empty for none."""
        return "" if self.row is None or self.cell is None else f"{self.row.key}/{self.cell.by or ''}"


@dataclass(frozen=True, slots=True)
class Block:
    """A block as it was read."""

    cells: list[BlockCell]

    @property
    def wanted(self) -> list[BlockCell]:
        """The cells that change something; where one is there twice, the last."""
        found = {
            (each.row.key, each.cell.by): each
            for each in self.cells
            if each.state in ("new", "changed") and each.row is not None and each.cell is not None
        }
        return list(found.values())

    @property
    def seen(self) -> dict[str, int | None]:
        """What the cells of the grid have that would be written, to be given when they are."""
        return {each.key: each.cell.amount for each in self.cells if each.cell is not None}

    @property
    def meanwhile(self) -> list[BlockCell]:
        """The cells that somebody has changed since they were looked at."""
        return [each for each in self.cells if each.state == "meanwhile"]

    def since(self, seen: Mapping[str, str], kept: Container[str]) -> Block:
        """The block with the cells to be decided that do not have what was seen; those that are `kept` stay."""
        return Block([_since(each, seen, kept) for each in self.cells])

    @property
    def unknown(self) -> list[str]:
        """Names that no row has."""
        return list(dict.fromkeys(each.name for each in self.cells if each.state == "unknown"))


def read_block(grid: Grid, text: str, at: str = "", column: int | None = None) -> Block:
    """A block against a grid; nothing is written. Without names it is laid from row `at` and the column on."""
    rows = [line.split("\t") for line in normalize_nfc(text).replace("\r\n", "\n").strip("\n").split("\n")]
    if sum(map(len, rows)) > MOST_CELLS:
        raise InvalidInput(
            "A block has up to {most} cells.", code="assets.block-too-large", values={"most": MOST_CELLS}
        )
    first = len(grid.people) if column is None else column
    heads = _heads(grid, rows[0])
    if heads:
        rows = rows[1:]
    if any(row[0].strip() and not _is_amount(row[0]) for row in rows):
        return Block([each for row in rows for each in _named(grid, row, heads, first)])
    columns = heads or list(range(first, len(grid.columns)))
    every = [row for kind in grid.kinds for row in kind.rows]
    start = next((place for place, row in enumerate(every) if row.key == at), 0)
    pairs = zip(every[start:], rows, strict=False)
    return Block([each for target, row in pairs for each in _laid(target, row, columns)])


def _heads(grid: Grid, row: list[str]) -> list[int]:
    """The columns that the first row names: people, or what they pay together."""
    names = [cell.strip() for cell in row]
    places = [grid.people.index(name) for name in names if name in grid.people]
    return places if places and not any(_is_amount(name) for name in names if name) else []


def _named(grid: Grid, row: list[str], heads: list[int], first: int) -> list[BlockCell]:
    name = row[0].strip()[:_LONGEST_NAME]
    target = _row_called(grid, name)
    columns = heads or (list(range(first, len(grid.columns))) if first < len(grid.people) else [first])
    if target is None:
        return [
            BlockCell(name, None, text.strip(), "unknown") for text in row[1:] if text.strip() not in _NOTHING
        ]
    if target.cells[columns[0]].is_off:
        columns = list(range(len(grid.columns)))
    return _laid(target, row[1:], columns)


def _row_called(grid: Grid, name: str) -> GridRow | None:
    rows = [row for kind in grid.kinds for row in kind.rows]
    return next((row for row in rows if row.code == name and not row.use), None)


def _laid(target: GridRow, texts: list[str], columns: list[int]) -> list[BlockCell]:
    return [
        _read(target, target.cells[place], text.strip())
        for place, text in zip(columns, texts, strict=False)
        if text.strip() not in _NOTHING and not target.cells[place].is_off
    ]


def _read(row: GridRow, cell: GridCell, text: str) -> BlockCell:
    try:
        amount = read_amount(text)
    except InvalidInput:
        return BlockCell(row.code, cell.by, text, "unreadable", row, cell)
    state: BlockState = "new" if cell.amount is None else "same" if cell.amount == amount else "changed"
    return BlockCell(row.code, cell.by, text, "unreadable" if amount < 0 else state, row, cell, amount)


def _since(cell: BlockCell, seen: Mapping[str, str], kept: Container[str]) -> BlockCell:
    if cell.cell is None or cell.state not in ("new", "changed"):
        return cell
    if cell.key in kept:
        return replace(cell, state="left")
    now = str(cell.cell.amount)
    return cell if seen.get(cell.key, now) == now else replace(cell, state="meanwhile")


def _is_amount(text: str) -> bool:
    if text.strip() in _NOTHING:
        return True
    try:
        read_amount(text)
    except InvalidInput:
        return text.strip()[:1].isdigit()
    return True
