"""The data model of NoSQL Workbench for DynamoDB, with an example of every kind of item."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from hansang.blueprint.document import described
from hansang.blueprint.sizes import Sizes
from hansang.blueprint.subject import Design
from hansang.design import Index, Table
from hansang.design.shape import Shape
from hansang.errors import DesignError

_DATE = "%b %d, %Y, %I:%M %p"


def workbench(design: Design, name: str, moment: datetime) -> str:
    """A model to import; `moment` is the date that it carries."""
    date = moment.strftime(_DATE)
    model = {
        "ModelName": name,
        "ModelMetadata": {
            "Author": "hansang",
            "DateCreated": date,
            "DateLastModified": date,
            "Description": " ".join(described(each).partition("\n")[0] for each in design.tables).strip(),
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": [_table(each, Sizes(design)) for each in design.tables],
    }
    return json.dumps(model, ensure_ascii=False, indent=2)


def _table(table: type[Table], sizes: Sizes) -> dict[str, Any]:
    found: dict[str, Any] = {
        "TableName": table.name,
        "KeyAttributes": _keys(table, table.pk, table.sk),
        "NonKeyAttributes": _attributes(table),
        "TableFacets": [_facet(table, each) for each in table.shapes],
    }
    for title, is_global in (("GlobalSecondaryIndexes", True), ("LocalSecondaryIndexes", False)):
        indexes = [_index(table, each) for each in table.indexes if each.is_global is is_global]
        if indexes or is_global:
            found[title] = indexes
    return found | {
        "TableData": [sizes.example(each) for each in table.shapes],
        "DataAccess": {"MySql": {}},
        "BillingMode": "PAY_PER_REQUEST",
    }


def _keys(table: type[Table], pk: str, sk: str | None) -> dict[str, Any]:
    keys = {"PartitionKey": {"AttributeName": pk, "AttributeType": table.kind_of(pk)}}
    if sk is not None:
        keys["SortKey"] = {"AttributeName": sk, "AttributeType": table.kind_of(sk)}
    return keys


def _attributes(table: type[Table]) -> list[dict[str, str]]:
    """Every attribute of every kind of item but for the table's key, each once."""
    kinds: dict[str, str] = {}
    for shape in table.shapes:
        for name in sorted(shape.attributes - set(table.key_attributes())):
            kinds.setdefault(name, shape.kind_of(name) or "S")
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()]


def _facet(table: type[Table], shape: Shape) -> dict[str, Any]:
    alias = {"PartitionKeyAlias": shape.pk.text}
    if shape.sk is not None:
        alias["SortKeyAlias"] = shape.sk.text
    return {
        "FacetName": shape.cls.__name__,
        "KeyAttributeAlias": alias,
        "NonKeyAttributes": sorted(shape.attributes - set(table.key_attributes())),
        "DataAccess": {"MySql": {}},
    }


def _index(table: type[Table], index: Index) -> dict[str, Any]:
    if index.is_compound:
        raise DesignError(
            f"The key of the index {index.name} is of several attributes, which NoSQL Workbench does not know."
        )
    return {
        "IndexName": index.name,
        "KeyAttributes": _keys(table, index.pk, index.sk),
        "Projection": index.definition()["Projection"],
    }
