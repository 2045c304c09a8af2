"""Key builders in TypeScript, with vectors that both languages are tested by."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any
from unicodedata import normalize

from hansang.blueprint.domains import is_number
from hansang.blueprint.subject import Design
from hansang.design.shape import Shape
from hansang.design.templates import Placeholder, Template
from hansang.errors import InvalidKey

_WIDTH = re.compile(r"0(\d+)d?")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_RESERVED = frozenset(
    {"case", "class", "const", "default", "delete", "do", "enum", "export", "for", "function"}
) | {
    "if",
    "import",
    "in",
    "new",
    "return",
}
_PLAIN_KEYS = ("METADATA", "INFO")

_HEAD = """\
// Made by `hansang tables typescript`. Change the design, and make it again.

function $text(name: string, value: string, separators: string): string {
  // Hangul in NFC and in NFD looks the same and would be two keys.
  const normalized = value.normalize('NFC');
  if (normalized === '') throw new RangeError(`${name} is empty.`);
  for (const character of normalized) {
    if (separators.includes(character)) throw new RangeError(`${name} has a '${character}' in it.`);
    const code = character.codePointAt(0) ?? 0;
    if (code === 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new RangeError(`${name} cannot be in a key.`);
  }
  return normalized;
}

function $whole(name: string, value: number | bigint, width: number): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new RangeError(`${name} is not a whole number.`);
  const digits = String(value);
  if (width > 0 && (value < 0 || digits.length > width)) throw new RangeError(`${name} does not fit ${width} digits.`);
  return digits.padStart(width, '0');
}
"""


def typescript(design: Design) -> str:
    """The module of key builders."""
    builders = [_builder(name, shape) for name, shape in builders_of(design).items()]
    return f"{_HEAD}\nexport const buildKeys = {{\n{''.join(builders)}}};\n"


def vectors(design: Design) -> list[dict[str, Any]]:
    """Arguments and the keys that they make, or that they are refused."""
    return [vector for name, shape in builders_of(design).items() for vector in _vectors(design, name, shape)]


def builders_of(design: Design) -> dict[str, Shape]:
    """A name for the builder of each kind of item: the word that its key begins with, or its own."""
    found: dict[str, Shape] = {}
    for table in design.tables:
        for shape in table.shapes:
            found[next(name for name in _names(shape) if name not in found)] = shape
    return found


def _names(shape: Shape) -> Iterator[str]:
    word, own, table = _word(shape), shape.cls.__name__, shape.table.__name__
    if word is not None:
        yield word
    yield own[0].lower() + own[1:]
    yield f"{table[0].lower()}{table[1:]}{own}"
    yield from (f"{own[0].lower()}{own[1:]}{number}" for number in count(2))


def _word(shape: Shape) -> str | None:
    for template in (shape.sk, shape.pk):
        match = _WORD.match(template.prefix) if template else None
        if match and match[0] not in _PLAIN_KEYS:
            return _camel(match[0].lower())
    return None


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def _argument(name: str) -> str:
    found = _camel(name)
    return f"{found}_" if found in _RESERVED else found


def _fields(shape: Shape) -> list[str]:
    return list(dict.fromkeys((*shape.pk.fields, *(shape.sk.fields if shape.sk else ()))))


def _builder(name: str, shape: Shape) -> str:
    arguments = ", ".join(f"{_argument(each)}: {_type(shape, each)}" for each in _fields(shape))
    keys = [f"{_property(shape.table.pk)}: {_spelled(shape, shape.pk)}"]
    if shape.sk is not None and shape.table.sk is not None:
        keys.append(f"{_property(shape.table.sk)}: {_spelled(shape, shape.sk)}")
    return f"  {name}: ({arguments}) => ({{ {', '.join(keys)} }}),\n"


def _property(name: str) -> str:
    return name if _WORD.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _type(shape: Shape, name: str) -> str:
    return "number | bigint" if is_number(shape, name) else "string"


def _spelled(shape: Shape, template: Template) -> str:
    if template.bare is not None and is_number(shape, template.bare):
        return _argument(template.bare)
    if not template.fields:
        return f"'{template.text}'"
    parts = [part if isinstance(part, str) else _place(shape, template, part) for part in template.parts]
    return f"`{''.join(parts)}`"


def _place(shape: Shape, template: Template, place: Placeholder) -> str:
    name = _argument(place.name)
    if is_number(shape, place.name):
        width = _WIDTH.fullmatch(place.format)
        return f"${{$whole('{name}', {name}, {width[1] if width else 0})}}"
    varies = place.notation is None or place.notation.varies
    refused = template.refused[place.name] if varies else frozenset()
    separators = "".join(sorted(refused)).replace("'", "\\'")
    return f"${{$text('{name}', {name}, '{separators}')}}"


# ── vectors ───────────────────────────────────────────────────────────────────────────────────────


def _vectors(design: Design, name: str, shape: Shape) -> Iterator[dict[str, Any]]:
    fields = _fields(shape)
    values = {each: design.samples.field(shape, each) for each in fields}
    yield _vector(name, shape, values)
    for each in fields:
        if isinstance(values[each], str):
            yield _vector(name, shape, values | {each: "배우자1"})
            yield _vector(name, shape, values | {each: normalize("NFD", "한월")})
            yield _vector(name, shape, values | {each: ""})
            yield _vector(name, shape, values | {each: "a#b"})
        elif is_number(shape, each):
            yield _vector(name, shape, values | {each: 42})


def _vector(name: str, shape: Shape, values: dict[str, Any]) -> dict[str, Any]:
    arguments = [_written(shape, each, value) for each, value in values.items()]
    try:
        key = {attribute: _plain(value) for attribute, value in shape.key(values).items()}
    except InvalidKey:
        return {"builder": name, "arguments": arguments, "refused": True}
    return {"builder": name, "arguments": arguments, "key": key}


def _plain(value: dict[str, str]) -> str | int:
    return int(value["N"]) if "N" in value else value["S"]


def _written(shape: Shape, name: str, value: Any) -> Any:
    """A value as TypeScript gets it: days and moments as the text that stands in the key."""
    if isinstance(value, str | int) and not hasattr(value, "value"):
        return value
    for template in (shape.pk, shape.sk):
        for part in template.parts if template else ():
            if isinstance(part, Placeholder) and part.name == name and template is not None:
                return template.place(part, value)
    raise AssertionError(name)


def vectors_file(design: Design) -> str:
    """The vectors as JSON."""
    return json.dumps(vectors(design), ensure_ascii=False, indent=2)
