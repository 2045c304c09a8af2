"""The command `hansang`, and `python -m hansang`: Ctrl+C ends it with one line, while it is still importing too."""

from __future__ import annotations

import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    try:
        from hansang.surfaces.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("hansang: interrupted.\n")
        raise SystemExit(_INTERRUPTED) from None


if __name__ == "__main__":
    main()
