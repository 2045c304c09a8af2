"""Exports by commands: told of while they go on, and stopped by operators, as those of the server are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from hansang.clock import system_clock
from hansang.design import Database
from hansang.parts.exports import Exports
from hansang.parts.history import Actor
from hansang.surfaces.cli.operators import operator

L = TypeVar("L")


def exported(database: Database, lines: Iterable[L], what: str) -> Iterator[L]:
    """The lines as they are, told of under the name of their file; RequestStopped once an operator stops them."""
    return Exports(database, system_clock).watched(lines, Actor.of(operator()), what)
