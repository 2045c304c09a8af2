"""Fingerprints of tables: how many items, and a hash that does not depend on their order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hansang.backends.base import Backend
from hansang.blueprint.live import call
from hansang.design.shape import Item

_MODULUS = 2**256


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The count and the sum of the hashes of items."""

    count: int = 0
    sum: int = 0

    def with_items(self, items: Iterable[Item]) -> Fingerprint:
        count, total = self.count, self.sum
        for item in items:
            count, total = count + 1, (total + _hash(item)) % _MODULUS
        return Fingerprint(count, total)

    def __str__(self) -> str:
        return f"{self.count:,} items, {self.sum:064x}"[: 32 + len(f"{self.count:,} items, ")]


def _hash(item: Item) -> int:
    text = json.dumps(canonical({"M": item}), sort_keys=True, ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def canonical(value: dict[str, Any]) -> dict[str, Any]:
    """A value in the one form that all backends' answers can be compared in."""
    [(tag, content)] = value.items()
    if tag == "M":
        return {tag: {name: canonical(each) for name, each in content.items()}}
    if tag == "L":
        return {tag: [canonical(each) for each in content]}
    if tag == "N":
        return {tag: _number(content)}
    if tag == "NS":
        return {tag: sorted(map(_number, content))}
    return {tag: sorted(content)} if tag in ("SS", "BS") else value


def _number(text: str) -> str:
    number = Decimal(text)
    return "0" if number == 0 else str(number.normalize())


def pages(
    backend: Backend, table: str, start: Item | None = None
) -> Iterator[tuple[list[Item], Item | None]]:
    """The items of a table, a page at a time, and where the next page begins."""
    while True:
        request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
        if start is not None:
            request["ExclusiveStartKey"] = start
        response = call(backend, "Scan", request)
        start = response.get("LastEvaluatedKey")
        yield response["Items"], start
        if start is None:
            return
