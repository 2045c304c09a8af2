"""The page that compares libraries: its programs run, its lines are counted, and its mistakes are made."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from hansang import testing

PAGE = Path(__file__).parent.parent / "docs" / "comparison.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^## ([\w-]+)\n\n```(?:python|ts)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
TASKS = {
    1: "the table's kinds and its index",
    2: "create, if it is not there",
    3: "read by key",
    4: "the newest, two pages",
    5: "a range of days",
    6: "by status, from an index",
    7: "take from a number, not below 0",
    8: "two writes or none",
    9: "several kinds in one read",
    10: "change, if nobody has since",
}
SHOP: Any = {
    "TableName": "Shop",
    "KeySchema": [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "StatusPK", "StatusSK")
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "ByStatus",
            "KeySchema": [
                {"AttributeName": "StatusPK", "KeyType": "HASH"},
                {"AttributeName": "StatusSK", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
MADE = re.compile(
    r"create_table|Embedded\.open|Customer\.put\(|Customer\.create\(|Customer\.build\(|db\.create\(Customer|\.save\(\)$"
)
"""Lines that make the table and the customer, which some programs have and others leave to the deployment."""


def lines(program: str) -> dict[int, int]:
    """How many lines each task takes."""
    found: dict[int, int] = {}
    task = 0
    for line in program.splitlines():
        mark = re.fullmatch(r"(?:#|//) (\d+)", line)
        if mark is not None:
            task = int(mark[1])
            found[task] = 0
        elif task and line.strip() and not (task == 1 and MADE.search(line)):
            found[task] += 1
    return found


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def line_table() -> str:
    counted = {name: lines(program) for name, program in PROGRAMS.items()}
    rows = [row("", *counted), "|---" * (len(counted) + 1) + "|"]
    rows += [
        row(f"{task} {what}", *(each[task] for each in counted.values())) for task, what in TASKS.items()
    ]
    return "\n".join([*rows, row("all", *(sum(each.values()) for each in counted.values()))])


@contextmanager
def run(name: str, folder: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    """The names of a program that has run, and a client that sees its table."""
    file = folder / f"compared_{name.lower()}.py"
    file.write_text(PROGRAMS[name], encoding="utf-8")
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with testing.boto3(tables=[SHOP] if name == "pydynantic" else []) as opened:
        sys.modules[file.stem] = module
        try:
            spec.loader.exec_module(module)
            yield vars(module), opened
        finally:
            del sys.modules[file.stem]
            if "db" in vars(module):
                module.db.backend.close()


def table_of(names: dict[str, Any], opened: Any) -> Any:
    """The backend that has the table of a program."""
    return names["db"].backend if "db" in names else opened


def stored(backend: Any) -> Any:
    return backend.call("Scan", {"TableName": "Shop"})["Items"]


def restore(backend: Any, before: Any) -> None:
    for item in stored(backend):
        backend.call("DeleteItem", {"TableName": "Shop", "Key": {name: item[name] for name in ("PK", "SK")}})
    for item in before:
        backend.call("PutItem", {"TableName": "Shop", "Item": item})


OURS, PYNAMODB, PYDYNANTIC = "Hansang", "PynamoDB", "pydynantic"
MISTAKES: dict[str, dict[str, str]] = {
    "a `#` in the customer's id": {
        OURS: 'db.create(Customer(id="c#1", name="x"))',
        PYNAMODB: 'Customer("CUSTOMER#c#1", "CUSTOMER", name="x").save()',
        PYDYNANTIC: 'Customer.put(Customer(customer="c#1", name="x"))',
    },
    "an empty id": {
        OURS: 'db.create(Customer(id="", name="x"))',
        PYNAMODB: 'Customer("CUSTOMER#", "CUSTOMER", name="x").save()',
        PYDYNANTIC: 'Customer.put(Customer(customer="", name="x"))',
    },
    "a tenth of a won": {
        OURS: 'db.create(Customer(id="c2", name="x", credit=0.1))',
        PYNAMODB: 'Customer("CUSTOMER#c2", "CUSTOMER", name="x", credit=0.1).save()',
        PYDYNANTIC: 'Customer.put(Customer(customer="c2", name="x", credit=0.1))',
    },
    "a misspelt field in a change": {
        OURS: 'db.update(CustomerKey(id="c1"), attr(Customer.naem).set("x"))',
        PYNAMODB: 'customer.update(actions=[Customer.naem.set("x")])',
        PYDYNANTIC: 'Customer.update(customer="c1", set={"naem": "x"})',
    },
    "a text for a number in a change": {
        OURS: 'db.update(CustomerKey(id="c1"), attr(Customer.credit).set("much"))',
        PYNAMODB: 'customer.update(actions=[Customer.credit.set("much")])',
        PYDYNANTIC: 'Customer.update(customer="c1", set={"credit": "much"})',
    },
    "a change of a customer that is not there": {
        OURS: 'db.update(CustomerKey(id="gone"), attr(Customer.credit).add(1))',
        PYNAMODB: 'Customer("CUSTOMER#gone", "CUSTOMER").update(actions=[Customer.credit.add(1)])',
        PYDYNANTIC: 'Customer.update(customer="gone", add={"credit": 1})',
    },
    "a credit below 0, its bound forgotten": {
        OURS: 'db.update(CustomerKey(id="c1"), attr(Customer.credit).add(-9999))',
        PYNAMODB: "customer.update(actions=[Customer.credit.add(-9999)])",
        PYDYNANTIC: 'Customer.update(customer="c1", add={"credit": -9999})',
    },
    "a misspelt field in a filter": {
        OURS: 'db.all(Order.query(Order.customer == "c1").where(Order.totl > 1))',
        PYNAMODB: 'list(Order.query("CUSTOMER#c1", filter_condition=Order.totl > 1))',
        PYDYNANTIC: 'Order.query.primary(customer="c1").filter(F("totl") > 1).all()',
    },
}


def outcome(line: str, names: dict[str, Any], backend: Any) -> str:
    before = stored(backend)
    try:
        exec(line, names)
    except Exception:
        found = "refused" if stored(backend) == before else "written, then an error"
    else:
        found = "accepted"
    restore(backend, before)
    return found


def mistakes(folder: Path) -> str:
    """What the three make of each mistake."""
    found: dict[str, list[str]] = {}
    for name in (OURS, PYNAMODB, PYDYNANTIC):
        with run(name, folder) as (names, opened):
            backend = table_of(names, opened)
            found[name] = [outcome(made[name], names, backend) for made in MISTAKES.values()]
    rows = [row("", *found), "|---" * (len(found) + 1) + "|"]
    return "\n".join([*rows, *(row(*cells) for cells in zip(MISTAKES, *found.values(), strict=True))])


@pytest.mark.parametrize("name", [OURS, PYNAMODB, PYDYNANTIC])
def test_the_ten_tasks_are_done(name: str, tmp_path: Path) -> None:
    with run(name, tmp_path) as (names, opened):
        page, rest = (getattr(names[each], "items", names[each]) for each in ("page", "rest"))
        assert (len(page), len(rest)) == (2, 2)
        assert [each.total for each in names["march"]] == [100, 100]
        assert len(names["waiting"]) == 4
        items = stored(table_of(names, opened))
    assert sorted(int(item["total"]["N"]) for item in items if "total" in item) == [100, 100, 100, 150, 300]
    assert [item["credit"]["N"] for item in items if "credit" in item] == ["0"]


def test_the_lines_are_counted() -> None:
    assert all(lines(program).keys() == TASKS.keys() for program in PROGRAMS.values())
    assert line_table() in TEXT


def test_the_mistakes_end_as_the_page_says(tmp_path: Path) -> None:
    assert mistakes(tmp_path) in TEXT
