"""`python -m hansang` is the command `hansang`."""

from __future__ import annotations

from hansang.surfaces.cli.main import main

if __name__ == "__main__":
    main()
