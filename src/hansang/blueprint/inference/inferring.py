"""From facts to the text of a module that was loaded, asked and checked with every item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hansang.blueprint.inference.checking import TableCheck, checked, lint_counts, loaded, refused_patterns
from hansang.blueprint.inference.drafts import Corrections, EntityDraft, TableDraft, ViewDraft
from hansang.blueprint.inference.facts import TableFacts
from hansang.blueprint.inference.tables import table_of
from hansang.blueprint.inference.writing import module_text
from hansang.errors import DesignError

_MOST_ROUNDS = 8


@dataclass(frozen=True)
class Inferred:
    """A written design, and what became of the items that it was inferred from."""

    text: str
    tables: Sequence[TableDraft]
    checks: Sequence[TableCheck]
    findings: dict[str, int]


def infer(facts: Sequence[TableFacts]) -> Inferred:
    """The design of some tables, in Hansang's own language."""
    corrections = Corrections()
    for _ in range(_MOST_ROUNDS):
        tables = _drafted(facts, corrections)
        text = _loadable(tables)
        with loaded(text) as module:
            checks, findings = checked(module, tables), lint_counts(module)
        if not _correct(corrections, tables, checks):
            break
    return Inferred(text, tables, checks, findings)


def _drafted(facts: Sequence[TableFacts], corrections: Corrections) -> list[TableDraft]:
    taken: set[str] = set()
    return [table_of(each, taken, corrections) for each in facts]


def _correct(corrections: Corrections, tables: Sequence[TableDraft], checks: Sequence[TableCheck]) -> bool:
    """Note what has kept items from being given back as they were; whether that was anything new."""
    known = len(corrections.left_out) + len(corrections.plain)
    for table, check in zip(tables, checks, strict=True):
        entities = {each.name: each for each in table.entities}
        for each in check.differing:
            entity, name = entities[each.entity], (each.entity, each.attribute)
            if each.attribute in {*entity.composed, *(one.attribute for one in entity.derived)}:
                corrections.plain.add(name)
            elif each.attribute not in table.facts.key_kinds and entity.named(each.attribute) is not None:
                corrections.left_out[name] = "not every item is given back as it was with it"
    return len(corrections.left_out) + len(corrections.plain) > known


def _loadable(tables: Sequence[TableDraft]) -> str:
    """The text of the drafts, without the views and patterns that the language refuses."""
    text = module_text(tables)
    try:
        with loaded(text) as module:
            refused = refused_patterns(module)
    except DesignError:
        for table in tables:
            table.views.clear()
            for entity in table.entities:
                entity.patterns.clear()
        return module_text(tables)
    if not refused:
        return text
    for table in tables:
        owners: list[EntityDraft | ViewDraft] = [*table.entities, *table.views]
        for owner in owners:
            owner.patterns[:] = [each for each in owner.patterns if (owner.name, each.name) not in refused]
    return module_text(tables)
