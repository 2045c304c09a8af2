"""What is in a write or a batch: the keys that it changes, and a batch cut in two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"})
WRITES = frozenset({"BatchWriteItem", "DeleteItem", "PutItem", "TransactWriteItems", "UpdateItem"})
LEFT_OVER = {"BatchGetItem": "UnprocessedKeys", "BatchWriteItem": "UnprocessedItems"}
"""Where a response of a batch has what was not done."""

Entry = tuple[str, Any]


def table_of(name: str) -> str:
    """The name of a table that is given by its name or by its ARN."""
    return name.rpartition("/")[2]


def changes(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The table and the item, or only its key, of everything that a request would write."""
    if operation == "BatchWriteItem":
        for name, writes in request["RequestItems"].items():
            yield from ((table_of(name), _written(write)) for write in writes)
    elif operation == "TransactWriteItems":
        for action in request["TransactItems"]:
            [(kind, write)] = action.items()
            if kind != "ConditionCheck":
                yield table_of(write["TableName"]), _written(write)
    else:
        yield table_of(request["TableName"]), _written(request)


def _written(write: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = write.get("PutRequest") or write.get("DeleteRequest") or write
    item: Mapping[str, Any] = found.get("Item") or found["Key"]
    return item


def entries(operation: str, request: Mapping[str, Any]) -> list[Entry]:
    """The requests of a batch, each with its table; none when the batch is not formed as one."""
    wanted = request.get("RequestItems")
    if operation not in LEFT_OVER or not isinstance(wanted, Mapping):
        return []
    lists = {name: _listed(part) for name, part in wanted.items()}
    return [(name, each) for name, found in lists.items() for each in found]


def _listed(part: object) -> Sequence[Any]:
    found = part.get("Keys") if isinstance(part, Mapping) else part
    return found if isinstance(found, list) else []


def chosen(request: Mapping[str, Any], wanted: Iterable[Entry]) -> dict[str, Any]:
    """The RequestItems of a batch with only these of its entries."""
    found: dict[str, Any] = {}
    for name, entry in wanted:
        part = request["RequestItems"][name]
        if isinstance(part, Mapping):
            found.setdefault(name, {**part, "Keys": []})["Keys"].append(entry)
        else:
            found.setdefault(name, []).append(entry)
    return found


def joined(left: Mapping[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """What one answer left over, and what was held back from it, as one."""
    found = dict(left)
    for name, part in held.items():
        if name not in found:
            found[name] = part
        elif isinstance(part, Mapping):
            found[name] = {**part, "Keys": [*found[name]["Keys"], *part["Keys"]]}
        else:
            found[name] = [*found[name], *part]
    return found
