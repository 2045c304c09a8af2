"""Small pieces of Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar inside a cell does not end it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def block(content: Any) -> str:
    """JSON in a block of code."""
    return f"```json\n{json.dumps(content, ensure_ascii=False, indent=2)}\n```"
