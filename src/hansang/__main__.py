"""The command `hansang`, and `python -m hansang`: Ctrl+C ends it with one line, while it is still importing too."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

import hansang

_FAILED = 1
_INTERRUPTED = 130
_YOUNG_OBJECTS = 20_000
"""How many new objects the collector waits for."""


def main() -> None:
    """Run the command line, if it is installed; the library alone tells its version."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"hansang {hansang.__version__}\n")
        return
    # Importing makes half a million objects, and all stay: the collector waits until a command is found.
    gc.set_threshold(_YOUNG_OBJECTS)
    gc.disable()
    try:
        from hansang.surfaces.cli.main import main as run
    except ModuleNotFoundError as missing:
        if str(missing.name).startswith("hansang"):
            raise
        sys.stderr.write(
            f"hansang: the command line needs {missing.name}. Install it with: pip install 'hansang[server]'\n"
        )
        raise SystemExit(_FAILED) from None
    except KeyboardInterrupt:
        _interrupted()
    try:
        run()
    except KeyboardInterrupt:
        _interrupted()


def _interrupted() -> NoReturn:
    sys.stderr.write("hansang: interrupted.\n")
    raise SystemExit(_INTERRUPTED) from None


if __name__ == "__main__":
    main()
