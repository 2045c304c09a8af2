"""ListTables: the names of the tables, in order, a page at a time."""

from __future__ import annotations

import pytest

from hansang.engine import Engine
from tests.engine.control import Request, create, definition, fault, faults, invalid, refusal

LETTERS = ["Zebra", "apple", "apple.pie", "apple_pie", "mango"]


@pytest.fixture
def listed(engine: Engine) -> Engine:
    for name in reversed(LETTERS):
        create(engine, definition(name))
    return engine


def test_no_tables_is_an_empty_list(engine: Engine) -> None:
    assert engine.call("ListTables", {}) == {"TableNames": []}


def test_names_come_in_the_order_of_their_bytes(listed: Engine) -> None:
    assert listed.call("ListTables", {}) == {"TableNames": LETTERS}


def test_pages_follow_one_another_to_the_end(listed: Engine) -> None:
    found: list[str] = []
    request: Request = {"Limit": 2}
    while True:
        page = listed.call("ListTables", request)
        found += page["TableNames"]
        if "LastEvaluatedTableName" not in page:
            break
        assert page["LastEvaluatedTableName"] == page["TableNames"][-1]
        request = {"Limit": 2, "ExclusiveStartTableName": page["LastEvaluatedTableName"]}
    assert found == LETTERS


def test_a_page_that_ends_with_the_last_table_says_so(listed: Engine) -> None:
    assert "LastEvaluatedTableName" not in listed.call("ListTables", {"Limit": len(LETTERS)})


def test_a_page_may_start_behind_a_name_that_is_not_there(listed: Engine) -> None:
    page = listed.call("ListTables", {"ExclusiveStartTableName": "banana"})
    assert page == {"TableNames": ["mango"]}


def test_a_page_has_a_hundred_names_at_most(engine: Engine) -> None:
    for number in range(101):
        create(engine, definition(f"t-{number:03d}"))
    page = engine.call("ListTables", {})
    assert len(page["TableNames"]) == 100
    assert page["LastEvaluatedTableName"] == "t-099"


def test_null_parameters_are_no_parameters(listed: Engine) -> None:
    request = {"Limit": None, "ExclusiveStartTableName": None, "Unknown": "ignored"}
    assert listed.call("ListTables", request) == {"TableNames": LETTERS}


PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
SHORTEST = "Member must have length greater than or equal to 3"
WRONG: dict[str, tuple[Request, list[str]]] = {
    "no limit": (
        {"Limit": 0},
        [fault("0", "limit", "Member must have value greater than or equal to 1")],
    ),
    "a high limit": (
        {"Limit": 101},
        [fault("101", "limit", "Member must have value less than or equal to 100")],
    ),
    "an empty start": (
        {"ExclusiveStartTableName": ""},
        [fault("", "exclusiveStartTableName", PATTERN), fault("", "exclusiveStartTableName", SHORTEST)],
    ),
    "a wrong start and a wrong limit": (
        {"ExclusiveStartTableName": "a;", "Limit": 500},
        [
            fault("a;", "exclusiveStartTableName", PATTERN),
            fault("a;", "exclusiveStartTableName", SHORTEST),
            fault("500", "limit", "Member must have value less than or equal to 100"),
        ],
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_parameter_out_of_shape_is_refused(engine: Engine, case: str) -> None:
    request, expected = WRONG[case]
    assert faults(invalid(engine, "ListTables", request)) == sorted(expected)


def test_a_limit_is_a_number(engine: Engine) -> None:
    expected = ("SerializationException", "STRING_VALUE cannot be converted to Integer")
    assert refusal(engine, "ListTables", {"Limit": "23"}) == expected
