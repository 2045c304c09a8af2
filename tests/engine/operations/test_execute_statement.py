"""ExecuteStatement: what statements find and change, page by page, and what is wrong with them."""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine import Engine
from hansang.engine.partiql.parser import parse
from hansang.errors import WireError
from tests.engine.items import KB, Item, filled, item
from tests.engine.tables import Index, Table, create, refused

INVALID = "One or more parameter values were invalid: "
_SEVERAL = ("HASH", "RANGE", "RANGE")
MALFORMED = "Statement wasn't well formed, can't be processed: "


@pytest.fixture
def table(engine: Engine) -> Table:
    found = create(
        engine,
        "pk sk:N",
        "Rice",
        local=[Index("near", "pk l", include=())],
        world=[Index("far", "g", include=("y",))],
    )
    for number in range(4):
        found.put(item(pk="a", sk=number, l=str(9 - number), g="g", y=number, m={"n": ["u", "v"]}, only=1))
    found.put(item(pk="b", sk=0))
    return found


def execute(table: Table, statement: str, *parameters: Any, **more: Any) -> dict[str, Any]:
    given_ = {"Parameters": [item(v=value)["v"] for value in parameters]} if parameters else {}
    return table.engine.call("ExecuteStatement", {"Statement": statement, **given_, **more})


def numbers(answer: dict[str, Any]) -> list[int]:
    return [int(each["sk"]["N"]) for each in answer["Items"]]


# ── SELECT ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("pk = 'a'", [0, 1, 2, 3]),
        ("'a' = pk AND 2 <= sk", [2, 3]),
        ("pk = 'a' AND sk BETWEEN 1 AND 2", [1, 2]),
        ("pk = 'a' AND sk IN (0, 3)", [0, 3]),
        ("pk = 'a' AND sk > 0 AND sk < 3", [1, 2]),
        ("pk = 'a' AND (y = 0 OR y = 3)", [0, 3]),
        ("pk = 'a' AND y != 0", [1, 2, 3]),
        ("pk = 'a' AND m.n[1] = 'v' AND y = 1", [1]),
        ("pk = 'a' AND m['n'][0] = 'u' AND NOT y < 3", [3]),
        ("pk = 'a' AND attribute_type(m, 'M') AND size(m.n) = 2 AND y = 2.0", [2]),
        ("pk = 'a' AND contains(m.n, 'v') AND y >= 3e0", [3]),
        ("pk = 'a' AND y IS NOT NULL AND \"y\" = -0", [0]),
        ("pk IN ['b', 'a', 'b'] AND sk < 2", [0, 0, 1]),
        ("pk = 'none'", []),
    ],
)
def test_a_condition_on_the_key_is_a_query(table: Table, where: str, found: list[int]) -> None:
    answer = execute(table, f"SELECT * FROM Rice WHERE {where}", ReturnConsumedCapacity="TOTAL")
    assert numbers(answer) == found
    assert answer["ConsumedCapacity"]["CapacityUnits"] <= 1


def test_without_the_key_all_is_scanned(table: Table) -> None:
    assert sorted(numbers(execute(table, "SELECT sk FROM Rice"))) == [0, 0, 1, 2, 3]
    assert sorted(numbers(execute(table, "SELECT * FROM Rice WHERE sk = 0;"))) == [0, 0]


def test_columns_are_named_after_the_ends_of_their_paths(table: Table) -> None:
    statement = 'SELECT sk, m.n[1], "m"."n", nothing FROM "Rice" WHERE pk = \'a\' AND sk = 0'
    assert execute(table, statement)["Items"] == [item(**{"sk": 0, "n[1]": "v", "n": ["u", "v"]})]


def test_items_are_sorted_by_the_sort_key(table: Table) -> None:
    assert numbers(execute(table, "SELECT * FROM Rice WHERE pk = 'a' ORDER BY sk DESC")) == [3, 2, 1, 0]
    assert numbers(execute(table, "SELECT * FROM Rice WHERE pk = 'a' ORDER BY pk, sk ASC")) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("pk DESC", [2, 1, 3, 2, 1, 3]),
        ("pk DESC, sk", [1, 2, 1, 2, 3, 3]),
        ("pk, sk DESC", [3, 3, 2, 1, 2, 1]),
        ("pk ASC", [3, 1, 2, 3, 1, 2]),
    ],
)
def test_partitions_are_sorted_by_the_partition_key(engine: Engine, order: str, found: list[int]) -> None:
    """As numbers: 10 behind 9."""
    table = create(engine, "pk:N sk:N", "Rice")
    for partition, numbers_ in ((9, (1, 2, 3)), (10, (1, 2)), (-1, (3,))):
        for number in numbers_:
            table.put(item(pk=partition, sk=number))
    statement = f"SELECT * FROM Rice WHERE pk IN [10, -1, 9] ORDER BY {order}"
    answer = execute(table, statement, Limit=2)
    walked = numbers(answer)
    while "NextToken" in answer:
        answer = execute(table, statement, Limit=2, NextToken=answer["NextToken"])
        walked += numbers(answer)
    assert walked == numbers(execute(table, statement)) == found


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("ORDER BY b DESC", "dcba"),
        ("ORDER BY a, b DESC, c DESC", "dcba"),
        ("AND b = 'x' ORDER BY b DESC, c ASC", "ab"),
        ("AND b = 'y' ORDER BY c DESC", "dc"),
        ("ORDER BY b DESC, c", None),
        ("ORDER BY c", None),
        ("ORDER BY c, b", None),
    ],
)
def test_a_sort_key_of_several_attributes_is_sorted_as_it_lies_or_not(
    engine: Engine, rest: str, found: str | None
) -> None:
    table = create(engine, "pk", "Rice")
    kinds = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", *"abc")]
    key = [{"AttributeName": name, "KeyType": role} for name, role in zip("abc", _SEVERAL, strict=True)]
    far = {"IndexName": "far", "KeySchema": key, "Projection": {"ProjectionType": "ALL"}}
    table.call("UpdateTable", AttributeDefinitions=kinds, GlobalSecondaryIndexUpdates=[{"Create": far}])
    for name, b, c in (("a", "x", "1"), ("b", "x", "2"), ("c", "y", "1"), ("d", "y", "2")):
        table.put(item(pk=name, a="a", b=b, c=c))
    statement = f"SELECT pk FROM Rice.far WHERE a = 'a' {rest}"
    if found is None:
        with refused("ORDER BY clause must follow the primary key, and its sort key in one direction"):
            execute(table, statement)
    else:
        assert "".join(each["pk"]["S"] for each in execute(table, statement)["Items"]) == found


def test_an_index_is_named_behind_its_table(table: Table) -> None:
    far = execute(table, "SELECT * FROM Rice.far WHERE g = 'g' AND y > 1", ReturnConsumedCapacity="INDEXES")
    assert {tuple(sorted(each)) for each in far["Items"]} == {("g", "pk", "sk", "y")}
    assert far["ConsumedCapacity"]["GlobalSecondaryIndexes"]["far"]["CapacityUnits"] == 0.5
    near = execute(table, "SELECT only FROM \"Rice\".\"near\" WHERE pk = 'a' AND begins_with(l, '9')")
    assert near["Items"] == [item(only=1)]


def test_pages_go_on_where_they_ended(table: Table) -> None:
    statement = "SELECT * FROM Rice WHERE pk IN ['a', 'b']"
    token: dict[str, str] = {}
    found: list[int] = []
    for _ in range(10):
        answer = execute(table, statement, Limit=2, **token)
        found += numbers(answer)
        if "NextToken" not in answer:
            break
        token = {"NextToken": answer["NextToken"]}
    assert found == [0, 1, 2, 3, 0]
    with refused("NextToken does not match request"):
        execute(table, "SELECT * FROM Rice WHERE pk IN ['a', 'c']", **token)


@pytest.mark.parametrize("number", [2, 49, -1, True, 1.0, "0", None])
def test_a_token_that_was_changed_is_refused(table: Table, number: object) -> None:
    statement = "SELECT * FROM Rice WHERE pk IN ['a', 'b']"
    digest, _, last = json.loads(b64decode(execute(table, statement, Limit=1)["NextToken"]))
    changed = urlsafe_b64encode(json.dumps([digest, number, last]).encode()).decode()
    with refused("Invalid NextToken"):
        execute(table, statement, NextToken=changed)


def test_a_page_of_several_partitions_ends_at_a_megabyte(engine: Engine) -> None:
    """As AWS does: what is read counts, in whichever partition it is; a token goes on in the right one."""
    table = create(engine, "pk sk:N", "Rice")
    for number, partition in enumerate("abcdef"):
        table.put(filled(300 * KB, pk=partition) | item(sk=number))
    statement = "SELECT sk FROM Rice WHERE pk IN ['a', 'b', 'c', 'd', 'e', 'f']"
    answer = execute(table, statement)
    pages = [numbers(answer)]
    while "NextToken" in answer:
        answer = execute(table, statement, NextToken=answer["NextToken"])
        pages.append(numbers(answer))
    assert [number for page in pages for number in page] == [0, 1, 2, 3, 4, 5]
    assert len(pages[0]) == 4


def test_a_limit_holds_for_all_partitions_together(engine: Engine) -> None:
    plain = create(engine, "pk", "Plain")
    for name in "abc":
        plain.put(item(pk=name))
    statement = "SELECT * FROM Plain WHERE pk IN ['a', 'b', 'c']"
    first = execute(plain, statement, Limit=2)
    assert first["Items"] == [item(pk="a"), item(pk="b")]
    rest = execute(plain, statement, Limit=2, NextToken=first["NextToken"])
    assert rest == {"Items": [item(pk="c")]}


@pytest.mark.parametrize("token", ["x", "eA==", "WzEsMl0=", "bnVsbA==", "가"])
def test_a_token_that_is_none_is_refused(table: Table, token: str) -> None:
    with refused("Invalid NextToken"):
        execute(table, "SELECT * FROM Rice", NextToken=token)


def test_a_large_page_ends_at_a_megabyte(table: Table) -> None:
    for number in range(4):
        table.put(filled(300 * KB, pk="large") | item(sk=number))
    answer = execute(table, "SELECT sk FROM Rice WHERE pk = ?", "large", ConsistentRead=True)
    assert numbers(answer) == [0, 1, 2, 3]
    assert answer["LastEvaluatedKey"] == item(pk="large", sk=3)


# ── INSERT, UPDATE, DELETE ────────────────────────────────────────────────────────────────────────


def test_values_of_every_type_can_be_written_out(table: Table) -> None:
    execute(
        table,
        "INSERT INTO Rice VALUE {'pk': 'it''s', 'sk': -1.50, 'flag': true, 'none': NULL, 'list': [1, 'a', [?]], "
        "'map': {'a': {'b': false}}, 'texts': <<'b', 'a'>>, 'numbers': <<2, 1.0>>, 'raw': ?}",
        "x",
        b"\0",
    )
    assert table.found(item(pk="it's", sk="-1.5") | {"sk": {"N": "-1.5"}}) == {
        "pk": {"S": "it's"},
        "sk": {"N": "-1.5"},
        "flag": {"BOOL": True},
        "none": {"NULL": True},
        "list": {"L": [{"N": "1"}, {"S": "a"}, {"L": [{"S": "x"}]}]},
        "map": {"M": {"a": {"M": {"b": {"BOOL": False}}}}},
        "texts": {"SS": ["a", "b"]},
        "numbers": {"NS": ["1", "2"]},
        "raw": {"B": "AA=="},
    }


def test_an_item_that_is_there_is_not_inserted(table: Table) -> None:
    with refused("Duplicate primary key exists in table", "DuplicateItemException"):
        execute(table, "INSERT INTO Rice VALUE {'pk': 'b', 'sk': 0, 'x': 1}")
    assert table.found(item(pk="b", sk=0)) == item(pk="b", sk=0)


UPDATES: list[tuple[str, Item]] = [
    ("SET x = 1", item(pk="b", sk=0, x=1)),
    ("SET x = 1 SET y = 'a'", item(pk="b", sk=0, x=1, y="a")),
    ("SET x = 1, y = 2 REMOVE z", item(pk="b", sk=0, x=1, y=2)),
    ("SET x = list_append([1], [2])", item(pk="b", sk=0, x=[1, 2])),
    ("SET x = set_add(x, <<'a', 'b'>>)", item(pk="b", sk=0, x={"a", "b"})),
    ("SET x = set_delete(x, <<'a'>>)", item(pk="b", sk=0)),
    ("SET x = 5 - 7", item(pk="b", sk=0, x=-2)),
]


@pytest.mark.parametrize(("actions", "after"), UPDATES)
def test_an_update_changes_the_item(table: Table, actions: str, after: Item) -> None:
    execute(table, f"UPDATE Rice {actions} WHERE pk = 'b' AND sk = 0")
    assert table.found(item(pk="b", sk=0)) == after


@pytest.mark.parametrize(
    ("returning", "items"),
    [
        ("ALL OLD", [item(pk="b", sk=0)]),
        ("ALL NEW", [item(pk="b", sk=0, x=1)]),
        ("MODIFIED OLD", []),
        ("MODIFIED NEW", [item(x=1)]),
    ],
)
def test_an_update_returns_what_is_asked_for(table: Table, returning: str, items: list[Item]) -> None:
    answer = execute(table, f"UPDATE Rice SET x = 1 WHERE pk = 'b' AND sk = 0 RETURNING {returning} *")
    assert answer == {"Items": items}


@pytest.mark.parametrize("where", ["pk = 'b' AND sk = 1", "pk = 'b' AND sk = 0 AND x = 1"])
def test_an_update_makes_no_item(table: Table, where: str) -> None:
    with refused("The conditional request failed", "ConditionalCheckFailedException"):
        execute(table, f"UPDATE Rice SET y = 1 WHERE {where}")
    assert table.found(item(pk="b", sk=1)) is None


def test_what_is_there_can_be_shown_when_a_condition_fails(table: Table) -> None:
    with pytest.raises(WireError) as caught:
        execute(
            table,
            "UPDATE Rice SET y = 1 WHERE pk = 'b' AND sk = 0 AND x = 1",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.fields["Item"] == item(pk="b", sk=0)


def test_a_deletion_returns_the_item(table: Table) -> None:
    statement = "DELETE FROM Rice WHERE pk = 'b' AND sk = 0 RETURNING ALL OLD *"
    assert execute(table, statement, ReturnConsumedCapacity="TOTAL") == {
        "Items": [item(pk="b", sk=0)],
        "ConsumedCapacity": {"TableName": "Rice", "CapacityUnits": 1.0},
    }
    assert execute(table, statement) == {"Items": []}


def test_a_deletion_of_nothing_meets_every_condition(table: Table) -> None:
    assert execute(table, "DELETE FROM Rice WHERE pk = 'b' AND sk = 7 AND x = 1") == {"Items": []}
    with refused("The conditional request failed", "ConditionalCheckFailedException"):
        execute(table, "DELETE FROM Rice WHERE pk = 'b' AND sk = 0 AND x = 1")


# ── refusals ──────────────────────────────────────────────────────────────────────────────────────

KEYLESS = "Where clause does not contain a mandatory equality on all key attributes"
ONLY_OLD = "Only RETURNING ALL OLD * is allowed in DELETE statements."
WRONG: list[tuple[str, str]] = [
    ("SELECTT * FROM Rice", MALFORMED + "Expected data manipulation"),
    ("SELECT * FROM Rice WHERE", MALFORMED + "Unexpected term the end at 1:25"),
    ("SELECT *\nFROM Rice WHERE pk ~ 1", MALFORMED + "Unexpected character '~' at 2:20"),
    ("SELECT * FROM Rice WHERE pk = 'a' 'b'", MALFORMED + "Unexpected term 'b' at 1:35"),
    ("SELECT COUNT(*) FROM Rice", "Unexpected path component at 1:8:5"),
    ("SELECT * FROM Rice.far.more", "A path may contain at most 2 components in the FROM clause"),
    ('SELECT * FROM Rice.""', "Path component cannot be an empty string"),
    ('SELECT "" FROM Rice', "Path component cannot be an empty string"),
    ("UPDATE Rice SET \"\" = 1 WHERE pk = 'a' AND sk = 0", "Path component cannot be an empty string"),
    ("UPDATE Rice SET m.\"\" = 1 WHERE pk = 'a' AND sk = 0", "Path component cannot be an empty string"),
    ("UPDATE Rice SET m[''] = 1 WHERE pk = 'a' AND sk = 0", "Path component cannot be an empty string"),
    ("SELECT * FROM Rice.nothing", "The table does not have the specified index"),
    ("SELECT m FROM Rice.far WHERE g = 'g'", INVALID + "Global secondary index far does not project [m]"),
    ("SELECT * FROM Rice.far WHERE g = 'g' AND m = 1",
     INVALID + "Secondary index far does not project one or more filter attributes: [m]"),
    ("SELECT * FROM Rice WHERE pk = 1", INVALID + "Condition parameter type does not match schema type"),
    ("SELECT * FROM Rice WHERE y < true",
     "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL"),
    ("SELECT * FROM Rice WHERE sk = 1 ORDER BY sk",
     "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."),
    ("SELECT * FROM Rice WHERE pk = 'a' ORDER BY y",
     "Variable reference y in ORDER BY clause must be part of the primary key"),
    ("UPDATE Rice SET x = 1 WHERE pk = 'a'", KEYLESS),
    ("UPDATE Rice SET x = 1", KEYLESS),
    ("DELETE FROM Rice WHERE pk = 'a' AND sk = 1 OR sk = 2", KEYLESS),
    ("DELETE FROM Rice.far WHERE pk = 'a' AND sk = 1", "This operation is not supported on an index"),
    ("DELETE FROM Rice WHERE pk = 'a' AND sk = 1 RETURNING MODIFIED OLD *",
     f"Invalid returning clause: RETURNING MODIFIED OLD *. {ONLY_OLD}"),
    ("UPDATE Rice SET sk = 1 WHERE pk = 'a' AND sk = 1",
     INVALID + "Cannot update attribute sk. This attribute is part of the key"),
    ("UPDATE Rice SET x = ? WHERE pk = 'a' AND sk = 1",
     "Number of parameters in request and statement don't match."),
    ("INSERT INTO Rice VALUE {'pk': 'a'}", INVALID + "Missing the key sk in the item"),
    ("INSERT INTO Rice VALUE 'a'", MALFORMED + "Expected a map of attributes behind VALUE"),
    ("EXISTS(SELECT * FROM Rice WHERE pk = 'a' AND sk = 1)",
     "EXISTS is only supported in ExecuteTransaction"),
    ("SELECT * FROM Rice WHERE " + "(" * 4000, MALFORMED + "The statement is nested too deeply"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "words"), WRONG, ids=[statement[:60] for statement, _ in WRONG])
def test_what_is_wrong_with_a_statement_is_said(table: Table, statement: str, words: str) -> None:
    with refused(words):
        execute(table, statement)


def test_a_table_that_is_not_there_is_not_found(table: Table) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        execute(table, "SELECT * FROM nothing WHERE pk = 'a'")


def test_a_global_index_is_never_read_consistently(table: Table) -> None:
    with refused("Strongly consistent read is not supported on Global Secondary Indexes"):
        execute(table, "SELECT * FROM Rice.far WHERE g = 'g'", ConsistentRead=True)


def test_a_statement_is_read_once() -> None:
    text = "SELECT a FROM b WHERE c = ?"
    assert parse(text) is parse(text)


WORDS = "SELECT INSERT UPDATE DELETE FROM INTO VALUE SET REMOVE WHERE AND OR NOT IN IS MISSING NULL BETWEEN"
MORE = "ORDER BY RETURNING ALL OLD EXISTS Rice Rice.far pk sk m.n[0] size( begins_with( ? * ( ) [ ] { } << >>"
FRAGMENTS = f"{WORDS} {MORE} , : = < <> 'a' 1 -1 true \"q\" . ;".split()
REFUSALS = ("ValidationException", "ResourceNotFoundException", "ConditionalCheckFailedException")


@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=14).map(" ".join))
def test_no_statement_is_a_fault_of_the_engine(statement: str) -> None:
    with Engine.open(":memory:", sweep_seconds=None) as engine:
        create(engine, "pk sk:N", "Rice", world=[Index("far", "g")])
        try:
            answer = engine.call("ExecuteStatement", {"Statement": statement})
        except WireError as error:
            answer = {"Items": [], "refused": error.code}
    assert answer["Items"] == []
    assert answer.get("refused", REFUSALS[0]) in REFUSALS
