"""One condition on one attribute of a key, whoever asked for it."""

from __future__ import annotations

from dataclasses import dataclass

from hansang.engine.values import Value


@dataclass(frozen=True, slots=True)
class Part:
    """A key attribute, what is asked of it, and the values that it is compared with."""

    name: str
    sign: str
    values: tuple[Value, ...]
