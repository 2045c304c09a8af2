"""Of the names that tests use, those that carry a clause."""

from __future__ import annotations

import re

from tools.register.designs import Designs


def narrowed(names: list[str], text: str, designs: Designs) -> list[str]:
    """The names that a clause is about: of an application, spelled in its text, and no wider than needed."""
    own = [name for name in names if name.startswith("hansang.apps.")] or names
    spelled = [name for name in own if any(_stands_in(word, text) for word in designs.spellings(name))]
    return _narrowest(spelled or own, designs)


def _narrowest(names: list[str], designs: Designs) -> list[str]:
    """Without tables beside what is in them, classes beside their patterns, and packages beside their parts."""
    around = {name.rpartition(".")[0] for name in names} | {"hansang.engine.Engine"}
    inner = [name for name in names if name not in around and not designs.is_table(name)]
    return inner or names[:1]


def _stands_in(word: str, text: str) -> bool:
    return bool(word) and re.search(rf"(?<![\w-]){re.escape(word)}", text) is not None
