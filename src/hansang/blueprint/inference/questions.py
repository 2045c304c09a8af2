"""Access patterns that the keys obviously serve, and views of indexes that do not hold whole items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hansang.blueprint.inference.drafts import (
    EntityDraft,
    FieldDraft,
    PatternDraft,
    TableDraft,
    TemplateDraft,
    ViewDraft,
)
from hansang.blueprint.inference.facts import IndexFacts
from hansang.blueprint.inference.guesses import TEXT
from hansang.blueprint.inference.names import class_name, distinct, field_name, snake


def add_questions(table: TableDraft, taken: set[str]) -> None:
    """Write patterns and views into a table; `taken` are the names of all classes."""
    for entity in table.entities:
        _ask_partition(entity)
    _ask_collections(table)
    for index in table.facts.indexes:
        for entity in table.entities:
            if index.projection == "ALL":
                _ask_index(table, entity, index)
            elif (fields := _held(table, entity, index)) is not None:
                _add_view(table, entity, index, fields, taken)


# ── the table itself ──────────────────────────────────────────────────────────────────────────────


def _ask_partition(entity: EntityDraft) -> None:
    """The items of one partition, where there can be several."""
    if entity.sk is None or set(entity.sk.fields) <= set(entity.pk.fields):
        return
    fields = tuple(entity.field(name) for name in entity.pk.fields)
    _ask(entity, fields)
    first, *rest = [name for name in entity.sk.fields if name not in entity.pk.fields]
    if rest:
        _ask(entity, (*fields, entity.field(first)))


def _ask(entity: EntityDraft, fields: tuple[FieldDraft, ...]) -> None:
    of = " and ".join(_words(each.name) for each in fields)
    meaning = f"The items of one {of}, by their sort keys." if fields else "All of them, by their sort keys."
    name = f"of_{_short(fields)}" if fields else "every"
    entity.patterns.append(PatternDraft(_free(entity, name), fields, None, meaning))


def _ask_collections(table: TableDraft) -> None:
    """Everything of one partition, where several kinds share it."""
    by_partition: dict[str, list[EntityDraft]] = {}
    for entity in table.entities:
        if entity.sk is not None and entity.pk.fields:
            by_partition.setdefault(_outline(entity, entity.pk), []).append(entity)
    for members in by_partition.values():
        if len(members) < 2:
            continue
        first, *others = sorted(members, key=lambda each: len(each.sk.fields) if each.sk else 0)
        fields = tuple(first.field(name) for name in first.pk.fields)
        of = " and ".join(_words(each.name) for each in fields)
        first.patterns.append(
            PatternDraft(
                _free(first, "with_others"),
                fields,
                None,
                f"Everything of one {of}.",
                tuple(each.name for each in others),
            )
        )


def _outline(entity: EntityDraft, key: TemplateDraft) -> str:
    """A template without the names of its fields."""
    return "".join(
        part if isinstance(part, str) else f"{{{entity.field(part.field).type.form}:{part.format}}}"
        for part in key.parts
    )


# ── indexes ───────────────────────────────────────────────────────────────────────────────────────


def _ask_index(table: TableDraft, entity: EntityDraft, index: IndexFacts) -> None:
    fields = _partition(table, entity, index)
    if fields is None or any(_asked(table, entity, each) is None for each in index.sort_keys):
        return
    label = table.labels[index.name]
    name = label if label.startswith("by_") else f"by_{label}"
    entity.patterns.append(PatternDraft(_free(entity, name), fields, label, _meaning(fields, index)))


def _partition(table: TableDraft, entity: EntityDraft, index: IndexFacts) -> tuple[FieldDraft, ...] | None:
    """The fields that the partitions of an index are asked by."""
    found: dict[str, FieldDraft] = {}
    for attribute in index.partition_keys:
        fields = _asked(table, entity, attribute)
        if fields is None:
            return None
        found |= {each.name: each for each in fields}
    return tuple(found.values())


def _asked(table: TableDraft, entity: EntityDraft, attribute: str) -> tuple[FieldDraft, ...] | None:
    """The fields that a key attribute is asked by; None where the entity has no such attribute."""
    if attribute == table.type_attribute:
        return () if entity.type_name is not None else None
    template = _template(table, entity, attribute)
    if template is not None:
        return tuple(entity.field(name) for name in template.fields)
    field = entity.named(attribute)
    if field is not None:
        return (field,)
    derived = next((each for each in entity.derived if each.attribute == attribute), None)
    return None if derived is None else (FieldDraft(derived.name, attribute, TEXT),)


def _template(table: TableDraft, entity: EntityDraft, attribute: str) -> TemplateDraft | None:
    if attribute == table.facts.pk:
        return entity.pk
    return entity.sk if attribute == table.facts.sk else entity.composed.get(attribute)


def _held(table: TableDraft, entity: EntityDraft, index: IndexFacts) -> list[FieldDraft] | None:
    """What an index holds of an entity beside its key; None where it holds none of its items, or not the key."""
    held = {*index.attributes, *index.keys, *table.facts.keys}
    read: dict[str, FieldDraft] = {}
    for attribute in index.keys:
        found = _asked(table, entity, attribute)
        if found is None:
            return None
        read |= {each.name: replace(each, optional=False) for each in found}
    for each in entity.key_fields:
        if each.attribute is not None and each.attribute not in held and each.name not in read:
            return None
    for each in entity.fields:
        if each.attribute in held:
            read.setdefault(each.name, each)
    return [each for name, each in read.items() if name not in {key.name for key in entity.key_fields}]


def _add_view(
    table: TableDraft, entity: EntityDraft, index: IndexFacts, fields: list[FieldDraft], taken: set[str]
) -> None:
    label = table.labels[index.name]
    name = class_name(
        label if label.startswith(f"{snake(entity.name)}_") else f"{entity.name}_{label}", taken
    )
    taken.add(name)
    asked = _partition(table, entity, index) or ()
    names = {*entity.taken(), *(each.name for each in fields)}
    pattern = PatternDraft(
        distinct("of_" + _short(asked) if asked else "every", names), asked, None, _meaning(asked, index)
    )
    table.views.append(ViewDraft(name, entity, index, fields, [pattern]))


def _meaning(fields: Sequence[FieldDraft], index: IndexFacts) -> str:
    of = " and ".join(_words(each.name) for each in fields)
    order = f", by {' and '.join(index.sort_keys)}" if index.sort_keys else ""
    return f"The items of one {of}{order}." if fields else f"All of them{order}."


# ── names ─────────────────────────────────────────────────────────────────────────────────────────


def _words(name: str) -> str:
    return name.strip("_").replace("_", " ")


def _short(fields: Sequence[FieldDraft]) -> str:
    return "_and_".join(snake(each.name).removesuffix("_id") or "id" for each in fields)


def _free(entity: EntityDraft, name: str) -> str:
    return field_name(name, {*entity.taken(), *(each.name for each in entity.patterns)})
