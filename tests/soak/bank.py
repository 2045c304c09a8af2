"""What all processes of the soak fight for: accounts with a sum that stays, and claims that one of them gets.

Unlike the plans of `tests.crash`, whose items have one writer each, these are written by everybody.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hansang.engine import Engine
from tests.crash.judge import scan
from tests.crash.plan import Item, table
from tests.engine.streams import stream_records

BANK = "Bank"
ACCOUNTS = 12
DEPOSIT = 1000
TOTAL = ACCOUNTS * DEPOSIT
DEFINITION = table(BANK, ["PK"])


def account(number: int) -> Item:
    return {"PK": {"S": f"account {number}"}}


def open_accounts(engine: Engine) -> None:
    """An empty bank, whatever there was before."""
    if BANK in engine.call("ListTables", {})["TableNames"]:
        engine.call("DeleteTable", {"TableName": BANK})
    engine.call("CreateTable", DEFINITION)
    for number in range(ACCOUNTS):
        item = account(number) | {"balance": {"N": str(DEPOSIT)}}
        engine.call("PutItem", {"TableName": BANK, "Item": item})


# ── requests ──────────────────────────────────────────────────────────────────────────────────────


def transfer(name: str) -> dict[str, Any]:
    """Some money from one account to another, and a receipt under the transfer's name, which nobody has yet."""
    dice = random.Random(name)
    source, target = dice.sample(range(ACCOUNTS), 2)
    amount = dice.randint(1, 60)
    receipt = {
        "PK": {"S": f"receipt {name}"},
        "source": {"N": str(source)},
        "target": {"N": str(target)},
        "amount": {"N": str(amount)},
    }
    return {
        "ClientRequestToken": name,
        "TransactItems": [
            {
                "Put": {
                    "TableName": BANK,
                    "Item": receipt,
                    "ConditionExpression": "attribute_not_exists(PK)",
                }
            },
            {"Update": _moved(source, -amount) | {"ConditionExpression": "balance >= :needed"}},
            {"Update": _moved(target, amount)},
        ],
    }


def _moved(number: int, amount: int) -> dict[str, Any]:
    values = {":amount": {"N": str(amount)}}
    if amount < 0:
        values[":needed"] = {"N": str(-amount)}
    return {
        "TableName": BANK,
        "Key": account(number),
        "UpdateExpression": "ADD balance :amount",
        "ExpressionAttributeValues": values,
    }


def claim(number: int, owner: str) -> dict[str, Any]:
    """A number for whoever asks first."""
    return {
        "TableName": BANK,
        "Item": {"PK": {"S": f"claim {number}"}, "owner": {"S": owner}},
        "ConditionExpression": "attribute_not_exists(PK)",
    }


def balances() -> dict[str, Any]:
    """All accounts as they are at one moment."""
    return {
        "TransactItems": [{"Get": {"TableName": BANK, "Key": account(number)}} for number in range(ACCOUNTS)]
    }


def total(items: Iterable[Item]) -> int:
    return sum(int(item["balance"]["N"]) for item in items if "balance" in item)


# ── the oracle ────────────────────────────────────────────────────────────────────────────────────


@dataclass
class BankJudge:
    """What was acknowledged in one round, and whether the bank agrees."""

    transfers: set[str] = field(default_factory=set)
    claims: dict[int, list[str]] = field(default_factory=dict)
    """Who was told that a number is his; more than one is a fault."""

    def verdict(self, engine: Engine) -> list[str]:
        items = {item["PK"]["S"]: item for item in scan(engine, BANK)}
        return [
            *self.copy_faults(items, self.transfers),
            *self._claim_faults(items),
            *stream_faults(stream_records(engine, BANK), items),
        ]

    def copy_faults(self, items: dict[str, Item], acknowledged: Iterable[str]) -> Iterator[str]:
        """What is wrong with the bank, or a backup of it that was begun when these transfers were acknowledged."""
        for name in acknowledged:
            if f"receipt {name}" not in items:
                yield f"transfer {name} was acknowledged and is lost"
        expected = Counter(dict.fromkeys(range(ACCOUNTS), DEPOSIT))
        for item in items.values():
            if "amount" in item:
                expected[int(item["source"]["N"])] -= int(item["amount"]["N"])
                expected[int(item["target"]["N"])] += int(item["amount"]["N"])
        for number in range(ACCOUNTS):
            found = int(items[f"account {number}"]["balance"]["N"])
            if found != expected[number]:
                yield f"account {number} has {found}, and {expected[number]} by its receipts"
        if total(items.values()) != TOTAL:
            yield f"the sum of all accounts is {total(items.values())} instead of {TOTAL}"

    def _claim_faults(self, items: dict[str, Item]) -> Iterator[str]:
        for number, owners in self.claims.items():
            stored = items.get(f"claim {number}", {}).get("owner", {}).get("S")
            if owners != [stored]:
                yield f"claim {number} was given to {owners} and is {stored}'s"


def stream_faults(records: Iterable[dict[str, Any]], items: dict[str, Item]) -> Iterator[str]:
    """For each key the records are a chain from nothing to what is stored: none is missing, twice or out of order."""
    last: dict[str, Item | None] = {}
    for record in records:
        body = record["dynamodb"]
        key = body["Keys"]["PK"]["S"]
        if last.get(key) != body.get("OldImage"):
            yield f"{key}: a record of the stream does not follow from the one before"
        last[key] = body.get("NewImage")
    for key in sorted({*last, *items}):
        if last.get(key) != items.get(key):
            yield f"{key}: the stream ends with something else than is stored"
