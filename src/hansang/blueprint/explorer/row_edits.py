"""Rows of a form that are added, removed or moved before anything is stored."""

from __future__ import annotations

from hansang.blueprint.explorer.filling import Texts
from hansang.blueprint.explorer.forms import rows_in

_FRESH = ""
"""A part of a new row; no field has this name, so the row is there and empty."""


def edited_rows(texts: Texts, asked: str) -> dict[str, str]:
    """The texts after what a button asks for: `add:entries`, `remove:entries:2`, `up:entries:2`, `down:entries:2`."""
    verb, _, rest = asked.partition(":")
    name, _, row = rest.partition(":")
    rows = rows_in(name, texts)
    if verb == "add":
        fresh = max((int(each) for each in rows), default=-1) + 1
        return {**texts, f"{name}.{fresh}.{_FRESH}": ""}
    if row not in rows:
        return dict(texts)
    return _ordered(texts, name, _moved(rows, rows.index(row), verb))


def _moved(rows: list[str], at: int, verb: str) -> list[str]:
    found = [*rows]
    row = found.pop(at)
    if verb != "remove":
        found.insert(max(0, at - 1 if verb == "up" else at + 1), row)
    return found


def _ordered(texts: Texts, name: str, rows: list[str]) -> dict[str, str]:
    """The texts with the rows of a field in this order, and without the others."""
    begin = f"{name}."
    found = {key: text for key, text in texts.items() if not key.startswith(begin)}
    for row in rows:
        found |= {key: text for key, text in texts.items() if key.startswith(f"{begin}{row}.")}
    return found
