"""Functions written for one entity: its key, and what an item of it is in Python.

A page of answers decodes every attribute of every item, so this is where the time goes. Instead of
walking over the fields each time, the walk is done once and written down as Python source, as
dataclasses do it. Whatever is unusual falls back to the walk in `shape.py`, which also says what is
wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from hansang.design.codec import DAY, FLAG, MOMENT, TEXT, WHOLE
from hansang.design.templates import Place, Template

if TYPE_CHECKING:
    from hansang.design.shape import Item, Shape, Slot

_READ_INLINE: dict[Any, str] = {str: "{}", int: "int({})"}
# What a frozen model is made of, set past its own refusal to change.
_SETTERS = {
    "set_fields": BaseModel.__dict__["__dict__"].__set__,
    "set_names": BaseModel.__dict__["__pydantic_fields_set__"].__set__,
    "set_extra": BaseModel.__dict__["__pydantic_extra__"].__set__,
    "set_private": BaseModel.__dict__["__pydantic_private__"].__set__,
}
_INLINE = {
    id(TEXT): "{}['S']",
    id(WHOLE): "int({}['N'])",
    id(FLAG): "{}['BOOL']",
    id(DAY): "day({}['S'])",
    id(MOMENT): "moment({})",
}


def _function(name: str, argument: str, lines: list[str], scope: dict[str, Any]) -> Callable[[Any], Any]:
    source = "\n    ".join([f"def {name}({argument}):", *lines])
    # The source is made of the design's own names, each written by repr; nothing of a request is in it.
    exec(source, scope)  # noqa: S102
    made: Callable[[Any], Any] = scope[name]
    return made


# ── keys ──────────────────────────────────────────────────────────────────────────────────────────


def key_function(
    shape: Shape, slow: Callable[[Mapping[str, Any]], Item]
) -> Callable[[Mapping[str, Any]], Item]:
    """A function from the fields of an entity to the key of its item."""
    scope: dict[str, Any] = {"slow": slow, "date": date}
    lines: list[str] = []
    members = []
    for attribute, template in ((shape.table.pk, shape.pk), (shape.table.sk, shape.sk)):
        if attribute is None or template is None:
            continue
        written = _written(shape, template, lines)
        if written is None:
            return slow
        members.append(f"{attribute!r}: {written}")
    return _function("key", "values", [*lines, f"return {{{', '.join(members)}}}"], scope)


def _written(shape: Shape, template: Template, lines: list[str]) -> str | None:
    """The source of a key attribute's value; `lines` check that the fields are plain."""
    if template.bare is not None and shape.slots[template.bare].codec.kind != "S":
        return None
    pieces = []
    for part in template.parts:
        piece = repr(part) if isinstance(part, str) else _place(shape, template, part, lines)
        if piece is None:
            return None
        pieces.append(piece)
    return f"{{'S': {' + '.join(pieces)}}}"


def _place(shape: Shape, template: Template, place: Place, lines: list[str]) -> str | None:
    variable = f"f_{place.name}"
    kind = shape.slots[place.name].annotation
    if kind is str and not place.format:
        foreign = "".join(f" or {each!r} in {variable}" for each in sorted(template.separators))
        check = f"{variable}.__class__ is not str or not {variable} or not {variable}.isascii(){foreign}"
        written = variable
    elif kind is int and place.width is not None:
        check = f"{variable}.__class__ is not int or not 0 <= {variable} < {10**place.width}"
        written = f"format({variable}, {place.format!r})"
    elif kind is date and not place.format:
        check = f"{variable}.__class__ is not date"
        written = f"{variable}.isoformat()"
    else:
        return None
    lines += [f"{variable} = values[{place.name!r}]", f"if {check}: return slow(values)"]
    return written


# ── items ─────────────────────────────────────────────────────────────────────────────────────────


def decode_function(shape: Shape, slow: Callable[[Item], Any]) -> Callable[[Item], Any]:
    """A function from an item to its entity."""
    scope: dict[str, Any] = {
        "slow": slow,
        "cls": shape.cls,
        "new": object.__new__,
        **_SETTERS,
        "names": set(shape.slots),
        "known": shape.attributes,
        "day": date.fromisoformat,
        "moment": MOMENT.decode,
    }
    fields = [
        f"{slot.name!r}: {_field(shape, slot, scope)}" for slot in shape.slots.values() if slot.attribute
    ]
    lines = [
        "if not item.keys() <= known: return slow(item)",
        "try:",
        f"    values = {{{', '.join(fields)}}}",
    ]
    parts = _key_parts(shape, scope)
    if parts is None:
        return slow
    lines += [f"    {line}" for line in parts]
    lines += [
        "except (KeyError, ValueError, TypeError): return slow(item)",
        "entity = new(cls)",
        "set_fields(entity, values)",
        "set_names(entity, names)",
        "set_extra(entity, None)",
        "set_private(entity, None)",
        "return entity",
    ]
    return _function("decode", "item", lines, scope)


def _field(shape: Shape, slot: Slot, scope: dict[str, Any]) -> str:
    scope[f"d_{slot.name}"] = slot.codec.decode
    inline = _INLINE.get(id(slot.codec), f"d_{slot.name}({{}})")
    has_default = slot.default is not PydanticUndefined or slot.default_factory is not None
    if not slot.optional and not has_default:
        return inline.format(f"item[{slot.attribute!r}]")
    if slot.default is None or not has_default:
        missing = "None"
    else:
        scope[f"m_{slot.name}"] = slot
        scope["shape"] = shape
        missing = f"m_{slot.name}.missing(shape, item)"
    return f"{missing} if (v := item.get({slot.attribute!r})) is None else {inline.format('v')}"


def _key_parts(shape: Shape, scope: dict[str, Any]) -> list[str] | None:
    """Lines that read the fields that stand in the key alone; None if that is not simple."""
    wanted = {slot.name: slot for slot in shape.slots.values() if slot.attribute is None}
    lines: list[str] = []
    for attribute, template in ((shape.table.pk, shape.pk), (shape.table.sk, shape.sk)):
        if template is None or not wanted.keys() & set(template.fields):
            continue
        if template.simple is None:
            return None
        prefix, name = template.simple
        scope[f"r_{name}"] = wanted[name].read
        read = _READ_INLINE.get(wanted[name].annotation, f"r_{name}({{}})").format(f"text[{len(prefix)}:]")
        lines += [
            f"text = item[{attribute!r}]['S']",
            f"if not text.startswith({prefix!r}) or len(text) == {len(prefix)}: return slow(item)",
            f"values[{name!r}] = {read}",
        ]
    return lines
