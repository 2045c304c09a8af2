"""Dotted names of code that is imported when it is needed: `package.module:NAME`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hansang.errors import DesignError


def resolved(dotted: str, told: str = "There is nothing at") -> Any:
    """What a dotted name stands for; a DesignError begins with `told`."""
    module, _, name = dotted.partition(":")
    found = imported(module)
    if found is None:
        raise DesignError(f"{told} {dotted}, and there is no module {module}.")
    if name and not hasattr(found, name):
        raise DesignError(f"{told} {dotted}, and the module has no {name}.")
    return getattr(found, name) if name else found


def imported(module: str) -> ModuleType | None:
    """The module of this name, from here or from the current folder; None when there is none."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module) if _exists(module) else None
    except (DesignError, KeyboardInterrupt):
        raise
    except BaseException as fault:  # A module that ends the program is somebody else's mistake, too.
        raise DesignError(
            f"The module {module} cannot be imported: {type(fault).__name__}: {fault}"
        ) from fault


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError as missing:
        if missing.name is not None and f"{module}.".startswith(f"{missing.name}."):
            return False
        raise
    except ValueError:
        return False


def folder(module: str) -> Path:
    """The folder in which a module or a package lies."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise DesignError(f"There is no module {module}.")
    return Path(found.origin).parent
