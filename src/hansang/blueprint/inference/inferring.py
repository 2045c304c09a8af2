"""From facts to the text of a module that was loaded, asked and checked with every item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hansang.blueprint.inference.checking import TableCheck, checked, lint_counts, loaded, refused_patterns
from hansang.blueprint.inference.drafts import EntityDraft, TableDraft, ViewDraft
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
    left_out: dict[tuple[str, str], str] = {}
    for _ in range(_MOST_ROUNDS):
        tables = _drafted(facts, left_out)
        text = _loadable(tables)
        with loaded(text) as module:
            checks, findings = checked(module, facts), lint_counts(module)
        worse = {
            (each.entity, each.attribute): "not every item is given back as it was with it"
            for check in checks
            for each in check.differing
            if (each.entity, each.attribute) not in left_out
            and _is_field(tables, each.entity, each.attribute)
        }
        if not worse:
            break
        left_out |= worse
    return Inferred(text, tables, checks, findings)


def _drafted(facts: Sequence[TableFacts], left_out: dict[tuple[str, str], str]) -> list[TableDraft]:
    taken: set[str] = set()
    return [table_of(each, taken, left_out) for each in facts]


def _is_field(tables: Sequence[TableDraft], entity: str, attribute: str) -> bool:
    """Whether an attribute is one that the entity can do without."""
    return any(
        attribute not in table.facts.key_kinds and one.named(attribute) is not None
        for table in tables
        for one in table.entities
        if one.name == entity
    )


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
