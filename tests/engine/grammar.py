"""Random expressions by DynamoDB's grammar, and what becomes of them when a hand slips."""

from __future__ import annotations

import random
import re
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.engine.strategies import WRONG, values

NAMES = {
    "#a": "any",
    "#m": "m",
    "#l": "list",
    "#t": "txt",
    "#n": "num",
    "#g": "g",
    "#s": "ss",
    "#h": "h",
    "#r": "r",
}

bare = st.sampled_from(["txt", "num", "m", "list", "g", "n", "l", "ss", "h", "r", "a", "b", "c", "zzz"])
odd_names = st.sampled_from(
    ["name", "COUNT", "_x", "1a", "#no", "#", "a-b", "한", "a b", "SET", "and", "size", ""]
)
names = st.one_of(bare, bare, st.sampled_from(sorted(NAMES)), odd_names)
placeholders = st.sampled_from([*(f":v{number}" for number in range(6)), ":none", ":"])
places = st.sampled_from(["[0]", "[1]", "[7]", "[-1]", "[99999999999]", "[x]", "[]", "[ 0 ]"])


@st.composite
def paths(draw: DrawFn) -> str:
    text = draw(names)
    for _ in range(draw(st.integers(0, 2))):
        text += draw(st.one_of(names.map(lambda name: f".{name}"), places))
    return text


operands = st.one_of(paths(), placeholders, placeholders, paths().map(lambda path: f"size({path})"))
comparators = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "==", "!=", "=<"])
functions = st.sampled_from(
    [
        "attribute_exists({0})",
        "attribute_not_exists({0})",
        "attribute_type({0}, {1})",
        "begins_with({0}, {1})",
        "contains({0}, {1})",
        "contains({1}, {0})",
        "begins_with({1}, {1})",
        "attribute_exists({1})",
        "what({0})",
    ]
)
simple_conditions = st.one_of(
    st.tuples(operands, comparators, operands).map(" ".join),
    st.builds(lambda a, b, c: f"{a} BETWEEN {b} AND {c}", operands, operands, operands),
    st.builds(lambda a, many: f"{a} IN ({', '.join(many)})", operands, st.lists(operands, max_size=4)),
    st.builds(lambda text, path, value: text.format(path, value), functions, paths(), placeholders),
)
conditions: SearchStrategy[str] = st.recursive(
    simple_conditions,
    lambda inner: st.one_of(
        st.builds(lambda a, word, b: f"{a} {word} {b}", inner, st.sampled_from(["AND", "or", "XOR"]), inner),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"NOT {text}"),
    ),
    max_leaves=5,
)

set_operands = st.one_of(
    operands,
    st.builds(lambda path, other: f"if_not_exists({path}, {other})", paths(), operands),
    st.builds(lambda a, b: f"list_append({a}, {b})", operands, operands),
    st.builds(lambda a, sign, b: f"{a} {sign} {b}", operands, st.sampled_from(["+", "-", "*"]), operands),
)
sets = st.builds(lambda path, value: f"{path} = {value}", paths(), set_operands)
pairs = st.builds(lambda path, value: f"{path} {value}", paths(), placeholders)


def clause(word: str, actions: SearchStrategy[str]) -> SearchStrategy[str]:
    return st.lists(actions, max_size=3).map(lambda found: f"{word} {', '.join(found)}")


clauses = st.one_of(
    clause("SET", sets), clause("REMOVE", paths()), clause("ADD", pairs), clause("DELETE", pairs)
)
updates = st.lists(clauses, min_size=1, max_size=3).map(" ".join)
projections = st.lists(paths(), min_size=1, max_size=4).map(", ".join)
key_conditions = st.one_of(
    st.just("h = :h"),
    st.builds(lambda op: f"h = :h AND r {op} :r", comparators),
    st.just("begins_with(r, :r) AND h = :h"),
    st.just("(h = :h) AND (r BETWEEN :r AND :r)"),
    st.just("#h = :h AND #r >= :r"),
    conditions,
)

TOKENS = re.compile(r"\w+|\s+|.", re.DOTALL)
STRAY = [
    "(",
    ")",
    ",",
    "=",
    ":v0",
    "#a",
    ".",
    "[0]",
    "AND",
    "NOT",
    "SET",
    "\0",
    "é",
    "'",
    '"',
    "\n",
    "{}",
    "[",
    "]",
]


@st.composite
def mutated(draw: DrawFn, expressions: SearchStrategy[str]) -> str:
    """An expression in which some tokens are lost, doubled, swapped or strange."""
    tokens = TOKENS.findall(draw(expressions))
    dice = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(dice.randrange(1, 4)):
        place = dice.randrange(len(tokens) + 1)
        match dice.randrange(3):
            case 0:
                del tokens[place : place + 1]
            case 1:
                tokens.insert(place, dice.choice(STRAY + tokens))
            case _:
                dice.shuffle(tokens)
    return "".join(tokens)


def perhaps_mutated(expressions: SearchStrategy[str]) -> SearchStrategy[str]:
    return expressions | mutated(expressions)


MALFORMED: list[Any] = [
    *WRONG,
    {},
    {"S": 1},
    {"S": None},
    {"S": "a", "N": "1"},
    {"X": "a"},
    {"N": 5},
    {"N": ""},
    {"N": "１２"},
    {"N": "NaN"},
    {"N": "Infinity"},
    {"N": " 1"},
    {"N": "1_000"},
    {"N": "1E999999999999"},
    {"B": "a"},
    {"B": "한"},
    {"BOOL": "true"},
    {"NULL": False},
    {"SS": ["a", "a"]},
    {"SS": [1]},
    {"SS": "a"},
    {"NS": [1, 2]},
    {"BS": ["AA==", "AA=="]},
    {"L": {}},
    {"L": [None]},
    {"L": [{"S": "a"}, {}]},
    {"M": []},
    {"M": {"": {"S": "a"}}},
    {"M": {"a": {"S": 1}}},
    {"S": "\ud800"},
    {"M": {"\udfff": {"S": "a"}}},
    None,
    "a",
    5,
    [],
    True,
]


def deep(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {"S": "deep"}
    for level in range(levels):
        found = {"L": [found]} if level % 2 else {"M": {"a": found}}
    return found


any_value: SearchStrategy[Any] = st.one_of(
    values, values, values, st.sampled_from(MALFORMED), st.integers(28, 40).map(deep)
)
attribute_values: SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {f":v{number}": values if number else any_value for number in range(6)}
)

_PLACEHOLDER = re.compile(r"[:#][\w]+")


def with_used(expressions: dict[str, str], literals: dict[str, Any]) -> dict[str, Any]:
    """The request parts: the expressions, and those names and values that they speak of."""
    used = {found for text in expressions.values() for found in _PLACEHOLDER.findall(text)}
    request: dict[str, Any] = dict(expressions)
    chosen_names = {name: attribute for name, attribute in NAMES.items() if name in used}
    chosen_values = {name: value for name, value in literals.items() if name in used}
    if chosen_names:
        request["ExpressionAttributeNames"] = chosen_names
    if chosen_values:
        request["ExpressionAttributeValues"] = chosen_values
    return request
