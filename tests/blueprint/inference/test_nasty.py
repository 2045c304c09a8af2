"""Tables that nobody would design: what is inferred still loads, and gives every item back."""

from __future__ import annotations

import base64
import keyword
import unicodedata
from typing import Any

from hansang.backends.embedded import Embedded
from hansang.blueprint.inference.checking import loaded, tables_in
from hansang.blueprint.inference.facts import facts_of
from hansang.blueprint.inference.inferring import Inferred, infer
from hansang.blueprint.inference.live import MOST_BYTES, sample_table
from hansang.design import Table

Items = list[dict[str, dict[str, Any]]]


def definition(pk: str = "S", sk: str | None = "S", **more: Any) -> dict[str, Any]:
    keys = {"PK": pk} | ({"SK": sk} if sk else {})
    return {
        "TableName": "Nasty",
        "KeySchema": [
            {"AttributeName": name, "KeyType": kind}
            for name, kind in zip(keys, ("HASH", "RANGE"), strict=False)
        ],
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in keys.items()
        ],
        **more,
    }


def inferred(items: Items, pk: str = "S", sk: str | None = "S") -> Inferred:
    return infer([facts_of(definition(pk, sk), items=items)])


def assert_whole(found: Inferred, placed: int) -> None:
    [check] = found.checks
    assert (check.placed, check.unplaced, check.differing) == (placed, 0, [])


def table_of(found: Inferred) -> type[Table]:
    with loaded(found.text) as module:
        [table] = tables_in(module)
        return table


def text(value: str) -> dict[str, str]:
    return {"S": value}


def test_an_empty_table_has_one_entity_with_its_keys() -> None:
    found = inferred([])
    [shape] = table_of(found).shapes
    assert (shape.pk.text, shape.sk and shape.sk.text) == ("{pk}", "{sk}")
    assert "No item was seen" in found.text


def test_keys_of_several_attributes_keep_them_all_in_their_order() -> None:
    parts = {"tenant": "S", "region": "S", "day": "S", "amount": "N"}
    whole, lean = (
        {
            "IndexName": name,
            "KeySchema": [
                {"AttributeName": each, "KeyType": kind}
                for each, kind in zip(parts, ("HASH", "HASH", "RANGE", "RANGE"), strict=True)
            ],
            "Projection": {"ProjectionType": projection},
        }
        for name, projection in (("by-region", "ALL"), ("lean", "KEYS_ONLY"))
    )
    given = definition(GlobalSecondaryIndexes=[whole, lean])
    given["AttributeDefinitions"] += [
        {"AttributeName": name, "AttributeType": kind} for name, kind in parts.items()
    ]
    items: Items = [
        {
            "PK": text(f"DEAL#{n}"),
            "SK": text("DEAL"),
            "tenant": text("t"),
            "region": text(f"R#{n}"),
            "day": text(f"2026-01-0{n + 1}"),
            "amount": {"N": str(n)},
        }
        for n in range(6)
    ]
    seen = infer([facts_of(given, items=items)])
    assert_whole(seen, len(items))
    for found in (seen, infer([facts_of(given)])):
        table = table_of(found)
        assert [(each.partition_keys, each.sort_keys) for each in table.indexes] == [
            (("tenant", "region"), ("day", "amount"))
        ] * 2
        [shape], [view] = table.shapes, table.views
        assert shape.composed == {}
        assert "def by_region(cls, tenant: str, region: str)" in found.text
        assert {"tenant", "region", "day", "amount"} <= {*view.slots}


def test_an_empty_table_keeps_its_indexes_and_their_types() -> None:
    index = {
        "IndexName": "by-age",
        "KeySchema": [{"AttributeName": "age", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    given = definition(GlobalSecondaryIndexes=[index])
    given["AttributeDefinitions"].append({"AttributeName": "age", "AttributeType": "N"})
    table = table_of(infer([facts_of(given, expiry="gone")]))
    assert table.kind_of("age") == "N"
    assert (table.time_to_live(), table.indexes[0].name) == ("gone", "by-age")


def test_binary_keys_are_fields_as_they_are() -> None:
    items = [
        {"PK": {"B": base64.b64encode(bytes([number])).decode()}, "SK": text("x"), "n": {"N": "1"}}
        for number in range(5)
    ]
    assert_whole(found := inferred(items, pk="B"), 5)
    assert table_of(found).kind_of("PK") == "B"


def test_numeric_keys_are_whole_numbers_or_decimals() -> None:
    items: Items = [{"PK": {"N": str(number)}, "SK": {"N": f"{number}.5"}} for number in range(5)]
    assert_whole(found := inferred(items, pk="N", sk="N"), 5)
    assert "pk: Annotated[int, Attr(" in found.text
    assert "sk: Annotated[Decimal, Attr(" in found.text


def test_mixed_types_become_a_union_and_are_named() -> None:
    items: Items = [
        {"PK": text(f"A#{number}"), "SK": text("METADATA"), "value": text("x") if number % 2 else {"N": "1"}}
        for number in range(6)
    ]
    assert_whole(found := inferred(items), 6)
    assert "value: str | int" in found.text
    assert "# A: value has several types: N in 3, S in 3 items." in found.text


def test_sets_beside_lists_are_anything() -> None:
    values: list[dict[str, Any]] = [{"SS": ["a"]}, {"L": [text("a")]}, {"NS": ["1", "2"]}]
    items: Items = [
        {"PK": text(f"A#{number}"), "SK": text("METADATA"), "value": value}
        for number, value in enumerate(values)
    ]
    assert_whole(found := inferred(items), 3)
    assert "value: Any" in found.text


def test_keys_without_a_delimiter_are_fields_as_a_whole() -> None:
    names = ["alice", "Bob", "민지", "x y", "ALICE", "a_b-c.d"]
    assert_whole(found := inferred([{"PK": text(name), "SK": text(name[::-1])} for name in names]), 6)
    assert 'pk="{pk}", sk="{sk}"' in found.text


def test_one_item_is_enough() -> None:
    found = inferred([{"PK": text("USER#u1"), "SK": text("PROFILE"), "name": text("민지")}])
    assert_whole(found, 1)
    assert 'pk="USER#{user_id}", sk="PROFILE"' in found.text


def test_an_index_key_that_is_a_number_as_text_stays_a_text() -> None:
    index = {
        "IndexName": "GSI1",
        "KeySchema": [{"AttributeName": "GSI1PK", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    given = definition(GlobalSecondaryIndexes=[index])
    given["AttributeDefinitions"].append({"AttributeName": "GSI1PK", "AttributeType": "S"})
    items: Items = [
        {"PK": text(f"USER#{number}"), "SK": text("METADATA"), "GSI1PK": text(str(number))}
        for number in (5, 12)
    ]
    assert_whole(found := infer([facts_of(given, items=items)]), 2)
    assert table_of(found).kind_of("GSI1PK") == "S"


NAMES = [
    *keyword.kwlist, "a b", "1st", "-", "", "이름", "_private", "__dunder__", "model_config", "copy", "json",
    "date", "str", "cls", "pattern", "query", "Name", "name", "NAME", "ﬁ", 'quo"te', "back\\slash", "new\nline",
]  # fmt: skip


def test_names_that_are_none_in_python_are_kept_with_attr() -> None:
    names = [name for name in NAMES if name]
    items: Items = [
        {"PK": text(f"A#{number}"), "SK": text("METADATA"), **{name: text(str(number)) for name in names}}
        for number in (21, 22)
    ]
    assert_whole(found := inferred(items), 2)
    [shape] = table_of(found).shapes
    assert set(names) <= {slot.attribute for slot in shape.slots.values()}


def test_names_inside_of_maps_are_kept_with_attr() -> None:
    members = {name: {"N": "1"} if number % 2 else text("x") for number, name in enumerate(keyword.kwlist)}
    items: Items = [{"PK": text("A#1"), "SK": text("METADATA"), "inner": {"M": members}}]
    assert_whole(found := inferred(items), 1)
    assert "class Inner(BaseModel):" in found.text


def test_korean_names_stay_korean() -> None:
    items: Items = [
        {"PK": text(f"회원#{name}"), "SK": text("정보"), "이름": text(name), "나이": {"N": "20"}}
        for name in ("민지", "서연", "지우")
    ]
    assert_whole(found := inferred(items), 3)
    assert "나이: int" in found.text


def test_a_key_part_with_a_korean_name_has_a_field_of_plain_letters() -> None:
    items: Items = [
        {"PK": text(f"USER#u{number}"), "SK": text("METADATA"), "아이디": text(f"u{number}")}
        for number in range(3)
    ]
    assert_whole(found := inferred(items), 3)
    assert 'Attr("아이디")' in found.text


def test_null_is_given_back_where_it_stands() -> None:
    items: Items = [
        {"PK": text(f"A#{number}"), "SK": text("METADATA"), "memo": text("x") if number else {"NULL": True}}
        for number in range(3)
    ]
    items.append({"PK": text("B#1"), "SK": text("METADATA"), "gone": {"NULL": True}, "n": {"N": "1"}})
    items.append({"PK": text("B#2"), "SK": text("METADATA"), "n": {"N": "1"}})
    assert_whole(found := inferred(items), 5)
    assert 'memo: str | None = ""' in found.text
    assert "# B: gone is no field, and is kept as it is: NULL in 1 of 1 items." in found.text


def test_empty_parts_and_braces_stand_in_keys() -> None:
    items: Items = [
        {"PK": text(f"A##{number}"), "SK": text("{curly}#x" if number % 2 else "#"), "n": {"N": "1"}}
        for number in range(6)
    ]
    assert_whole(inferred(items), 6)


def test_keys_that_no_design_can_have_are_named() -> None:
    decomposed = unicodedata.normalize("NFD", "한")
    items: Items = [
        {"PK": text("USER#1"), "SK": text("METADATA")},
        {"PK": text("USER#2"), "SK": text(decomposed)},
        {"PK": text("USER#3"), "SK": text("x\U0010ffff")},
    ]
    found = inferred(items)
    [check] = found.checks
    assert (check.placed, check.unplaced, check.differing) == (1, 2, [])
    assert "# Nasty: items that are of no kind above: 2\n" in found.text
    assert "SK is not in the form NFC." in found.text


def test_an_index_key_of_another_type_is_named() -> None:
    index = {
        "IndexName": "by-age",
        "KeySchema": [{"AttributeName": "age", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    given = definition(GlobalSecondaryIndexes=[index])
    given["AttributeDefinitions"].append({"AttributeName": "age", "AttributeType": "N"})
    items: Items = [
        {"PK": text(f"USER#u{number}"), "SK": text("METADATA"), "age": {"N": "20"} if number else text("20")}
        for number in range(4)
    ]
    found = infer([facts_of(given, items=items)])
    [check] = found.checks
    assert (check.placed, check.unplaced, check.differing) == (3, 1, [])
    assert "#   PK=USER#u0, SK=METADATA: age is S, and a key of the type N." in found.text


def test_a_moment_beside_null_is_a_text() -> None:
    items: Items = [
        {"PK": text(f"A#{number}"), "SK": text("METADATA"), "at": text(at) if at else {"NULL": True}}
        for number, at in enumerate(("2026-01-01T00:00:00Z", "", "2026-01-02T00:00:00Z"))
    ]
    assert_whole(found := inferred(items), 3)
    assert 'at: str | None = ""' in found.text


def test_the_same_key_forms_with_other_attributes_are_one_kind_with_optional_fields() -> None:
    items: Items = [
        {"PK": text(f"A#{number}"), "SK": text("METADATA"), "a": {"N": "1"}}
        | ({"b": text("x")} if number % 2 else {})
        for number in range(6)
    ]
    assert_whole(found := inferred(items), 6)
    assert "b: str | None = None" in found.text


def test_numbers_of_any_size_are_given_back() -> None:
    numbers = ["0", "-1", "1.5", "-0.000001", "1" + "0" * 37, "9" * 38, "1E+100", "1E-100"]
    items: Items = [
        {"PK": text(f"A#{number}"), "SK": text("METADATA"), "value": {"N": value}}
        for number, value in enumerate(numbers)
    ]
    assert_whole(found := inferred(items), len(numbers))
    assert "value: Decimal" in found.text


def test_deep_and_empty_collections_are_given_back() -> None:
    value: dict[str, Any] = {"M": {}}
    for _ in range(20):
        value = (
            {"M": {"in": value, "list": {"L": [value, {"L": []}, {"NULL": True}]}}}
            if _ < 3
            else {"L": [value]}
        )
    items: Items = [{"PK": text(f"A#{number}"), "SK": text("METADATA"), "deep": value} for number in range(2)]
    assert_whole(inferred(items), 2)


def test_items_of_400_kilobytes_are_read_within_bounds() -> None:
    large = "가" * 130_000
    with Embedded.open(":memory:") as backend:
        backend.call("CreateTable", definition() | {"BillingMode": "PAY_PER_REQUEST"})
        for number in range(6):
            item = {"PK": text(f"DOC#{number}"), "SK": text("BODY"), "body": text(large)}
            backend.call("PutItem", {"TableName": "Nasty", "Item": item})
        sample = sample_table(backend, "Nasty", 100)
    assert (len(sample.facts.items), sample.is_whole) == (6, True)
    assert sample.read_units > 6 * 390_000 / 8192
    assert MOST_BYTES > 6 * 390_000
    found = infer([sample.facts])
    assert_whole(found, 6)
    assert len(found.text) < 5_000
