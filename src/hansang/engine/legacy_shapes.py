"""The parameters of the time before expressions, as shapes."""

from __future__ import annotations

from hansang.engine.shapes import Flag, Many, Map, Struct, Text, Value, required

_OPERATOR = Text(
    "IN",
    "NULL",
    "BETWEEN",
    "LT",
    "NOT_CONTAINS",
    "EQ",
    "GT",
    "NOT_NULL",
    "NE",
    "LE",
    "BEGINS_WITH",
    "GE",
    "CONTAINS",
)

ATTRIBUTES_TO_GET = Many(Text(longest=65535), fewest=1, most=255)
CONDITIONAL_OPERATOR = Text("OR", "AND")
CONDITIONS = Map(
    Struct("Condition", AttributeValueList=Many(Value()), ComparisonOperator=required(_OPERATOR)),
)
EXPECTED = Map(
    Struct(
        "ExpectedAttributeValue",
        AttributeValueList=Many(Value()),
        ComparisonOperator=_OPERATOR,
        Exists=Flag(),
        Value=Value(),
    )
)
ATTRIBUTE_UPDATES = Map(
    Struct("AttributeValueUpdate", Action=Text("ADD", "DELETE", "PUT"), Value=Value()),
)
