"""Values that a schema admits, for the reference: those that somebody gave, else made of the types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Node = Mapping[str, Any]

_DEEPEST = 6
_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:00:00Z",
    "byte": "aGFuc2FuZw==",
    "uri": "https://news.example/chips-rally",
    "email": "seoyeon@example.com",
}
_PLAIN: dict[str, Any] = {"string": "text", "boolean": True, "null": None}


def example_of(schema: Node, schemas: Node, depth: int = 0) -> Any:
    """A value of a schema; what is nested too deep is left out."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas, depth)
    given = _given(schema)
    if given is not None:
        return given
    for name in ("anyOf", "oneOf"):
        if name in schema:
            choices = [each for each in schema[name] if each.get("type") != "null"]
            return example_of((choices or schema[name])[0], schemas, depth)
    if schema.get("type") == "object":
        return _object(schema, schemas, depth)
    if "prefixItems" in schema:
        return [example_of(each, schemas, depth + 1) for each in schema["prefixItems"]]
    if schema.get("type") == "array":
        few = depth < _DEEPEST and isinstance(schema.get("items"), dict)
        return [example_of(schema["items"], schemas, depth + 1)] if few else []
    return _plain(schema)


def _given(schema: Node) -> Any:
    """What somebody wrote down: an example, the first choice, or what it is by default."""
    for name in ("example", "const", "default"):
        if schema.get(name) is not None:
            return schema[name]
    return next(iter([*schema.get("examples", ()), *schema.get("enum", ())]), None)


def _object(schema: Node, schemas: Node, depth: int) -> dict[str, Any]:
    if depth >= _DEEPEST:
        return {}
    needed = schema.get("required", ())
    fields = {
        name: each
        for name, each in schema.get("properties", {}).items()
        if name in needed or _given(each) is not None
    }
    found = {name: example_of(each, schemas, depth + 1) for name, each in fields.items()}
    others = schema.get("additionalProperties")
    if not schema.get("properties") and isinstance(others, dict):
        found["name"] = example_of(others, schemas, depth + 1)
    return found


def _plain(schema: Node) -> Any:
    kind = schema.get("type", "string")
    if kind in ("integer", "number"):
        lowest = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
        return max(1, lowest) if schema.get("maximum", 1) >= 1 else lowest
    text = _FORMATS.get(schema.get("format", ""), _PLAIN.get(kind))
    if isinstance(text, str) and "format" not in schema:
        text = text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")]
    return text
