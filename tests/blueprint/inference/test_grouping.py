"""Which keys are of one kind, and which of their parts are constant."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.blueprint.inference.facts import TableFacts, facts_of
from hansang.blueprint.inference.grouping import type_attribute_of
from hansang.blueprint.inference.inferring import infer

Item = dict[str, dict[str, Any]]


def facts(items: list[Item], *, sk: bool = True) -> TableFacts:
    keys = ("PK", "SK") if sk else ("PK",)
    return facts_of(
        {
            "TableName": "T",
            "KeySchema": [
                {"AttributeName": name, "KeyType": kind}
                for name, kind in zip(keys, ("HASH", "RANGE"), strict=False)
            ],
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in keys],
        },
        items=items,
    )


def item(pk: str, sk: str | None = None, **attributes: str) -> Item:
    keys = {"PK": {"S": pk}} | ({} if sk is None else {"SK": {"S": sk}})
    return keys | {name: {"S": text} for name, text in attributes.items()}


def templates(items: list[Item], *, sk: bool = True) -> set[str]:
    """The key templates that are inferred, with the names of their fields."""
    found = infer([facts(items, sk=sk)])
    assert (found.checks[0].placed, found.checks[0].differing) == (len(items), [])
    return {
        each.pk.text if each.sk is None else f"{each.pk.text} / {each.sk.text}"
        for each in found.tables[0].entities
    }


CASES: list[tuple[str, list[Item], set[str]]] = [
    (
        "constants in capitals begin a key",
        [item(f"USER#u{n}", f"ORDER#o{n}", a="x") for n in range(4)] + [item("USER#u1", "PROFILE", b="x")],
        {"USER#{user_id} / ORDER#{order_id}", "USER#{user_id} / PROFILE"},
    ),
    (
        "constants in small letters begin a key too",
        [item(f"user|{n}", f"order|{n * 3}|line|{n}", a="x") for n in range(1, 5)],
        {"user|{user_id} / order|{order_id}|line|{line_id}"},
    ),
    (
        "words after a constant vary, unless their items are of another form",
        [item(f"CODE#{word}", "METADATA", codes="x") for word in ("YEAR", "NAME", "KIND")]
        + [item("CODE#ACCOUNT", "METADATA", groups="x", order="y")],
        {"CODE#{code} / METADATA", "CODE#ACCOUNT / METADATA"},
    ),
    (
        "a part that an attribute repeats is its field",
        [
            item("EXPENSE#2026.05", name, category=name, yearMonth="2026.05")
            for name in ("식비", "FOOD", "교통")
        ],
        {"EXPENSE#{year_month} / {category}"},
    ),
    (
        "a word that an attribute repeats is a value, though it begins the key",
        [item("PAY#2026.05", f"{name}#{n}x", name=name) for n, name in enumerate(("minji", "jiwoo") * 5)],
        {"PAY#{pay_month} / {name}#{part}"},
    ),
    (
        "the same value in both keys is one field",
        [item(f"USER#u{n}", f"USER#u{n}", a="x") for n in range(3)],
        {"USER#{user_id} / USER#{user_id}"},
    ),
    (
        "a moment is one part, whatever is in it",
        [item("LOG:app", f"2026-05-0{n}T10:00:00Z:{n}x", a="x") for n in range(1, 4)],
        {"LOG:{log} / {at}:{part}"},
    ),
    (
        "an underscore behind a word in capitals parts a key",
        [item(f"USER_{n}a", f"V_{n}", a="x") for n in range(3)],
        {"USER_{user_id} / {sk}"},
    ),
    (
        "codes of three letters are values",
        [item(f"{code}#{n}", "METADATA", rate="1") for n, code in enumerate(("USD", "KRW", "EUR", "JPY"))],
        {"{part}#{part_2} / METADATA"},
    ),
    (
        "a number of fixed width keeps it",
        [item("RUN#1a", f"PART#{n:08d}", a="x") for n in range(3)],
        {"RUN#{run_id} / PART#{part_number:08d}"},
    ),
    (
        "days without separators are days",
        [item("DAYS", f"DAY#2026050{n}", a="x") for n in range(1, 4)],
        {"DAYS / DAY#{day:%Y%m%d}"},
    ),
]


@pytest.mark.parametrize(("items", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_keys_are_told_apart(items: list[Item], expected: set[str]) -> None:
    assert templates(items) == expected


def test_like_items_of_a_table_without_sort_keys_are_one_kind() -> None:
    items = [item(f"{mark}#{n}", url="x", title="y") for n, mark in enumerate(("h", "id") * 4)]
    assert templates(items, sk=False) == {"{pk}"}


def test_unlike_items_of_a_table_without_sort_keys_are_several() -> None:
    items = [item(f"USER#u{n}", name="x") for n in range(3)] + [
        item(f"POST#p{n}", title="x") for n in range(3)
    ]
    assert templates(items, sk=False) == {"USER#{user_id}", "POST#{post_id}"}


def test_an_attribute_that_goes_with_the_keys_is_the_type() -> None:
    items = [item(f"USER#u{n}", "METADATA", entityType="User") for n in range(3)]
    items += [item(f"USER#u{n}", f"POST#p{n}", entityType="Post") for n in range(3)]
    assert type_attribute_of(facts(items)) == "entityType"


def test_an_attribute_that_tells_like_items_apart_is_a_field() -> None:
    items = [
        item(f"PET#p{n}", "METADATA", type=kind, name="x") for n, kind in enumerate(("cat", "dog", "cat"))
    ]
    assert type_attribute_of(facts(items)) is None
    assert templates(items) == {"PET#{pet_id} / METADATA"}


def test_two_attributes_that_look_like_an_expiry_are_one_and_a_number() -> None:
    items = [
        item(f"A#a{n}", "METADATA") | {"ttl": {"N": f"178000000{n}"}, "expiresAt": {"N": "1780000000"}}
        for n in range(3)
    ]
    text = infer([facts(items)]).text
    assert text.count("Expiry") == 2
    assert "expires=False" in text
