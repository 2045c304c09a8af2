"""What the texts of a form mean: values, or what is wrong with them."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any

from hansang.blueprint.explorer import json_texts
from hansang.blueprint.explorer.forms import KEY, VALUE, Fault, FieldKind, FormField, part_name, rows_in

Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Filled:
    """The values of a form, and what is wrong with it, by field; a field of a row is called `entries.0.date`."""

    values: dict[str, Any]
    faults: dict[str, Fault]
    rows: dict[str, list[str]] = field(default_factory=dict)
    """Which rows of the form the members of a list are, by field; rows that are left empty are none."""


def fill(fields: Iterable[FormField], texts: Texts, zone: tzinfo = UTC) -> Filled:
    """The values of the texts; a field that is left empty and has a default is left out."""
    filled = Filled({}, {})
    for each in fields:
        text = texts.get(each.name, "").replace("\r\n", "\n")
        if each.kind in ("rows", "map") and not text:
            _fill_rows(each, texts, zone, filled)
        elif text.strip() or (text and not each.is_needed) or each.may_be_empty:
            try:
                filled.values[each.name] = _read(each, text, texts, zone)
            except (ValueError, KeyError, InvalidOperation):
                code = "json" if each.kind in ("either", "rows", "map") else each.kind
                filled.faults[each.name] = Fault(code)
        elif each.is_needed:
            if each.kind == "lines":
                filled.values[each.name] = []
            else:
                filled.faults[each.name] = Fault("needed")
    return filled


def _fill_rows(each: FormField, texts: Texts, zone: tzinfo, filled: Filled) -> None:
    members: list[dict[str, Any]] = []
    rows = filled.rows.setdefault(each.name, [])
    for row in rows_in(each.name, texts):
        own = {part.name: texts.get(part_name(each.name, row, part.name), "") for part in each.parts}
        if not any(text.strip() for text in own.values()):
            continue
        inner = fill(each.parts, own, zone)
        filled.faults.update({part_name(each.name, row, name): fault for name, fault in inner.faults.items()})
        members.append(inner.values)
        rows.append(row)
    if not members and not each.is_needed:
        return
    if any(name.startswith(f"{each.name}.") for name in filled.faults):
        return
    filled.values[each.name] = members if each.kind == "rows" else _mapped(each, members, filled)


def _mapped(each: FormField, members: list[dict[str, Any]], filled: Filled) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row, member in zip(filled.rows[each.name], members, strict=True):
        if member[KEY] in found:
            filled.faults[part_name(each.name, row, KEY)] = Fault("twice")
        found[member[KEY]] = member.get(VALUE)
    return found


def _read(each: FormField, text: str, texts: Texts, zone: tzinfo) -> Any:
    if each.kind == "choice":
        return each.choices[text]
    if each.kind == "either":
        return json_texts.read(text) if texts.get(each.form_name) == "json" else text
    if each.kind == "moment":
        return _moment(text.strip(), zone)
    return _READERS[each.kind](text if each.kind == "text" else text.strip())


def _decimal(text: str) -> Decimal:
    number = Decimal(text.replace(",", ""))
    if not number.is_finite():
        raise ValueError(text)
    return number


def _moment(text: str, zone: tzinfo) -> datetime:
    """A moment; without a zone it is one of whoever filled it in."""
    found = datetime.fromisoformat(text)
    return (found.replace(tzinfo=zone) if found.tzinfo is None else found).astimezone(UTC)


def moment_text(moment: datetime, zone: tzinfo) -> str:
    """A moment as people write it where they are; with its offset where the clock shows the hour twice."""
    local = moment.astimezone(zone)
    is_twice = local.replace(fold=1 - local.fold).utcoffset() != local.utcoffset()
    short = "minutes" if not local.second and not local.microsecond else "auto"
    return (local if is_twice else local.replace(tzinfo=None)).isoformat(" ", short)


def _lines(text: str) -> list[str]:
    if text.startswith("["):
        found = json_texts.read(text)
        if isinstance(found, list):
            return found
    return [line.strip() for line in text.split("\n") if line.strip()]


_READERS: dict[FieldKind, Callable[[str], Any]] = {
    "text": str,
    "whole": lambda text: int(text.replace(",", "")),
    "decimal": _decimal,
    "day": date.fromisoformat,
    "binary": lambda text: binascii.a2b_base64(text, strict_mode=True),
    "json": json_texts.read,
    "rows": json_texts.read,
    "map": json_texts.read,
    "lines": _lines,
}
