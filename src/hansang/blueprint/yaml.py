"""Plain YAML of plain data: enough for templates, with nothing to install."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]*")
_MEANS_MORE = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def as_yaml(document: Mapping[str, Any]) -> str:
    """Maps, lists, texts, numbers and truths as YAML."""
    return "\n".join(_map(document, "")) + "\n"


def _map(members: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, member in members.items():
        yield from _member(f"{indent}{scalar(name)}:", member, f"{indent}  ")


def _list(members: list[Any], indent: str) -> Iterator[str]:
    for member in members:
        if isinstance(member, Mapping | list) and member:
            first, *rest = _lines(member, f"{indent}  ")
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        else:
            yield f"{indent}- {scalar(member)}"


def _lines(content: Any, indent: str) -> Iterator[str]:
    return _map(content, indent) if isinstance(content, Mapping) else _list(content, indent)


def _member(head: str, member: Any, indent: str) -> Iterator[str]:
    if isinstance(member, Mapping | list) and member:
        yield head
        yield from _lines(member, indent)
    else:
        yield f"{head} {scalar(member)}"


def scalar(value: Any) -> str:
    """A text, bare where YAML reads it as that text; JSON otherwise, which YAML reads too."""
    if isinstance(value, str) and _BARE.fullmatch(value) and value.lower() not in _MEANS_MORE:
        return value if not value.endswith(":") else json.dumps(value)
    return json.dumps(value, ensure_ascii=False)
