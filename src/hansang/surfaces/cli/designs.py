"""Designs by the names that people give on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from hansang.apps.catalog import with_platform
from hansang.blueprint.examples import examples_of
from hansang.blueprint.subject import Design
from hansang.design import Entity, Table
from hansang.errors import NotFound, SettingsError


def load(names: Iterable[str]) -> Design:
    """The tables of `module:Table`, of a module, of an application by its short name, or of the platform."""
    tables: dict[type[Table], None] = {}
    examples: list[Entity] = []
    for name in names:
        here = _tables(name)
        tables |= dict.fromkeys(here)
        for module in dict.fromkeys(sys.modules[table.__module__] for table in here):
            examples += examples_of(module, here)
    return Design(list(tables), examples)


def _tables(name: str) -> tuple[type[Table], ...]:
    try:
        return with_platform(name).tables
    except NotFound:
        raise SettingsError(
            f"There is no design {name}. Name an application, such as codex, a module, such as shop.design, "
            "or one table of it: shop.design:Shop."
        ) from None
