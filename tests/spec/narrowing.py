"""Of the names that tests use, those that carry a clause."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any

from hansang.design import Index, Table


def narrowed(names: list[str], text: str) -> list[str]:
    """The names that a clause is about: of an application, spelled in its text, and no wider than needed."""
    own = [name for name in names if name.startswith("hansang.apps.")] or names
    spelled = [name for name in own if any(_stands_in(word, text) for word in _spellings(name))]
    return _narrowest(spelled or own)


def _narrowest(names: list[str]) -> list[str]:
    """Without tables beside what is in them, classes beside their patterns, and packages beside their parts."""
    around = {name.rpartition(".")[0] for name in names} | {"hansang.engine.Engine"}
    inner = [name for name in names if name not in around and not _is_table(name)]
    return inner or names[:1]


def _stands_in(word: str, text: str) -> bool:
    return bool(word) and re.search(rf"(?<![\w-]){re.escape(word)}", text) is not None


def _spellings(name: str) -> Iterator[str]:
    """What a document would call this: the index, the beginning of the key, the type, the class."""
    found, owner = resolved(name), resolved(name.rpartition(".")[0])
    if isinstance(found, Index):
        yield found.name
        return
    for each in (found, owner):
        shape = getattr(each, "__shape__", None) if isinstance(each, type) else None
        if shape is not None:
            yield from (shape.pk.prefix, shape.type_name or "", shape.cls.__name__)


def _is_table(name: str) -> bool:
    found = resolved(name)
    return isinstance(found, type) and issubclass(found, Table)


def resolved(name: str) -> Any:
    """What a dotted name of the product stands for, or None."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            found = vars(found).get(part) if hasattr(found, "__dict__") else None
        return found
    return None
