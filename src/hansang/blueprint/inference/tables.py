"""A table's whole design from what is known of it."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hansang.blueprint.inference.drafts import (
    Corrections,
    EntityDraft,
    FieldDraft,
    PlaceDraft,
    TableDraft,
    TemplateDraft,
    Unplaced,
)
from hansang.blueprint.inference.entities import entity_of
from hansang.blueprint.inference.facts import TableFacts
from hansang.blueprint.inference.grouping import KeyGroup, groups_of, type_attribute_of
from hansang.blueprint.inference.guesses import EXPIRY, TEXT, WHOLE, TypeGuess, guess
from hansang.blueprint.inference.names import camel, class_name, field_name, member_name, singular, snake
from hansang.blueprint.inference.questions import add_questions
from hansang.blueprint.inference.telling import conflicts, unreadable
from hansang.design.codec import Value
from hansang.design.notations import LAST
from hansang.design.shape import Item

_GENERIC = frozenset(
    {
        "metadata",
        "meta",
        "profile",
        "info",
        "details",
        "detail",
        "data",
        "root",
        "item",
        "main",
        "self",
        "a",
        "v",
    }
)
_NAMED = {"S": TEXT, "N": TypeGuess("Decimal"), "B": TypeGuess("bytes"), "BOOL": TypeGuess("bool")}
_NAMED |= {"L": TypeGuess("list", (TypeGuess("Any"),)), "M": TypeGuess("dict", (TypeGuess("Any"),))}
_NAMED |= {"SS": TypeGuess("frozenset", (TEXT,)), "NS": TypeGuess("frozenset", (TypeGuess("Decimal"),))}
_NAMED |= {"BS": TypeGuess("frozenset", (TypeGuess("bytes"),))}
_IN_KEYS = {"S": TEXT, "N": WHOLE, "B": TypeGuess("bytes")}


def table_of(facts: TableFacts, taken: set[str], corrections: Corrections) -> TableDraft:
    """The design of a table; `taken` are the names of classes that there are, and gets those of this one."""
    name = class_name(facts.name, taken, "Table1")
    taken.add(name)
    readable, unplaced = _readable(facts)
    found = replace(facts, items=readable)
    kind = type_attribute_of(found)
    table = TableDraft(name, facts, kind, _labels(facts), [], [], unplaced, [])
    _add_entities(table, found, taken, corrections)
    if not table.entities:
        table.entities.append(_unseen(facts, taken))
        table.notes.append("No item was seen: the fields are those that keys and indexes need.")
    _expect_one_expiry(table)
    _complete(table)
    add_questions(table, taken)
    return table


def _labels(facts: TableFacts) -> dict[str, str]:
    found: dict[str, str] = {}
    for index in facts.indexes:
        found[index.name] = member_name(index.name, found.values())
    return found


# ── which items ───────────────────────────────────────────────────────────────────────────────────


def _readable(facts: TableFacts) -> tuple[list[Item], list[Unplaced]]:
    """The items whose keys a design can have, and the others."""
    found, others = [], []
    for item in facts.items:
        reason = _why_not(facts, item)
        if reason is None:
            found.append(item)
        else:
            others.append(Unplaced({key: item[key] for key in facts.keys if key in item}, reason))
    return found, others


def _why_not(facts: TableFacts, item: Item) -> str | None:
    for key in facts.keys:
        if key not in item:
            return f"it has no {key}"
    for key in (*facts.keys, *facts.index_keys):
        value = item.get(key)
        if value is not None and (reason := _why_no_key(value, facts.key_kinds[key])):
            return f"{key} {reason}"
    return None


def _why_no_key(value: Value, kind: str) -> str | None:
    """Why a value cannot be the key of a table or an index in a design, if it cannot."""
    if kind not in value:
        return f"is {next(iter(value))}, and a key of the type {kind}"
    if not value[kind]:
        return "is empty"
    text = value[kind] if kind == "S" else ""
    if unicodedata.normalize("NFC", text) != text:
        return "is not in the form NFC"
    return "has U+10FFFF in it" if LAST in text else None


# ── entities ──────────────────────────────────────────────────────────────────────────────────────


def _add_entities(table: TableDraft, facts: TableFacts, taken: set[str], corrections: Corrections) -> None:
    groups = groups_of(facts, table.type_attribute)
    names = _class_names(table, groups, taken)
    joint = _Joint(facts)
    for group, name in zip(groups, names, strict=True):
        entity = entity_of(facts, table.type_attribute, group, name, joint.of, corrections)
        strange = unreadable(entity, facts.keys)
        _take_out(table, entity, strange, f"its key is not of the form {_spelled(entity)}")
        rival = conflicts(table.entities, entity, table.type_attribute)
        if rival is not None:
            _take_out(table, entity, entity.items, f"its key could be that of a {rival.name} as well")
        if entity.items:
            table.entities.append(entity)
        else:
            taken -= {name, f"{name}Key"}


def _take_out(table: TableDraft, entity: EntityDraft, items: Sequence[Item], reason: str) -> None:
    table.unplaced += [Unplaced(table.key_of(item), reason) for item in items]
    gone = {id(item) for item in items}
    entity.items = [item for item in entity.items if id(item) not in gone]


def _spelled(entity: EntityDraft) -> str:
    return entity.pk.text if entity.sk is None else f"{entity.pk.text} / {entity.sk.text}"


class _Joint:
    """Types of attributes that several kinds have: one model for all of them, where one fits all."""

    def __init__(self, facts: TableFacts) -> None:
        self._facts = facts
        self._known: dict[str, TypeGuess] = {}

    def of(self, attribute: str, own: TypeGuess) -> TypeGuess:
        if not own.has_models:
            return own
        if attribute not in self._known:
            self._known[attribute] = guess(
                [item[attribute] for item in self._facts.items if attribute in item]
            )
        joint = self._known[attribute]
        is_same = joint.form == own.form and [each.form for each in joint.inner] == [
            each.form for each in own.inner
        ]
        return replace(joint, nullable=own.nullable) if joint.has_models and is_same else own


def _class_names(table: TableDraft, groups: Sequence[KeyGroup], taken: set[str]) -> list[str]:
    """The names of kinds: their types first, then what the constants of their keys say."""
    found: dict[int, str] = {}
    for number, group in sorted(enumerate(groups), key=lambda each: each[1].type_name is None):
        candidates = [group.type_name or "", *_words(group), *_of_table(table)]
        free = [name for each in candidates if (name := camel(each)) and not {name, f"{name}Key"} & taken]
        name = class_name((free or candidates)[0], taken, f"{table.name}Item")
        taken |= {name, f"{name}Key"}
        found[number] = name
    return [found[number] for number in range(len(groups))]


def _words(group: KeyGroup) -> list[str]:
    """What the constants of a kind's keys call it: the last one where it says something, else all of them."""
    pk, sk = (_constants(group, key) for key in (0, 1))
    varies = len(group.rows[0].keys) > 1 and any(at not in group.constants for at in group.positions(1))
    telling = [word for word in sk if snake(word) not in _GENERIC]
    short = telling if telling and (varies or not pk) else [*pk, *telling]
    return ["_".join(words).lower() for words in (short, [*pk, *sk]) if words]


def _of_table(table: TableDraft) -> list[str]:
    """What a kind without constants is called: one of what the table's name names."""
    plain = snake(table.facts.name).removesuffix("_table")
    return [singular(plain), f"{plain}_item"] if singular(plain) != plain else [f"{plain}_item"]


def _constants(group: KeyGroup, key: int) -> list[str]:
    if key >= len(group.rows[0].keys):
        return []
    return [group.constants[at] for at in group.positions(key) if group.constants.get(at)]


def _unseen(facts: TableFacts, taken: set[str]) -> EntityDraft:
    """The one entity of a table of which no item was seen."""
    name = class_name(f"{snake(facts.name)}_item", taken, "Item")
    taken |= {name, f"{name}Key"}
    keys: list[FieldDraft] = []
    for key in facts.keys:
        named = field_name(key, {each.name for each in keys}, in_key=True)
        keys.append(FieldDraft(named, key, _IN_KEYS[facts.key_kinds[key]]))
    templates = [TemplateDraft((PlaceDraft(each.name),)) for each in keys]
    entity = EntityDraft(
        name, None, templates[0], templates[1] if len(templates) > 1 else None, keys, [], [], {}, [], {}
    )
    for attribute, kind in facts.named.items():
        if attribute not in facts.keys and attribute not in facts.key_kinds:
            _add(entity, attribute, _NAMED.get(kind, TypeGuess("Any")))
    return entity


def _expect_one_expiry(table: TableDraft) -> None:
    """A table expires by one attribute; others that look like one are numbers."""
    counts = Counter(
        each.attribute
        for entity in table.entities
        for each in entity.all_fields()
        if each.type.form == "Expiry"
        for _ in entity.items
    )
    meant = table.facts.expiry or next((attribute for attribute, _ in counts.most_common(1)), None)
    for entity in table.entities:
        entity.fields = [
            replace(each, type=WHOLE) if each.type.form == "Expiry" and each.attribute != meant else each
            for each in entity.fields
        ]


def _complete(table: TableDraft) -> None:
    """Give the largest entity what the table needs and no item has: index keys, and the time to live."""
    facts, entity = table.facts, table.entities[0]
    for attribute in facts.index_keys:
        if attribute == table.type_attribute or any(_has(each, attribute) for each in table.entities):
            continue
        _add(entity, attribute, _IN_KEYS[facts.key_kinds[attribute]])
        if facts.items:
            table.notes.append(
                f"The index key {attribute} was in no item; {entity.name} has it so that there is one."
            )
    if facts.expiry and not any(each.type.form == "Expiry" for one in table.entities for each in one.fields):
        known = [each for each in table.entities if _has(each, facts.expiry)]
        if known:
            table.notes.append(
                f"The time to live is by {facts.expiry}, which is not always a moment in seconds."
            )
        else:
            _add(entity, facts.expiry, EXPIRY)


def _has(entity: EntityDraft, attribute: str) -> bool:
    derived = {each.attribute for each in entity.derived}
    return attribute in entity.composed or attribute in derived or entity.named(attribute) is not None


def _add(entity: EntityDraft, attribute: str, type_: TypeGuess) -> None:
    entity.left_out.pop(attribute, None)
    entity.fields.append(FieldDraft(field_name(attribute, entity.taken()), attribute, type_, optional=True))
