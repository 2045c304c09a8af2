"""Which lines of wrong.py are marked, and as what."""

from __future__ import annotations

import re
from pathlib import Path

WRONG = Path(__file__).parent / "wrong.py"
_MARK = re.compile(r"  # ((wrong|refused): .+)")


def marked(*marks: str) -> dict[int, str]:
    """The numbers of the lines with one of these marks, each with what it says."""
    lines = enumerate(WRONG.read_text(encoding="utf-8").splitlines(), 1)
    found = ((number, _MARK.search(line)) for number, line in lines)
    return {number: mark[1] for number, mark in found if mark is not None and mark[2] in marks}
