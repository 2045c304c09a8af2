"""Schemas that no model makes: DynamoDB's attribute values, and JSON of any shape."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import WithJsonSchema

Node = dict[str, Any]

_ATTRIBUTE_VALUE, _JSON_VALUE = "AttributeValue", "JsonValue"
_SET: Node = {"type": "array", "items": {"type": "string"}, "minItems": 1}


def reference_to(name: str) -> Node:
    """A reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


WireItem = Annotated[
    dict[str, Any],
    WithJsonSchema({"type": "object", "additionalProperties": reference_to(_ATTRIBUTE_VALUE)}),
]
"""An item or a key in DynamoDB's JSON."""


WireValue = Annotated[dict[str, Any], WithJsonSchema(reference_to(_ATTRIBUTE_VALUE))]
"""One value in DynamoDB's JSON."""


def _one(name: str, schema: Node) -> Node:
    return {"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": False}


def own_schemas() -> dict[str, Node]:
    """Both of them, by name."""
    value, plain = reference_to(_ATTRIBUTE_VALUE), {"type": "string"}
    return {
        _ATTRIBUTE_VALUE: {
            "oneOf": [
                *(_one(name, plain) for name in ("S", "N", "B")),
                _one("BOOL", {"type": "boolean"}),
                _one("NULL", {"type": "boolean"}),
                *(_one(name, _SET) for name in ("SS", "NS", "BS")),
                _one("L", {"type": "array", "items": value}),
                _one("M", {"type": "object", "additionalProperties": value}),
            ],
            "example": {"S": "NOTE#1"},
        },
        _JSON_VALUE: {
            "oneOf": [
                {"type": "string"},
                {"type": "number"},
                {"type": "boolean"},
                {"type": "null"},
                {"type": "array", "items": reference_to(_JSON_VALUE)},
                {"type": "object", "additionalProperties": reference_to(_JSON_VALUE)},
            ],
            "example": "text",
        },
    }


def type_everything(node: Any) -> None:
    """Say of what may be any JSON that it is so, in place of saying nothing."""
    if isinstance(node, list):
        for each in node:
            type_everything(each)
    elif isinstance(node, dict):
        if node.get("type") == "array" and node.get("items") == {}:
            node["items"] = reference_to(_JSON_VALUE)
        if node.get("type") == "object" and node.get("additionalProperties") is True:
            node["additionalProperties"] = reference_to(_JSON_VALUE)
        for name, each in node.items():
            if name not in ("example", "examples", "default"):
                type_everything(each)
