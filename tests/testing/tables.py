"""A table as programs make it that use boto3 alone."""

from __future__ import annotations

from typing import Any

NOTES: Any = {
    "TableName": "Notes",
    "KeySchema": [
        {"AttributeName": "board", "KeyType": "HASH"},
        {"AttributeName": "number", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "board", "AttributeType": "S"},
        {"AttributeName": "number", "AttributeType": "N"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


def note(board: str = "kitchen", number: int = 1, text: str = "rice") -> Any:
    return {"board": {"S": board}, "number": {"N": str(number)}, "text": {"S": text}}
