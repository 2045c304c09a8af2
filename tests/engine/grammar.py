"""Random expressions by DynamoDB's grammar, and what becomes of them when a hand slips."""

from __future__ import annotations

import random
import re
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.engine.strategies import WRONG, lists, maps, rarely, scalar, text_sets, values

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

bare = st.sampled_from(["txt", "num", "m", "g", "n", "l", "ss", "a", "b", "zzz", *NAMES])
odd_names = st.sampled_from(
    ["name", "COUNT", "_x", "1a", "#no", "#", "a-b", "한", "a b", "SET", "and", "size", "", "list"]
)
names = rarely(bare, odd_names, 40)
places = rarely(
    st.sampled_from(["[0]", "[1]", "[2]"]),
    st.sampled_from(["[7]", "[-1]", "[99999999999]", "[x]", "[]", "[ 0 ]", "[01]"]),
    20,
)
nested = st.sampled_from(["m.a", "m.b.c", "m.k", "#m.#a", "#l[0]", "#l[2].a", "#l[1]", "m.zzz", "#l[9]"])


def literal(*known: str) -> SearchStrategy[str]:
    """A value's placeholder: one of these, seldom another or one that does not exist."""
    return rarely(st.sampled_from(known), st.sampled_from([*LITERALS, ":none", ":"]), 30)


@st.composite
def paths(draw: DrawFn) -> str:
    if draw(st.booleans()):
        return draw(nested)
    text: str = draw(names)
    for _ in range(draw(rarely(st.just(0), st.integers(1, 3), 4))):
        text += draw(st.one_of(names.map(lambda name: f".{name}"), places))
    return text


SCALARS = (":s", ":n", ":b")
LITERALS = (*SCALARS, ":l", ":m", ":ss", ":t", ":any")
subjects = rarely(paths(), paths().map(lambda path: f"size({path})"), 8)
operands = st.one_of(subjects, literal(*SCALARS))
comparators = rarely(
    st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), st.sampled_from(["==", "!=", "=<", "~"]), 40
)
functions = st.one_of(
    paths().map(lambda path: f"attribute_exists({path})"),
    paths().map(lambda path: f"attribute_not_exists({path})"),
    st.builds(lambda path, value: f"attribute_type({path}, {value})", paths(), literal(":t")),
    st.builds(lambda path, value: f"begins_with({path}, {value})", paths(), literal(":s", ":b")),
    st.builds(lambda path, value: f"contains({path}, {value})", paths(), literal(*SCALARS)),
    st.builds(lambda path, value: f"contains({value}, {path})", paths(), literal(":ss", ":l")),
)
odd_functions = st.sampled_from(
    ["what(txt)", "attribute_exists(:s)", "begins_with(:s, :s)", "size()", "contains(m)"]
)
simple_conditions = st.one_of(
    st.tuples(subjects, comparators, operands).map(" ".join),
    st.builds(lambda a, b: f"{a} BETWEEN {b} AND {b}", subjects, literal(*SCALARS)),
    st.builds(
        lambda a, many: f"{a} IN ({', '.join(many)})", subjects, st.lists(operands, min_size=1, max_size=4)
    ),
    rarely(functions, odd_functions, 30),
)
conditions: SearchStrategy[str] = st.recursive(
    simple_conditions,
    lambda inner: st.one_of(
        st.builds(
            lambda a, word, b: f"{a} {word} {b}", inner, st.sampled_from(["AND", "or", "And", "OR"]), inner
        ),
        st.builds(lambda a, b: f"({a} AND {b})", inner, inner),
        inner.map(lambda text: f"NOT {text}"),
    ),
    max_leaves=5,
)

counts = st.one_of(st.sampled_from(["num", "m.k", "#n"]), literal(":n"))
some_lists = st.one_of(st.just("#l"), literal(":l"))
set_operands = st.one_of(
    paths(),
    literal(*LITERALS),
    st.builds(lambda path, other: f"if_not_exists({path}, {other})", paths(), literal(*LITERALS)),
    st.builds(lambda a, b: f"list_append({a}, {b})", some_lists, some_lists),
    st.builds(lambda a, sign, b: f"{a} {sign} {b}", counts, st.sampled_from(["+", "-"]), counts),
)
targets = st.one_of(paths(), st.sampled_from(["g", "n", "l", "txt", "num", "fresh", "#l[1]", "m.fresh"]))
sets = st.builds(lambda path, value: f"{path} = {value}", targets, set_operands)
adds = st.builds(
    lambda path, value: f"{path} {value}", st.sampled_from(["num", "#n", "fresh", "m.k", "n"]), literal(":n")
) | st.just("ss :ss")
takings = st.just("ss :ss") | st.builds(lambda path, value: f"{path} {value}", paths(), literal(":ss"))
ACTIONS = {"SET": sets, "REMOVE": targets, "ADD": adds, "DELETE": takings}


def _target(action: str) -> str:
    """The attribute that an action is about."""
    found: str = re.split(r"[\W]", NAMES.get(action[:2], action))[0]
    return found


@st.composite
def updates(draw: DrawFn) -> str:
    """Some of the four clauses, each with some actions."""
    clauses = draw(st.lists(st.sampled_from(sorted(ACTIONS)), min_size=1, max_size=3, unique=True))
    texts = []
    for word in clauses:
        actions = draw(st.lists(ACTIONS[word], min_size=1, max_size=2, unique_by=_target))
        texts.append(f"{word} {', '.join(actions)}")
    return " ".join(texts)


projections = st.lists(paths(), min_size=1, max_size=3).map(", ".join)
sort_conditions = st.one_of(
    st.sampled_from(["=", "<", "<=", ">", ">="]).map(lambda sign: f"r {sign} :r"),
    st.sampled_from(["begins_with(r, :r)", "r BETWEEN :r AND :r", "#r >= :r", ":r < r"]),
)
key_conditions = st.one_of(
    sort_conditions.map(lambda text: f"h = :h AND {text}"),
    sort_conditions.map(lambda text: f"({text}) AND (#h = :h)"),
    st.sampled_from(["h = :h", "(h = :h)", ":h = h"]),
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
    {
        **{f":{sort.lower()}": scalar(sort) for sort in "SNB"},
        ":l": lists,
        ":m": maps,
        ":ss": text_sets,
        ":t": st.sampled_from(["S", "N", "M", "SS", "NULL"]).map(lambda sort: {"S": sort}),
        ":any": any_value,
    }
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
