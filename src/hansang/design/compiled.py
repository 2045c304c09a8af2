"""Functions written for one entity: its key, and what an item of it is in Python.

A page of answers decodes every attribute of every item, so this is where the time goes. Instead of
walking over the fields each time, the walk is done once and written down as Python source, as
dataclasses do it. Whatever is unusual falls back to the walk in `decoding.py`, which also says what is
wrong; the two agree on what an item of a kind is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from unicodedata import is_normalized

from pydantic import BaseModel

from hansang.design.codec import DAY, FLAG, MOMENT, TEXT, WHOLE
from hansang.design.templates import Placeholder, Template
from hansang.design.timestamps import parse_day

if TYPE_CHECKING:
    from hansang.design.shape import Item, Shape
    from hansang.design.slots import Slot

UNREADABLE = (KeyError, ValueError, TypeError, ArithmeticError)
"""What decoding an attribute of another form raises."""

Strange = Callable[["Item", list[Any]], None]
"""Takes an item that is not a plain one of its kind, and adds its entity to the list if it has one."""

# The fields of a frozen model, set past its own refusal to change.
_SET_FIELDS = BaseModel.__dict__["__dict__"].__set__
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
    text = ""
    for part in template.parts:
        if isinstance(part, str):
            text += part.replace("{", "{{").replace("}", "}}")
            continue
        piece = _place(shape, template, part, lines)
        if piece is None:
            return None
        text += f"{{{piece}}}"
    return f"{{'S': f{text!r}}}"


def _place(shape: Shape, template: Template, place: Placeholder, lines: list[str]) -> str | None:
    variable = f"f_{place.name}"
    kind = shape.slots[place.name].annotation
    if kind is str and not place.format:
        foreign = "".join(f" or {each!r} in {variable}" for each in sorted(template.refused[place.name]))
        check = (
            f"{variable}.__class__ is not str or not {variable} or not {variable}.isascii() "
            f"or len({variable}) > 200{foreign}"
        )
        written = variable
    elif kind is int and place.width is not None:
        check = f"{variable}.__class__ is not int or not 0 <= {variable} < {10**place.width}"
        written = f"{variable}:{place.format}"
    elif kind is date and not place.format:
        check = f"{variable}.__class__ is not date"
        written = f"{variable}.isoformat()"
    else:
        return None
    lines += [f"{variable} = values[{place.name!r}]", f"if {check}: return slow(values)"]
    return written


# ── items ─────────────────────────────────────────────────────────────────────────────────────────

# What else a model is made of is worked out when somebody asks, in `Model.__getattr__`.
_MAKING = ("entity = new(cls)", "set_fields(entity, values)")


def decode_function(shape: Shape, slow: Callable[[Item], Any]) -> Callable[[Item], Any]:
    """A function from an item to its entity."""
    scope = {**_scope(shape), "slow": slow}
    reading, fields = _Reading(shape, scope, "return slow(item)").written()
    lines = [
        "if narrower: return slow(item)",
        "try:",
        *(f"    {line}" for line in reading),
        f"    values = {{{fields}}}",
        "except UNREADABLE: return slow(item)",
        *_MAKING,
        "return entity",
    ]
    return _function("decode", "item", lines, scope)


def page_function(shape: Shape) -> Callable[[list[Item], Strange], list[Any]]:
    """A function from many items to their entities; others go to `strange`."""
    scope = _scope(shape)
    reading, fields = _Reading(shape, scope, "strange(item, found); continue", in_loop=True).written()
    lines = [
        "found = []",
        "add = found.append",
        "last = None",
        "for item in items:",
        "    if narrower: strange(item, found); continue",
        "    try:",
        *(f"        {line}" for line in reading),
        f"        values = {{{fields}}}",
        "    except UNREADABLE: strange(item, found); continue",
        *(f"    {line}" for line in _MAKING),
        "    add(entity)",
        "return found",
    ]
    return _function("decode_page", "items, strange", lines, scope)


def _scope(shape: Shape) -> dict[str, Any]:
    return {
        "cls": shape.cls,
        "new": object.__new__,
        "set_fields": _SET_FIELDS,
        "narrower": shape.narrower,
        "day": parse_day,
        "iso": datetime.fromisoformat,
        "nfc": is_normalized,
        "UNREADABLE": UNREADABLE,
    }


_IS_NO_MOMENT = "{0}[7::3] != '-T::Z' or len({0}) != 20"
"""The same test as in `parse_seconds`."""


def _foreign(text: str, refused: Iterable[str]) -> str:
    """That a text is none that could stand in this place of a key."""
    tests = [f"not {text}", *(f"{each!r} in {text}" for each in sorted(refused)), f"not nfc('NFC', {text})"]
    return " or ".join(tests)


class _Reading:
    """The source that takes one item apart: lines that look at it, and the fields that they find."""

    def __init__(self, shape: Shape, scope: dict[str, Any], otherwise: str, *, in_loop: bool = False) -> None:
        """`otherwise` is what is done with an item that is not a plain one of this kind."""
        self.shape, self.scope, self.otherwise, self.in_loop = shape, scope, otherwise, in_loop
        self.lines: list[str] = []
        self.fields: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        """The variables of the texts that attributes have, by field."""
        self.always: set[str] = set()
        """The attributes that every item has; what it has beside them is counted."""

    def written(self) -> tuple[list[str], str]:
        self._read_type()
        for slot in self.shape.slots.values():
            if slot.attribute is not None:
                self.fields[slot.name] = self._field(slot, slot.attribute)
        for number, (attribute, template) in enumerate(self.shape.key_templates()):
            self._read_key(f"k{number}", attribute, template)
        self._count()
        return self.lines, ", ".join(f"{name!r}: {self.fields[name]}" for name in self.shape.slots)

    def _refuse(self, condition: str) -> None:
        self.lines.append(f"if {condition}: {self.otherwise}")

    def _count(self) -> None:
        """An item with an attribute that nobody knows has one more than were found."""
        if self.shape.is_view:
            return  # What an index holds beyond a view is nobody's to write back.
        rest = [f"({name!r} in item)" for name in sorted(self.shape.attributes) if name not in self.always]
        self._refuse(f"len(item) != {' + '.join([str(len(self.always)), *rest])}")

    def _read_type(self) -> None:
        shape, kind = self.shape, self.shape.table.type_attribute
        if kind is None:
            return
        if shape.type_name is None:
            self._refuse(f"{kind!r} in item")
            return
        if shape.index is None or shape.index.projects(kind):
            self._refuse(f"item[{kind!r}]['S'] != {shape.type_name!r}")
            self.always.add(kind)

    # ── attributes ────────────────────────────────────────────────────────────────────────────────

    def _field(self, slot: Slot, attribute: str) -> str:
        """The source of a field that has an attribute; its text is kept where a key is checked by it."""
        if slot.is_required:
            self.always.add(attribute)
            return self._needed(slot, f"item[{attribute!r}]")
        if slot.optional and slot.absent() is None:
            missing = "None"
        else:
            self.scope[f"m_{slot.name}"] = slot.absent
            missing = f"m_{slot.name}()"
        value = self._inline(slot).format("v")
        return f"{missing} if (v := item.get({attribute!r})) is None else {value}"

    def _needed(self, slot: Slot, source: str) -> str:
        if slot.codec not in (TEXT, DAY, MOMENT):
            return self._inline(slot).format(source)
        text = self.texts[slot.name] = f"t_{slot.name}"
        self.lines.append(f"{text} = {source}['S']")
        if slot.codec is MOMENT:
            self._refuse(_IS_NO_MOMENT.format(text))
        return {id(TEXT): text, id(DAY): f"day({text})", id(MOMENT): f"iso({text})"}[id(slot.codec)]

    def _inline(self, slot: Slot) -> str:
        if id(slot.codec) in _INLINE:
            return _INLINE[id(slot.codec)]
        self.scope[f"d_{slot.name}"] = slot.codec.decode
        return f"d_{slot.name}({{}})"

    # ── keys ──────────────────────────────────────────────────────────────────────────────────────

    def _read_key(self, key: str, attribute: str, template: Template) -> None:
        """Read the fields that stand in a key alone, and compare the key with those that do not."""
        self.always.add(attribute)
        if template.bare is not None and template.bare in self.fields:
            self._compare_bare(attribute, self.shape.slots[template.bare])
            return
        if template.bare is not None and template.bare not in self.shape.slots:
            return
        self.lines.append(f"{key} = item[{attribute!r}]['S']")
        same = self._same_text(template)
        if same is not None:
            self._refuse(f"{key} != {same}")
        elif not self._read_simple(key, template):
            self._read_by_pattern(key, template)

    def _compare_bare(self, attribute: str, slot: Slot) -> None:
        """A key that is one field alone says the same as the field's own attribute."""
        if slot.attribute == attribute:
            if slot.codec is TEXT:
                self._refuse(f"not nfc('NFC', {self.texts[slot.name]})")
        else:
            self.scope[f"e_{slot.name}"] = slot.codec.encode
            self._refuse(f"item[{attribute!r}] != e_{slot.name}({self.fields[slot.name]})")

    def _same_text(self, template: Template) -> str | None:
        """The key written anew, where the attributes have the very texts that stand in it."""
        pieces = []
        for part in template.parts:
            if isinstance(part, str):
                pieces.append(repr(part))
            elif part.name in self.texts and not part.format:
                pieces.append(self.texts[part.name])
            else:
                return None
        for name in template.fields:
            if self.shape.slots[name].codec is TEXT:
                self._refuse(_foreign(self.texts[name], template.refused[name]))
        return " + ".join(pieces)

    def _read_simple(self, key: str, template: Template) -> bool:
        """A text, a day or a number of fixed width behind a prefix, which need not be searched for."""
        prefix, place = template.parts[0], template.parts[-1]
        if len(template.parts) != 2 or not isinstance(place, Placeholder) or not isinstance(prefix, str):
            return False
        name, slot = place.name, self.shape.slots.get(place.name)
        if slot is None or name in self.fields:
            return False
        found = self._behind(slot, place, f"{key}[{len(prefix)}:]", template.refused[name])
        if found is None:
            return False
        lines = [f"if {key}[:{len(prefix)}] != {prefix!r}: {self.otherwise}", *found]
        self.lines += self._unless_repeated(key, lines)
        self.fields[name] = f"f_{name}"
        return True

    def _behind(self, slot: Slot, place: Placeholder, rest: str, refused: frozenset[str]) -> list[str] | None:
        """The lines that read one field of the rest of a key."""
        name = f"f_{slot.name}"
        if slot.annotation is date and not place.format:
            return [f"{name} = day({rest})"]
        if slot.annotation is str and not place.format:
            return [f"{name} = {rest}", f"if {_foreign(name, refused)}: {self.otherwise}"]
        if slot.annotation is int and place.width is not None:
            test = f"len({name}) != {place.width} or not {name}.isdigit() or not {name}.isascii()"
            return [f"{name} = {rest}", f"if {test}: {self.otherwise}", f"{name} = int({name})"]
        return None

    def _unless_repeated(self, key: str, lines: list[str]) -> list[str]:
        """Lines that are left out for an item of the same partition as the one before it."""
        if key != "k0" or not self.in_loop:
            return lines
        return ["if k0 != last:", "    last = None", *(f"    {line}" for line in lines), "    last = k0"]

    def _read_by_pattern(self, key: str, template: Template) -> None:
        self.scope[f"p_{key}"] = template.pattern.fullmatch
        self.lines.append(f"g_{key} = p_{key}({key})")
        self._refuse(f"g_{key} is None")
        for name, place in template.places.items():
            if name not in self.shape.slots:
                continue
            if name not in self.fields:
                assert place.notation is not None
                self.scope[f"r_{name}"] = place.notation.read
                self.fields[name] = f"r_{name}(g_{key}[{name!r}])"
            else:
                self.scope[f"w_{key}_{name}"] = partial(template.place, place)
                self._refuse(f"g_{key}[{name!r}] != w_{key}_{name}({self.fields[name]})")
