"""Random templates and items: whatever they are, the inferred design accepts every one of them."""

from __future__ import annotations

import base64
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hansang.blueprint.inference.facts import facts_of
from hansang.blueprint.inference.inferring import infer
from hansang.blueprint.inference.tokens import split_key

DELIMITERS = st.sampled_from(["#", "|", ":", "::", ", ", "/", "_", "-", ""])
WORDS = st.sampled_from(["USER", "ORDER", "LINE_ITEM", "METADATA", "user", "order", "A", "회원", "V0"])
VALUES = st.one_of(
    st.integers(0, 10**14).map(str),
    st.integers(0, 9999).map("{:06d}".format),
    st.dates().map(str),
    st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}Z"),
    st.uuids().map(str),
    st.emails(),
    st.sampled_from(["민지", "x y", "KR", "done", "a#b", "a|b", "", "{x}", "https://a.example/b#c"]),
    st.text(st.characters(codec="utf-8"), max_size=6),
)
SCALARS = st.one_of(
    VALUES.map(lambda text: {"S": text}),
    st.integers(-(10**30), 10**30).map(lambda number: {"N": str(number)}),
    st.decimals(-1000, 1000, places=3).map(lambda number: {"N": str(number)}),
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.just({"NULL": True}),
    st.binary(max_size=4).map(lambda octets: {"B": base64.b64encode(octets).decode()}),
    st.sets(st.text(max_size=3), min_size=1, max_size=3).map(lambda texts: {"SS": sorted(texts)}),
    st.sets(st.integers(0, 99), min_size=1, max_size=3).map(
        lambda numbers: {"NS": [str(each) for each in numbers]}
    ),
)
NAMES = st.sampled_from(
    ["id", "name", "createdAt", "CreatedAt", "type", "class", "이름", "a b", "ttl", "GSI1PK", "x"]
)
ATTRIBUTES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda members: {"L": members}),
        st.dictionaries(NAMES, inner, max_size=3).map(lambda members: {"M": members}),
    ),
    max_leaves=5,
)


@st.composite
def key_templates(draw: st.DrawFn) -> tuple[str, list[str | None]]:
    """A delimiter, and the parts between: a word, or None for a value."""
    return draw(DELIMITERS), draw(st.lists(st.one_of(WORDS, st.none()), min_size=1, max_size=4))


@st.composite
def kinds(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The items of one kind: keys by a template, attributes of their own types."""
    templates = [draw(key_templates()), draw(key_templates())]
    types = {name: draw(st.sampled_from([SCALARS, ATTRIBUTES])) for name in draw(st.sets(NAMES, max_size=4))}
    items = []
    for _ in range(draw(st.integers(1, 6))):
        keys = [
            delimiter.join(draw(VALUES) if part is None else part for part in parts)
            for delimiter, parts in templates
        ]
        item = {name: {"S": text[:300] or "-"} for name, text in zip(("PK", "SK"), keys, strict=True)}
        items.append(item | {name: draw(values) for name, values in types.items() if draw(st.booleans())})
    return items


@given(st.lists(kinds(), min_size=1, max_size=4), st.booleans())
@settings(deadline=None, max_examples=60)
def test_an_inferred_design_gives_every_item_back_that_it_places(
    groups: list[list[dict[str, Any]]], has_index: bool
) -> None:
    items = list({str((item["PK"], item["SK"])): item for group in groups for item in group}.values())
    definition: dict[str, Any] = {
        "TableName": "Random",
        "KeySchema": [
            {"AttributeName": "PK", "KeyType": "HASH"},
            {"AttributeName": "SK", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"}
            for name in ("PK", "SK", *(["GSI1PK"] if has_index else ()))
        ],
    }
    if has_index:
        schema = [{"AttributeName": "GSI1PK", "KeyType": "HASH"}]
        projection = {"ProjectionType": "KEYS_ONLY"}
        definition["GlobalSecondaryIndexes"] = [
            {"IndexName": "GSI1", "KeySchema": schema, "Projection": projection}
        ]
    found = infer([facts_of(definition, items=items)])
    [check] = found.checks
    [table] = found.tables
    assert check.differing == []
    assert check.placed + len(table.unplaced) == len(items)
    assert check.unplaced == len(table.unplaced)


TOKENS = st.text(st.characters(codec="ascii", categories=("Lu", "Ll", "Nd")), min_size=1, max_size=8)


@given(
    delimiter=st.sampled_from(["#", "|", ":"]),
    word=st.sampled_from(["USER", "ORDER", "LINE_ITEM"]),
    values=st.lists(st.tuples(TOKENS, TOKENS), min_size=2, max_size=20, unique=True),
)
@settings(deadline=None, max_examples=40)
def test_a_constant_before_values_is_found(delimiter: str, word: str, values: list[tuple[str, str]]) -> None:
    items = [
        {"PK": {"S": f"{word}{delimiter}{first}"}, "SK": {"S": f"AT{delimiter}{second}"}, "n": {"N": "1"}}
        for first, second in values
    ]
    facts = facts_of(
        {
            "TableName": "Random",
            "KeySchema": [
                {"AttributeName": "PK", "KeyType": "HASH"},
                {"AttributeName": "SK", "KeyType": "RANGE"},
            ],
            "AttributeDefinitions": [
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
        },
        items=items,
    )
    found = infer([facts])
    assert found.checks[0].placed == len(items)
    for entity in found.tables[0].entities:
        assert entity.pk.text.startswith(word + delimiter)
        assert entity.sk is not None
        assert entity.sk.text.startswith(f"AT{delimiter}")


@given(st.text(max_size=40))
def test_the_parts_of_a_key_are_the_whole_key(text: str) -> None:
    found = split_key(text)
    assert found.delimiter.join(found.tokens) == text
