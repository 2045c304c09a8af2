"""Functions written for one entity: its key, and what an item of it is in Python.

A page of answers decodes every attribute of every item, so this is where the time goes. Instead of
walking over the fields each time, the walk is done once and written down as Python source, as
dataclasses do it. Whatever is unusual falls back to the walk in `shape.py`, which also says what is
wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from hansang.design.codec import DAY, FLAG, MOMENT, TEXT, WHOLE
from hansang.design.templates import Place, Template
from hansang.design.timestamps import parse_day

if TYPE_CHECKING:
    from hansang.design.shape import Item, Shape
    from hansang.design.slots import Slot

Strange = Callable[["Item", list[Any]], None]
"""Takes an item that is not a plain one of its kind, and adds its entity to the list if it has one."""

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
}


def _function(name: str, arguments: str, lines: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    source = "\n    ".join([f"def {name}({arguments}):", *lines])
    # The source is made of the design's own names, each written by repr; nothing of a request is in it.
    exec(source, scope)  # noqa: S102
    made: Callable[..., Any] = scope[name]
    return made


# ── keys ──────────────────────────────────────────────────────────────────────────────────────────


def key_function(
    shape: Shape, slow: Callable[[Mapping[str, Any]], Item]
) -> Callable[[Mapping[str, Any]], Item]:
    """A function from the fields of an entity to the key of its item."""
    scope: dict[str, Any] = {"slow": slow, "date": date, "narrower": shape.narrower}
    lines: list[str] = ["if narrower: return slow(values)"]
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
        foreign = "".join(f" or {each!r} in {variable}" for each in sorted(template.refused[place.name]))
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
    scope = {**_scope(shape), "slow": slow}
    body, checks, fields = _reading(shape, scope, "return slow(item)")
    lines = [
        "try:",
        *(f"    {line}" for line in [*body, *checks]),
        f"    values = {{{fields}}}",
        "except (KeyError, ValueError, TypeError): return slow(item)",
        *_making(shape),
        "return entity",
    ]
    return _function("decode", "item", lines, scope)


def page_function(shape: Shape) -> Callable[[list[Item], Strange], list[Any]]:
    """A function from many items to their entities; others go to `strange`."""
    scope = _scope(shape)
    body, checks, fields = _reading(shape, scope, "strange(item, found); continue")
    lines = [
        "found = []",
        "add = found.append",
        "for item in items:",
        "    try:",
        *(f"        {line}" for line in [*body, *checks]),
        f"        values = {{{fields}}}",
        "    except (KeyError, ValueError, TypeError): strange(item, found); continue",
        *(f"    {line}" for line in _making(shape)),
        "    add(entity)",
        "return found",
    ]
    # Names as defaults are local, and looked up faster than those around the function.
    local = ", ".join(f"{name}={name}" for name in scope if name.isidentifier() and name != "__builtins__")
    return _function("decode_page", f"items, strange, {local}", lines, scope)


def _scope(shape: Shape) -> dict[str, Any]:
    return {
        "cls": shape.cls,
        "new": object.__new__,
        **_SETTERS,
        "names": set(shape.slots),
        "known": shape.attributes,
        "day": parse_day,
        "iso": datetime.fromisoformat,
    }


def _making(shape: Shape) -> list[str]:
    return [
        "entity = new(cls)",
        "set_fields(entity, values)",
        "set_names(entity, names)",
        "set_extra(entity, None)",
        "set_private(entity, None)",
    ]


def _reading(shape: Shape, scope: dict[str, Any], otherwise: str) -> tuple[list[str], list[str], str]:
    """The lines that take an item apart, those that check that it is one of this kind, and its fields."""
    lines = [f"if not item.keys() <= known: {otherwise}"]
    lines += _type_check(shape, otherwise)
    members: dict[str, str] = {}
    texts: dict[str, str] = {}
    for slot in shape.slots.values():
        if slot.attribute is not None:
            members[slot.name] = _field(slot, scope, lines, texts, otherwise)
    checks: list[str] = []
    for number, (attribute, template) in enumerate(shape.key_templates()):
        _read_key(shape, number, attribute, template, members, texts, scope, checks, otherwise)
    fields = ", ".join(f"{name!r}: {members[name]}" for name in shape.slots)
    return lines, checks, fields


def _type_check(shape: Shape, otherwise: str) -> list[str]:
    kind = shape.table.type_attribute
    if (
        kind is None
        or shape.type_name is None
        or (shape.index is not None and not shape.index.projects(kind))
    ):
        return []
    return [f"if item[{kind!r}]['S'] != {shape.type_name!r}: {otherwise}"]


def _field(slot: Slot, scope: dict[str, Any], lines: list[str], texts: dict[str, str], otherwise: str) -> str:
    """The source of a field that has an attribute; it goes into a variable where a key is checked by it."""
    source = f"item[{slot.attribute!r}]"
    has_default = slot.default is not PydanticUndefined or slot.default_factory is not None
    if slot.is_required:
        if slot.codec is TEXT or slot.codec is DAY:
            lines.append(f"t_{slot.name} = {source}['S']")
            texts[slot.name] = f"t_{slot.name}"
            return f"t_{slot.name}" if slot.codec is TEXT else f"day(t_{slot.name})"
        if slot.codec is MOMENT:
            return _moment(slot, f"{source}['S']", lines, texts, otherwise)
        return _inline(slot, scope).format(source)
    if (slot.default is None or not has_default) and not slot.is_set:
        missing = "None"
    else:
        scope[f"m_{slot.name}"] = slot.absent
        missing = f"m_{slot.name}()"
    return f"{missing} if (v := item.get({slot.attribute!r})) is None else {_inline(slot, scope).format('v')}"


def _moment(slot: Slot, source: str, lines: list[str], texts: dict[str, str], otherwise: str) -> str:
    """A moment without a call for it; the same test as in `parse_seconds`."""
    text = f"t_{slot.name}"
    texts[slot.name] = text
    lines += [
        f"{text} = {source}",
        f"if len({text}) != 20 or {text}[19] != 'Z' or {text}[10] != 'T' or {text}[7] != '-': {otherwise}",
    ]
    return f"iso({text})"


def _inline(slot: Slot, scope: dict[str, Any]) -> str:
    if id(slot.codec) in _INLINE:
        return _INLINE[id(slot.codec)]
    scope[f"d_{slot.name}"] = slot.codec.decode
    return f"d_{slot.name}({{}})"


# ── fields in keys ────────────────────────────────────────────────────────────────────────────────


def _read_key(
    shape: Shape,
    number: int,
    attribute: str,
    template: Template,
    members: dict[str, str],
    texts: dict[str, str],
    scope: dict[str, Any],
    lines: list[str],
    otherwise: str,
) -> None:
    """Lines that read the fields that stand in a key alone, and compare the key with those that do not."""
    if template.bare is not None and template.bare in members:
        return
    key = f"k{number}"
    lines.append(f"{key} = item[{attribute!r}]['S']")
    same = _same_text(template, texts)
    if same is not None:
        lines.append(f"if {key} != {same}: {otherwise}")
        return
    simple = _simple(shape, template, key, members, otherwise, lines)
    if simple:
        return
    scope[f"p{number}"] = template.pattern.fullmatch
    lines += [f"g{number} = p{number}({key})", f"if g{number} is None: {otherwise}"]
    for name, place in template.places.items():
        if name in shape.slots and name not in members:
            assert place.notation is not None
            scope[f"r_{name}"] = place.notation.read
            members[name] = f"r_{name}(g{number}[{name!r}])"
        elif name in shape.slots:
            scope[f"w{number}_{name}"] = _writer(template, place)
            lines.append(f"if g{number}[{name!r}] != w{number}_{name}({members[name]}): {otherwise}")


def _writer(template: Template, place: Place) -> Callable[[Any], str]:
    return lambda value: template.place(place, value)


def _same_text(template: Template, texts: Mapping[str, str]) -> str | None:
    """The key written anew, where the attributes have the very texts that stand in it."""
    pieces = []
    for part in template.parts:
        if isinstance(part, str):
            pieces.append(repr(part))
        elif part.name in texts and not part.format:
            pieces.append(texts[part.name])
        else:
            return None
    return " + ".join(pieces)


def _simple(
    shape: Shape, template: Template, key: str, members: dict[str, str], otherwise: str, lines: list[str]
) -> bool:
    """A text or a day behind a prefix, which is cut off and need not be searched for."""
    if len(template.parts) != 2 or not isinstance(template.parts[1], Place):
        return False
    place, prefix = template.parts[1], str(template.parts[0])
    kind = shape.slots[place.name].annotation if place.name in shape.slots else None
    if place.name in members or place.format or kind not in (str, date):
        return False
    lines += [
        f"if {key}[:{len(prefix)}] != {prefix!r}: {otherwise}",
        f"{key} = {key}[{len(prefix)}:]",
    ]
    if kind is date:
        members[place.name] = f"day({key})"
        return True
    foreign = "".join(f" or {each!r} in {key}" for each in sorted(template.refused[place.name]))
    lines.append(f"if not {key}{foreign}: {otherwise}")
    members[place.name] = key
    return True
