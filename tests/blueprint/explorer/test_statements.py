"""Statements by hand against the engine: their plans, their texts and what they cost."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.apps.rankings.design import Hanwol
from hansang.blueprint.explorer.statement_texts import condition_text
from hansang.blueprint.explorer.statements import (
    attributes_named,
    change_of,
    parameters_in,
    planned,
    write_cost,
)
from hansang.engine.partiql.parser import parse
from hansang.errors import InvalidInput
from tests.apps.rankings.players import snapshot
from tests.storing import opened, shape

TABLE = f'"{Hanwol.name}"'
CONDITIONS = [
    '"a" = 1 AND "b"."c"[2] <> \'it\'\'s\'',
    '"a" BETWEEN 1 AND 2 OR ("b" IN (1, true, null) AND NOT ("c" IS MISSING))',
    'begins_with("a", \'x\') AND size("b") >= 3 AND attribute_type("c", \'S\')',
    '"a" = 1 OR "a" = 2 OR ("b" = 1 AND ("c" = 1 OR "d" = 1))',
    '"a" IS NOT MISSING AND contains("b", "c")',
]


def test_a_condition_is_written_as_it_would_be_read() -> None:
    found = [parse(f"SELECT * FROM T WHERE {each}").bound([]) for each in CONDITIONS]
    assert [
        condition_text(each.statement.where, each.values) for each in found if each.statement.where
    ] == CONDITIONS


def test_a_row_of_a_thousand_conditions_is_no_deep_tree() -> None:
    text = " OR ".join(['"a" = 1'] * 1_000)
    bound = parse(f"SELECT * FROM T WHERE {text}").bound([])
    assert bound.statement.where is not None
    assert condition_text(bound.statement.where, bound.values) == text


def test_what_a_statement_names_is_found_wherever_it_stands() -> None:
    named = {
        'SELECT x FROM T WHERE size("a") > 1 AND NOT (b.c IN [d, 1] OR "e" IS MISSING) ORDER BY f, g DESC': "abdefg",
        "UPDATE T SET a = if_not_exists(b, c) + 1 SET d = list_append(e, f) REMOVE g WHERE h = 1": "abcdefgh",
        "UPDATE T SET a = set_add(a, <<1>>) WHERE b = 1": "ab",
        "INSERT INTO T VALUE {'a': 1}": "",
        "DELETE FROM T WHERE a = 1 AND b = c": "abc",
    }
    assert {text: "".join(sorted(attributes_named(parse(text)))) for text in named} == named


def test_parameters_are_json_or_values_with_their_types() -> None:
    assert parameters_in('"a"\n\n12\n1.50\ntrue\nnull\n[1]\n{"B": "AA=="}\n{"a": 1}') == [
        *({"S": "a"}, {"N": "12"}, {"N": "1.5"}, {"BOOL": True}, {"NULL": True}, {"L": [{"N": "1"}]}),
        *({"B": "AA=="}, {"M": {"a": {"N": "1"}}}),
    ]
    for wrong in ("a", "{", "NaN", "[" * 100_000, r'"\ud800"', r'{"S": "\ud800"}'):
        with pytest.raises(InvalidInput):
            parameters_in(wrong)


def test_a_change_costs_and_becomes_what_the_engine_charges_and_makes_of_it() -> None:
    entity = snapshot(1)
    item = shape(type(entity)).encode(entity)
    key = " AND ".join(f"\"{name}\" = '{item[name]['S']}'" for name in ("PK", "SK"))
    ranked = next(index for index in Hanwol.indexes if all(name in item for name in index.keys))
    assert ranked.sk is not None
    moved = "12345" if Hanwol.kind_of(ranked.sk) == "N" else "'12345'"
    with opened(Hanwol) as db:
        db.put(entity)
        for statement in (
            f"UPDATE {TABLE} SET \"long\" = '{'x' * 3000}' WHERE {key}",
            f'UPDATE {TABLE} SET "{ranked.sk}" = {moved} WHERE {key}',
            f'UPDATE {TABLE} REMOVE "{ranked.sk}", "long" WHERE {key}',
            f"DELETE FROM {TABLE} WHERE {key}",
        ):
            plan = planned(db, "rankings", [Hanwol], statement, [])
            before = db.find_item(Hanwol, {name: item[name] for name in ("PK", "SK")})
            change = change_of(plan, before)
            request: dict[str, Any] = {"Statement": statement, "ReturnConsumedCapacity": "TOTAL"}
            charged = db.backend.call("ExecuteStatement", request)["ConsumedCapacity"]["CapacityUnits"]
            assert write_cost(Hanwol, before, change.after) == charged, statement
            assert db.find_item(Hanwol, change.key) == change.after
