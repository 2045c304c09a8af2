"""Document paths into items: reading, and changing a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hansang.engine.expressions.tree import Path
from hansang.engine.values import Item, Value


def nested(paths: Iterable[Path]) -> frozenset[str]:
    """The attributes that paths look into."""
    return frozenset(str(path[0]) for path in paths if len(path) > 1)


def getter(path: Path) -> Callable[[Item], Value | None]:
    """A function that reads this path of an item, None where there is nothing."""
    if len(path) == 1 and isinstance(path[0], str):
        name = path[0]
        return lambda item: item.get(name)
    return lambda item: get(item, path)


def get(item: Item, path: Path) -> Value | None:
    value: Value | None = item.get(str(path[0]))
    for part in path[1:]:
        if value is None:
            return None
        value = child(value, part)
    return value


def child(value: Value, part: str | int) -> Value | None:
    if isinstance(part, str):
        members: dict[str, Value] | None = value.get("M")
        return None if members is None else members.get(part)
    elements: list[Value] | None = value.get("L")
    return elements[part] if elements is not None and part < len(elements) else None


def container(item: Item, path: Path) -> Any:
    """The dict or list in which the last part of the path stands; None where there is no such place."""
    place: Any = item
    for part, following in zip(path, [*path[1:], None], strict=True):
        if following is None:
            return place
        value = place.get(part) if isinstance(place, dict) else _element(place, part)
        place = None if value is None else value.get("M" if isinstance(following, str) else "L")
        if place is None:
            return None
    return None


def _element(elements: list[Value], part: str | int) -> Value | None:
    assert isinstance(part, int)
    return elements[part] if part < len(elements) else None


# ── picking ───────────────────────────────────────────────────────────────────────────────────────


def picked(members: dict[str, Value], paths: tuple[Path, ...]) -> dict[str, Value]:
    """The parts of an item, or of a map, that these paths name, each in its surroundings."""
    found = {}
    for name, rests in _grouped(paths).items():
        if name in members and (part := _part(members[str(name)], rests)) is not None:
            found[str(name)] = part
    return found


def _part(value: Value, rests: list[Path]) -> Value | None:
    if () in rests:
        return value
    if isinstance(rests[0][0], str):
        inside = picked(value["M"], tuple(rests)) if "M" in value else {}
        return {"M": inside} if inside else None
    return _elements(value, rests)


def _elements(value: Value, rests: list[Path]) -> Value | None:
    """The elements asked for, in the order of the list, closed up."""
    elements: list[Value] = value.get("L", [])
    found = []
    for position, deeper in sorted(_grouped(tuple(rests)).items()):
        index: Any = position
        if index < len(elements) and (part := _part(elements[index], deeper)) is not None:
            found.append(part)
    return {"L": found} if found else None


def _grouped(paths: tuple[Path, ...]) -> dict[str | int, list[Path]]:
    groups: dict[str | int, list[Path]] = {}
    for path in paths:
        groups.setdefault(path[0], []).append(path[1:])
    return groups
