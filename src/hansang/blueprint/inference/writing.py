"""The module of a drafted design, as Python."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from hansang.blueprint.inference.drafts import (
    EntityDraft,
    FieldDraft,
    PatternDraft,
    TableDraft,
    ViewDraft,
)
from hansang.blueprint.inference.facts import IndexFacts
from hansang.blueprint.inference.guesses import TypeGuess
from hansang.blueprint.inference.names import camel, class_name, field_name, singular

_WIDTH = 88
"""What formatters take for a line unless they are told otherwise."""
_NAMED_UNPLACED = 20
_DESIGN = (
    "GSI", "KEYS_ONLY", "LSI", "Attr", "Entity", "Expiry", "Key", "Query", "Table", "Timestamp", "TimestampMs",
    "View", "collection", "derived", "pattern",
)  # fmt: skip
_DEFAULTS = {"str": '""', "int": "0", "Decimal": "Decimal(0)", "bool": "False", "bytes": 'b""'}
_DEFAULTS |= {"date": "date.min", "list": "[]", "dict": "{}", "frozenset": "frozenset()"}
_PARAMETERS = {"Timestamp": "datetime", "TimestampMs": "datetime", "Expiry": "datetime"}


@dataclass
class _Models:
    """The models inside of attributes; those of one form and one name are one class."""

    taken: set[str]
    names: dict[tuple[str, TypeGuess], str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


def module_text(tables: Sequence[TableDraft]) -> str:
    """The source of the module that a design is written into."""
    taken = {name for table in tables for name in _class_names(table)}
    models = _Models(taken)
    body = [line for table in tables for line in _table(table, models)]
    notes = [line for table in tables for line in _notes(table)]
    text = "\n".join(body)
    lines = [
        f'"""The design of {_listed([table.facts.name for table in tables])}."""',
        "",
        "from __future__ import annotations",
        "",
        *_imports("\n".join((*models.lines, text))),
        *models.lines,
        *body,
    ]
    if notes:
        lines += ["", "", "# What could not be placed, and what to look at:", "#", *notes]
    return "\n".join(lines) + "\n"


def _class_names(table: TableDraft) -> Iterator[str]:
    yield table.name
    for entity in table.entities:
        yield from (entity.name, f"{entity.name}Key")
    yield from (view.name for view in table.views)


def _listed(names: Sequence[str]) -> str:
    return _plain(names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}")


def _plain(text: str) -> str:
    """A text that can stand in a docstring or a comment."""
    return "".join(each if each.isprintable() and each not in '"\\' else "?" for each in text)


def _imports(text: str) -> Iterator[str]:
    uses = set(re.findall(r"[A-Za-z_]\w*", re.sub(r'"(?:[^"\\\n]|\\.)*"', "", text)))
    days = [name for name in ("date", "datetime") if name in uses]
    if days:
        yield f"from datetime import {', '.join(days)}"
    if "Decimal" in uses:
        yield "from decimal import Decimal"
    typing = [name for name in ("Annotated", "Any") if name in uses]
    if typing:
        yield f"from typing import {', '.join(typing)}"
    if days or "Decimal" in uses or typing:
        yield ""
    design = [name for name in _DESIGN if name in uses]
    line = f"from hansang.design import {', '.join(design)}"
    if len(line) <= _WIDTH:
        yield line
    else:
        yield from ("from hansang.design import (", *(f"    {name}," for name in design), ")")
    if "BaseModel" in uses:
        yield "from pydantic import BaseModel, ConfigDict"


# ── tables ────────────────────────────────────────────────────────────────────────────────────────


def _table(table: TableDraft, models: _Models) -> Iterator[str]:
    facts = table.facts
    said = [f"name={_text(facts.name)}"]
    said += [f"pk={_text(facts.pk)}"] if facts.pk != "PK" else []
    said += [f"sk={_text(facts.sk) if facts.sk else 'None'}"] if facts.sk != "SK" else []
    said += [f"type_attribute={_text(table.type_attribute)}"] if table.type_attribute else []
    said += [f"stream={_text(facts.stream)}"] if facts.stream else []
    said += ["expires=False"] if table.expires == "off" else []
    yield from ("", "")
    yield from _wrapped(f"class {table.name}(", ["Table", *said], "):")
    yield f'    """The table {_plain(facts.name)}."""'
    if facts.indexes:
        yield ""
        for index in facts.indexes:
            yield from _index(index, table.labels[index.name])
    for entity in table.entities:
        yield from _entity(table, entity, models)
        for view in table.views:
            if view.entity is entity:
                yield from _view(table, view, models)


def _index(index: IndexFacts, label: str) -> Iterator[str]:
    said = [_text(index.name)]
    said += [f"pk={_half(index.partition_keys)}"] if index.is_global else []
    said += [f"sk={_half(index.sort_keys)}"] if index.sk else []
    if index.projection == "INCLUDE":
        said.append(f"project=[{', '.join(map(_text, index.attributes))}]")
    elif index.projection == "KEYS_ONLY":
        said.append("project=KEYS_ONLY")
    yield from _wrapped(f"    {label} = {'GSI' if index.is_global else 'LSI'}(", said, ")")


def _half(attributes: Sequence[str]) -> str:
    """One half of the key of an index: a text, or several."""
    texts = [*map(_text, attributes)]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _entity(table: TableDraft, entity: EntityDraft, models: _Models) -> Iterator[str]:
    keys = [f"pk={_text(entity.pk.text)}"] + ([f"sk={_text(entity.sk.text)}"] if entity.sk else [])
    yield from ("", "")
    yield from _wrapped(f"class {entity.name}Key(", [f'Key["{entity.name}"]', *keys], "):")
    yield f'    """The key of {_article(entity.name)}."""'
    if entity.key_fields:
        yield ""
        yield from (_field(each, models, entity.name, in_key=True) for each in entity.key_fields)
    said = [f"{entity.name}Key", "Entity", f"table={table.name}"]
    said += [f"type={_text(entity.type_name)}"] if entity.type_name is not None else []
    index_keys = list(_index_keys(table, entity))
    said += [_index_keys_text(index_keys)] if index_keys else []
    yield from ("", "")
    yield from _wrapped(f"class {entity.name}(", said, "):")
    seen = f"{len(entity.items):,} of {len(table.facts.items):,} sampled items"
    yield f'    """{seen if entity.items else "No item was seen"}."""'
    if entity.fields or entity.derived:
        yield ""
    yield from (_field(each, models, entity.name) for each in entity.fields)
    for each in entity.derived:
        yield f"    {each.name} = derived({_text(each.attribute)}, of={_text(each.of)}, by={each.by})"
    for pattern in entity.patterns:
        yield from _pattern(table, entity.name, pattern)


def _index_keys(table: TableDraft, entity: EntityDraft) -> Iterator[str]:
    for index in table.facts.indexes:
        halves = [entity.composed.get(index.pk), entity.composed.get(index.sk or "")]
        if any(halves):
            texts = ["None" if half is None else _text(half.text) for half in halves]
            line = f"{table.name}.{table.labels[index.name]}: ({', '.join(texts)})"
            if len(line) + 9 > _WIDTH:
                parts = "".join(f"\n            {text}," for text in texts)
                line = f"{table.name}.{table.labels[index.name]}: ({parts}\n        )"
            yield line


def _index_keys_text(index_keys: Sequence[str]) -> str:
    line = f"index_keys={{{', '.join(index_keys)}}}"
    if len(line) + 5 <= _WIDTH and "\n" not in line:
        return line
    return "\n".join(("index_keys={", *(f"        {each}," for each in index_keys), "    }"))


def _view(table: TableDraft, view: ViewDraft, models: _Models) -> Iterator[str]:
    yield from ("", "")
    index = f"index={table.name}.{table.labels[view.index.name]}"
    yield from _wrapped(f"class {view.name}(", [f"{view.entity.name}Key", "View", index], "):")
    yield f'    """What the index {_plain(view.index.name)} holds of {_article(view.entity.name)}."""'
    if view.fields:
        yield ""
    yield from (_field(each, models, view.entity.name) for each in view.fields)
    for pattern in view.patterns:
        yield from _pattern(table, view.name, pattern)


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _pattern(table: TableDraft, owner: str, pattern: PatternDraft) -> Iterator[str]:
    parameters = [f"{each.name}: {_parameter(each.type)}" for each in pattern.fields]
    answer = " | ".join((owner, *pattern.others))
    yield from ("", "    @pattern")
    yield from _wrapped(f"    def {pattern.name}(", ["cls", *parameters], f") -> Query[{answer}]:")
    yield f'        """{_plain(pattern.meaning)}"""'
    conditions = [f"{owner}.{each.name} == {each.name}" for each in pattern.fields]
    if pattern.others:
        said = [owner, *pattern.others, f"where=[{', '.join(conditions)}]"]
        yield from _wrapped("        return collection(", said, ")")
    else:
        index = [] if pattern.index is None else [f"index={table.name}.{pattern.index}"]
        yield from _wrapped("        return cls.query(", [*conditions, *index], ")")


def _parameter(type_: TypeGuess) -> str:
    return _PARAMETERS.get(type_.form, type_.form)


# ── fields ────────────────────────────────────────────────────────────────────────────────────────


def _field(each: FieldDraft, models: _Models, owner: str, *, in_key: bool = False) -> str:
    text = _type(each.type, models, each.attribute or each.name, owner)
    default = ""
    if each.optional:
        is_set = each.type.form == "frozenset"
        text, default = (text, " = frozenset()") if is_set else (f"{text} | None", " = None")
    elif each.type.nullable:
        # NULL is stored only where an absent attribute would mean something else.
        text, default = f"{text} | None", f" = {_DEFAULTS[each.type.form]}"
    is_named = each.attribute is not None and (in_key or each.attribute != each.name)
    annotation = f"Annotated[{text}, Attr({_text(each.attribute or '')})]" if is_named else text
    return f"    {each.name}: {annotation}{default}"


def _type(type_: TypeGuess, models: _Models, name: str, owner: str) -> str:
    if type_.form == "model":
        return _model(type_, models, name, owner)
    inner = [
        f"{_type(each, models, name, owner)}{' | None' if each.nullable and each.form != 'Any' else ''}"
        for each in type_.inner
    ]
    if type_.form == "union":
        return " | ".join(inner)
    if type_.form == "dict":
        return f"dict[str, {inner[0]}]"
    return f"{type_.form}[{inner[0]}]" if inner else type_.form


def _model(type_: TypeGuess, models: _Models, name: str, owner: str) -> str:
    """The name of a model's class, which is written where there is none of its form yet."""
    known = (camel(singular(name)), _bare(type_))
    if known in models.names:
        return models.names[known]
    own = class_name(known[0], (), f"{owner}Part")
    if not own[0].isupper():
        own = f"{own}Model"  # A field of this name would hide the class.
    if own in models.taken:
        own = class_name(f"{owner}{own}", models.taken)
    models.taken.add(own)
    models.names[known] = own
    members: list[str] = []
    taken: set[str] = set()
    for member in type_.members:
        field_ = field_name(member.attribute, taken)
        taken.add(field_)
        text = _type(member.type, models, member.attribute, own)
        nullable = member.optional or (member.type.nullable and member.type.form != "Any")
        text = f"{text} | None" if nullable else text
        if field_ != member.attribute:
            text = f"Annotated[{text}, Attr({_text(member.attribute)})]"
        members.append(f"    {field_}: {text}{' = None' if member.optional else ''}")
    models.lines += ["", "", f"class {own}(BaseModel):", f'    """What {_plain(name)} is made of."""', ""]
    models.lines += ["    model_config = ConfigDict(frozen=True)", "", *members]
    return own


def _bare(type_: TypeGuess) -> TypeGuess:
    return TypeGuess(type_.form, type_.inner, type_.members)


# ── what could not be placed ──────────────────────────────────────────────────────────────────────


def _notes(table: TableDraft) -> Iterator[str]:
    name = _plain(table.facts.name)
    for note in table.notes:
        yield f"# {name}: {_plain(note)}"
    for entity in table.entities:
        for attribute, kinds in entity.mixed.items():
            counts = ", ".join(f"{kind} in {count:,}" for kind, count in sorted(kinds.items()))
            yield f"# {entity.name}: {_plain(attribute)} has several types: {counts} items."
        for attribute, why in entity.left_out.items():
            yield f"# {entity.name}: {_plain(attribute)} is no field, and is kept as it is: {_plain(why)}."
    if table.unplaced:
        yield f"# {name}: items that are of no kind above: {len(table.unplaced):,}"
    for each in table.unplaced[:_NAMED_UNPLACED]:
        yield f"#   {_plain(_shown(each.key))}: {_plain(each.reason)}."
    if len(table.unplaced) > _NAMED_UNPLACED:
        yield f"#   and {len(table.unplaced) - _NAMED_UNPLACED:,} more."


def _shown(key: dict[str, dict[str, object]]) -> str:
    text = ", ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())
    return text if len(text) <= 80 else f"{text[:80]}…"


# ── lines ─────────────────────────────────────────────────────────────────────────────────────────


def _text(text: str | None) -> str:
    """A literal in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def _wrapped(head: str, parts: Iterable[str], tail: str) -> Iterator[str]:
    """One line; where that is too long, the parts on a line of their own; then each of them."""
    said = list(parts)
    joined = ", ".join(said)
    is_flat = "\n" not in joined
    if not said or (is_flat and len(f"{head}{joined}{tail}") <= _WIDTH):
        yield f"{head}{joined}{tail}"
        return
    indent = " " * (len(head) - len(head.lstrip()))
    yield head
    if is_flat and len(f"{indent}    {joined}") <= _WIDTH:
        yield f"{indent}    {joined}"
    else:
        yield from (f"{indent}    {part}," for part in said)
    yield indent + tail
