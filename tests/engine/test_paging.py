"""Pages of queries and scans: where they end, what they say of it, and how the next one goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.sql.reader import Reader
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import KB, Item, filled, item
from tests.engine.tables import Answer, Index, Table, create, refused

MISFIT = "The provided key element does not match the schema"
INVALID = "One or more parameter values were invalid: "
INVALID_START = "The provided starting key is invalid"
OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"
PREDICATE = "The provided starting key does not match the range key predicate"
ONE_ROW = "The query can return at most one row and cannot be restarted"


@pytest.fixture
def table(engine: Engine) -> Table:
    """Ten items of one partition, in five places of its indexes, and one elsewhere."""
    found = create(
        engine,
        "pk sk:N",
        local=[Index("local", "pk l")],
        world=[Index("world", "g h"), Index("hashed", "g", include=())],
    )
    for number in range(10):
        tie = str(number // 2)
        found.put(item(pk="p", sk=number, l=tie, g="g", h=tie, x=number))
    found.put(item(pk="q", sk=0, g="other", h="0"))
    return found


def pages(table: Table, operation: str, **request: Any) -> Iterator[Answer]:
    """Every page, each from where the one before says that it ended."""
    start: dict[str, Any] = {}
    for _ in range(100):
        answer = table.call(operation, **request, **start)
        yield answer
        if "LastEvaluatedKey" not in answer:
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    raise AssertionError("The pages do not end")


def numbers(*answers: Answer) -> list[int]:
    return [int(each["sk"]["N"]) for answer in answers for each in answer["Items"]]


# ── every item once ───────────────────────────────────────────────────────────────────────────────

PARTITIONS = [
    (None, "pk = :k", "p"),
    ("local", "pk = :k", "p"),
    ("world", "g = :k", "g"),
    ("hashed", "g = :k", "g"),
]


@clause("B7")
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize(("index", "condition", "key"), PARTITIONS)
def test_the_pages_of_a_query_hold_each_item_once(
    table: Table, index: str | None, condition: str, key: str, forward: bool
) -> None:
    options = {"IndexName": index} if index else {}
    request = {"KeyConditionExpression": condition, "ScanIndexForward": forward, "k": key, **options}
    whole = numbers(*pages(table, "Query", **request))
    assert sorted(whole) == list(range(10))
    paged = {
        limit: numbers(*pages(table, "Query", Limit=limit, **request)) for limit in (1, 2, 3, 5, 9, 10, 11)
    }
    assert [limit for limit, found in paged.items() if found != whole] == []


@pytest.mark.parametrize(("index", "condition", "key"), PARTITIONS)
def test_backward_is_forward_turned_round(table: Table, index: str | None, condition: str, key: str) -> None:
    options = {"IndexName": index} if index else {}
    ahead = numbers(table.query(condition, k=key, **options))
    back = numbers(
        *pages(
            table,
            "Query",
            KeyConditionExpression=condition,
            ScanIndexForward=False,
            Limit=3,
            k=key,
            **options,
        )
    )
    assert back == ahead[::-1]


@pytest.mark.parametrize("index", [None, "local", "world", "hashed"])
def test_the_pages_of_a_scan_hold_each_item_once(table: Table, index: str | None) -> None:
    options = {"IndexName": index} if index else {}
    paged = {
        limit: sorted(numbers(*pages(table, "Scan", Limit=limit, **options))) for limit in (1, 2, 4, 11, 12)
    }
    whole = [*([] if index == "local" else [0]), *range(10)]
    assert [limit for limit, found in paged.items() if found != whole] == []


@pytest.mark.parametrize("limit", [1, 3])
def test_the_pages_of_a_segment_hold_each_of_its_items_once(table: Table, limit: int) -> None:
    found = [
        n for s in range(3) for n in numbers(*pages(table, "Scan", Segment=s, TotalSegments=3, Limit=limit))
    ]
    assert sorted(found) == [0, *range(10)]


def test_ties_that_a_condition_picks_out_are_paged_too(table: Table) -> None:
    request = {"IndexName": "world", "KeyConditionExpression": "g = :g AND h = :h", "g": "g", "h": "3"}
    assert sorted(numbers(*pages(table, "Query", Limit=1, **request))) == [6, 7]


def test_a_walk_goes_on_behind_an_item_that_was_deleted(table: Table) -> None:
    first = table.query("pk = :p", Limit=4, p="p")
    table.delete(item(pk="p", sk=3))
    rest = table.query("pk = :p", ExclusiveStartKey=first["LastEvaluatedKey"], p="p")
    assert numbers(rest) == [4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize(("forward", "rest"), [(True, [5, 6, 7, 8, 9]), (False, [4, 3, 2, 1, 0])])
def test_a_start_key_need_not_be_that_of_an_item(table: Table, forward: bool, rest: list[int]) -> None:
    start = {"pk": {"S": "p"}, "sk": {"N": "4.5"}}
    answer = table.query("pk = :p", ExclusiveStartKey=start, ScanIndexForward=forward, p="p")
    assert numbers(answer) == rest


# ── where a page ends ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("limit", "last"), [(4, item(pk="p", sk=3)), (10, item(pk="p", sk=9)), (11, None)])
def test_a_page_that_reaches_its_limit_says_where_it_ended(
    table: Table, limit: int, last: Item | None
) -> None:
    answer = table.query("pk = :p", Limit=limit, p="p")
    assert answer.get("LastEvaluatedKey") == last


@pytest.mark.parametrize("count", [127, 128, 129, 256, 300])
def test_a_page_may_hold_hundreds_of_items(engine: Engine, count: int) -> None:
    crowd = create(engine, "pk sk:N", "Crowd")
    for number in range(count):
        crowd.put(item(pk="p", sk=number))
    for limit in (count - 1, count, count + 1, 1000):
        answer = crowd.query("pk = :p", Limit=limit, p="p")
        assert numbers(answer) == list(range(min(limit, count)))
        assert ("LastEvaluatedKey" in answer) == (limit <= count)
    assert numbers(crowd.query("pk = :p", ScanIndexForward=False, p="p")) == list(range(count))[::-1]


def test_a_page_of_several_pieces_is_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Reader.joined_pieces
    with Engine.open(tmp_path / "paged.db", sweep_seconds=None) as engine:
        table = create(engine, "pk sk:N")
        for number in range(300):
            table.put(item(pk="p", sk=number))

        def read_meanwhile(*arguments: Any, **options: Any) -> Iterator[Any]:
            for place, piece in enumerate(read(*arguments, **options)):
                yield piece
                if place == 0:
                    table.call("DeleteItem", Key=item(pk="p", sk=299))

        monkeypatch.setattr(Reader, "joined_pieces", read_meanwhile)
        query = {"KeyConditionExpression": "pk = :k", "ExpressionAttributeValues": {":k": {"S": "p"}}}
        assert [table.call("Query", **query)["Count"] for _ in range(2)] == [300, 299]


def test_behind_the_last_item_there_is_an_empty_page(table: Table) -> None:
    answer = table.query("pk = :p", ExclusiveStartKey=item(pk="p", sk=9), p="p")
    assert answer == {"Items": [], "Count": 0, "ScannedCount": 0}


@clause("B7")
@pytest.mark.parametrize(
    ("index", "condition", "key", "names"),
    [(None, "pk = :k", "p", {"pk", "sk"}), ("local", "pk = :k", "p", {"pk", "sk", "l"}),
     ("world", "g = :k", "g", {"g", "h", "pk", "sk"}), ("hashed", "g = :k", "g", {"g", "pk", "sk"})],
)  # fmt: skip
def test_a_place_in_an_index_is_its_key_and_the_key_of_the_table(
    table: Table, index: str | None, condition: str, key: str, names: set[str]
) -> None:
    options = {"IndexName": index} if index else {}
    answer = table.query(condition, Limit=3, k=key, **options)
    assert set(answer["LastEvaluatedKey"]) == names
    assert answer["LastEvaluatedKey"].items() <= answer["Items"][-1].items()


@pytest.mark.parametrize("options", [{}, {"Select": "COUNT"}])
def test_a_query_for_one_item_alone_does_not_say_where_it_ended(
    table: Table, options: dict[str, str]
) -> None:
    answer = table.query("pk = :p AND sk = :s", Limit=1, p="p", s=3, **options)
    assert (answer["Count"], "LastEvaluatedKey" in answer) == (1, False)


def test_a_page_whose_items_are_all_filtered_away_is_not_the_last(table: Table) -> None:
    found = list(
        pages(
            table, "Query", KeyConditionExpression="pk = :p", FilterExpression="x = :x", Limit=2, p="p", x=9
        )
    )
    assert [answer["Count"] for answer in found] == [0, 0, 0, 0, 1, 0]
    assert [answer["ScannedCount"] for answer in found] == [2, 2, 2, 2, 2, 0]


def test_a_page_ends_where_it_did_though_the_projection_leaves_the_key_out(table: Table) -> None:
    answer = table.query("pk = :p", ProjectionExpression="x", Limit=2, p="p")
    assert answer["Items"] == [item(x=0), item(x=1)]
    assert answer["LastEvaluatedKey"] == item(pk="p", sk=1)


@pytest.mark.parametrize("options", [{}, {"FilterExpression": "x = :x", "x": 0}])
def test_a_count_has_pages_too(table: Table, options: dict[str, Any]) -> None:
    answer = table.query("pk = :p", Select="COUNT", Limit=2, p="p", **options)
    assert "Items" not in answer
    assert answer["LastEvaluatedKey"] == item(pk="p", sk=1)


# ── one megabyte ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def heavy(engine: Engine) -> Table:
    """Twelve items of 100 KB; ten of them are less than a megabyte, eleven are more."""
    found = create(engine, "pk sk", "Heavy", world=[Index("light", "pk sk", include=())])
    for number in range(12):
        found.put(filled(100 * KB, pk="p", sk=f"{number:02}"))
    return found


@clause("R10")
def test_a_page_ends_with_the_item_that_reaches_a_megabyte(heavy: Table) -> None:
    answer = heavy.query("pk = :p", p="p")
    assert (answer["Count"], answer["LastEvaluatedKey"]) == (11, item(pk="p", sk="10"))
    rest = heavy.query("pk = :p", ExclusiveStartKey=answer["LastEvaluatedKey"], p="p")
    assert (rest["Count"], "LastEvaluatedKey" in rest) == (1, False)


@pytest.mark.parametrize("options", [{"Select": "COUNT"}, {"ProjectionExpression": "sk"}])
def test_a_megabyte_is_measured_before_the_projection(heavy: Table, options: dict[str, str]) -> None:
    assert heavy.query("pk = :p", p="p", **options)["Count"] == 11


@clause("R10", "B8")
@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_a_megabyte_is_measured_before_the_filter(heavy: Table, operation: str) -> None:
    options = {"KeyConditionExpression": "pk = :p", "p": "p"} if operation == "Query" else {}
    answer = heavy.call(operation, FilterExpression="attribute_not_exists(fill)", **options)
    assert (answer["Count"], answer["ScannedCount"]) == (0, 11)
    assert answer["LastEvaluatedKey"] == item(pk="p", sk="10")


def test_a_megabyte_of_an_index_is_what_the_index_holds(heavy: Table) -> None:
    answer = heavy.query("pk = :p", IndexName="light", p="p")
    assert (answer["Count"], "LastEvaluatedKey" in answer) == (12, False)


@pytest.mark.parametrize(("limit", "count"), [(3, 3), (11, 11), (12, 11)])
def test_the_limit_or_the_megabyte_whichever_comes_first(heavy: Table, limit: int, count: int) -> None:
    assert heavy.query("pk = :p", Limit=limit, p="p")["Count"] == count


def test_less_than_a_megabyte_is_one_page(heavy: Table) -> None:
    answer = heavy.query("pk = :p AND sk < :s", p="p", s="10")
    assert (answer["Count"], "LastEvaluatedKey" in answer) == (10, False)


# ── start keys that do not belong ─────────────────────────────────────────────────────────────────


@clause("E10")
@pytest.mark.parametrize(
    "start",
    [
        {},
        item(z=1),
        item(pk="p"),
        item(sk=1),
        item(pk="p", x=1),
        item(pk="p", sk=1, x=1),
        item(pk="p", l="0"),
    ],
)
def test_a_query_of_a_table_starts_from_the_key_of_the_table(table: Table, start: Item) -> None:
    with refused(INVALID_START):
        table.query("pk = :p", ExclusiveStartKey=start, p="p")


@pytest.mark.parametrize("start", [item(pk="p", sk="1"), item(pk=1, sk=1), item(pk="p", sk=None)])
def test_a_query_of_a_table_starts_from_a_key_of_the_right_types(table: Table, start: Item) -> None:
    with refused(INVALID_START):
        table.query("pk = :p", ExclusiveStartKey=start, p="p")


@pytest.mark.parametrize(
    "start",
    [
        {},
        item(z=1),
        item(pk="p"),
        item(pk="p", x=1),
        item(pk="p", sk=1, x=1),
        item(pk="p", sk="1"),
        item(pk=1, sk=1),
    ],
)
def test_a_scan_of_a_table_starts_from_a_key_of_the_table(table: Table, start: Item) -> None:
    with refused(f"{INVALID_START}: {MISFIT}"):
        table.scan(ExclusiveStartKey=start)


INDEX_STARTS = [
    ("local", item(pk="p", sk=1), INVALID_START),
    ("local", item(pk="p", l="0"), INVALID_START),
    ("local", item(pk="p", sk=1, l="0", g="g"), INVALID_START),
    ("world", item(pk="p", sk=1, g="g"), INVALID_START),
    ("world", item(pk="p", sk=1, g="g", x=1), INVALID_START),
    ("world", item(pk="p", sk=1, g="g", h="0", x=1), INVALID_START),
    ("hashed", item(g="g"), INVALID_START),
    ("local", item(pk="p", sk=1, l=0), INVALID_START),
    ("local", item(pk=1, sk=1, l="0"), INVALID_START),
    ("world", item(pk="p", sk=1, g=1, h="0"), INVALID_START),
    ("world", item(pk="p", sk=1, g="g", h=b"0"), INVALID_START),
    ("local", item(pk="p", sk="1", l="0"), f"{INVALID_START}: {MISFIT}"),
    ("world", item(pk=1, sk=1, g="g", h="0"), f"{INVALID_START}: {MISFIT}"),
    ("world", item(a="p", b=1, g="g", h="0"), f"{INVALID_START}: {MISFIT}"),
    ("hashed", item(pk="p", sk="1", g="g"), f"{INVALID_START}: {MISFIT}"),
]  # fmt: skip


@pytest.mark.parametrize(("index", "start", "message"), INDEX_STARTS)
def test_an_index_starts_from_its_key_and_the_key_of_the_table(
    table: Table, index: str, start: Item, message: str
) -> None:
    with refused(message):
        table.scan(IndexName=index, ExclusiveStartKey=start)
    condition = ("pk = :k", "p") if index == "local" else ("g = :k", "g")
    with refused(message):
        table.query(condition[0], IndexName=index, ExclusiveStartKey=start, k=condition[1])


BOUNDARIES: list[tuple[str | None, str, dict[str, Any], Item, str]] = [
    (None, "pk = :p", {"p": "p"}, item(pk="q", sk=1), OUTSIDE),
    ("local", "pk = :p", {"p": "p"}, item(pk="q", sk=1, l="0"), OUTSIDE),
    ("world", "g = :p", {"p": "g"}, item(pk="p", sk=1, g="z", h="0"), OUTSIDE),
    (None, "pk = :p AND sk > :s", {"p": "p", "s": 5}, item(pk="p", sk=5), PREDICATE),
    (None, "pk = :p AND sk < :s", {"p": "p", "s": 5}, item(pk="p", sk=7), PREDICATE),
    (None, "pk = :p AND sk BETWEEN :s AND :t", {"p": "p", "s": 2, "t": 4}, item(pk="p", sk=5), PREDICATE),
    (None, "pk = :p AND sk > :s", {"p": "p", "s": 5}, item(pk="q", sk=5), PREDICATE),
    ("local", "pk = :p AND begins_with(l, :s)", {"p": "p", "s": "3"}, item(pk="p", sk=1, l="0"), PREDICATE),
    ("world", "g = :p AND h = :s", {"p": "g", "s": "3"}, item(pk="p", sk=1, g="g", h="0"), PREDICATE),
    (None, "pk = :p AND sk < :s", {"p": "p", "s": 5}, item(pk="q", sk=1), ONE_ROW),
    ("world", "g = :p AND h = :s", {"p": "g", "s": "0"}, item(pk="p", sk=1, g="z", h="0"), ONE_ROW),
    (None, "pk = :p AND sk = :s", {"p": "p", "s": 5}, item(pk="p", sk=5), ONE_ROW),
]  # fmt: skip


@pytest.mark.parametrize(("index", "condition", "values", "start", "message"), BOUNDARIES)
def test_a_query_starts_from_where_it_could_have_stopped(
    table: Table, index: str | None, condition: str, values: dict[str, Any], start: Item, message: str
) -> None:
    options = {"IndexName": index} if index else {}
    with refused(message):
        table.query(condition, ExclusiveStartKey=start, **values, **options)


@clause("E10")
def test_a_query_of_a_table_without_a_sort_key_has_no_second_page(engine: Engine) -> None:
    plain = create(engine, "pk", "Plain")
    plain.put(item(pk="p"))
    with refused(ONE_ROW):
        plain.query("pk = :p", ExclusiveStartKey=item(pk="p"), p="p")


@pytest.mark.parametrize(
    ("condition", "start", "message"),
    [("z = :z", {}, INVALID_START),
     ("z = :z", item(pk=1, z=1), INVALID_START),
     ("z = :z", item(pk="p", z=1), "Query condition missed key schema element: pk"),
     ("pk = :z", item(pk="p", sk="s"), INVALID + "Condition parameter type does not match schema type")],
)  # fmt: skip
def test_the_key_is_gone_along_in_the_start_key_and_in_the_condition(
    table: Table, condition: str, start: Item, message: str
) -> None:
    with refused(message):
        table.query(condition, ExclusiveStartKey=start, z=1)


def test_a_start_key_is_judged_before_the_filter(table: Table) -> None:
    with refused(INVALID_START):
        table.query("pk = :p", ExclusiveStartKey={}, FilterExpression="sk = :p", p="p")


@pytest.mark.parametrize(
    ("value", "message"),
    [({}, INVALID_START + ": Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
     ({"S": "a", "N": "1"}, INVALID_START + ": Supplied AttributeValue has more than one datatypes set, "
      "must contain exactly one of the supported datatypes"),
     ({"SS": []}, INVALID_START + ": One or more parameter values were invalid: An string set  may not be empty"),
     ({"NULL": False}, INVALID_START + ": One or more parameter values were invalid: "
      "Null attribute value types must have the value of true"),
     ({"N": "one"}, "The parameter cannot be converted to a numeric value: one"),
     ({"NS": ["1", "1"]}, "Input collection contains duplicates")],
)  # fmt: skip
@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_a_value_that_is_none_is_no_start_key(
    engine: Engine, operation: str, value: dict[str, Any], message: str
) -> None:
    options = {"KeyConditionExpression": "pk = :p", "p": "p"} if operation == "Query" else {}
    with refused(message):
        Table(engine, "missing").call(operation, ExclusiveStartKey={"pk": value}, **options)


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_parameters_that_do_not_go_together_are_seen_before_the_start_key(
    engine: Engine, operation: str
) -> None:
    with refused("ExpressionAttributeNames can only be specified when using expressions"):
        Table(engine, "missing").call(
            operation, ExclusiveStartKey={"pk": {}}, ExpressionAttributeNames={"#a": "a"}
        )


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_a_start_key_that_is_too_long_for_a_key_is_refused(table: Table, operation: str) -> None:
    options = {"KeyConditionExpression": "pk = :p", "p": "p"} if operation == "Query" else {}
    with pytest.raises(WireError, match="Size of hashkey has exceeded the maximum size limit of2048 bytes"):
        table.call(operation, ExclusiveStartKey=item(pk="p" * 2049, sk=1), **options)
