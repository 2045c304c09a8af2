"""Every regular expression of the sources takes time that grows with the length of a text and no faster.

The patterns are found in the sources, and for each one texts are made from its own parts: what it repeats, repeated,
before something that does not fit. A new pattern is measured without being listed anywhere. One that is slow, and is
matched with our own texts alone, is excused below with the reason.
"""

from __future__ import annotations

import ast
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from tests.house import Module, modules

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_parse

SOURCES = modules(Path(__file__).parents[1] / "src")
METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer", "subn")
FLAGS = {name: getattr(re, name) for name in ("IGNORECASE", "DOTALL", "ASCII", "MULTILINE", "VERBOSE")}
FEW, SMALL, LARGE = (20, 100, 400), 2_000, 16_000
"""A pattern that tries everything, or everything for each pair of letters, is slow with a few letters already.

At eight times the length a linear one takes eight times as long, and a quadratic one sixty-four times.
"""
_MOST_GROWTH = 22
"""As far from eight as from sixty-four, since a processor that others use as well is slower by a factor."""
_QUICK = 0.02
"""In seconds: a linear pattern is far below at any of these sizes, a quadratic one far above at the largest."""
_TRIES = 3

OURS = {
    ("hansang.surfaces.api.meanings", r"\s*\((?:X?\d-\d+(?:, )?)+\)"): "docstrings of designs",
    (
        "hansang.surfaces.console.spec",
        r"""`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*|\[(?P<link>[^\]]+)\]\([^)]*\)|(?<![\w-])(?P<id>X?[1-5]-\d{2}|[RG]\d{1,2})(?![\dA-Za-z-])""",
    ): "clauses of the specification",
    ("hansang.surfaces.api.pages", r"\n\s+(?=<)"): "the API reference, which shows nothing that is stored",
}
"""Patterns that are slow, and meet only what we wrote ourselves."""


@dataclass(frozen=True)
class Expression:
    """A pattern of a module, and the ways in which it is used there."""

    module: str
    pattern: str
    flags: int
    methods: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.module.removeprefix('hansang.')} {self.pattern[:40]}"


def expressions() -> Iterator[Expression]:
    for module in SOURCES:
        if "import re\n" in module.source:
            yield from _of_module(module)


def _of_module(module: Module) -> Iterator[Expression]:
    for node in module.nodes:
        if not isinstance(node, ast.Call) or not module.meaning(node.func).startswith("re."):
            continue
        name = module.meaning(node.func).removeprefix("re.")
        pattern = _text(node.args[0]) if node.args else None
        if pattern is None or name not in ("compile", *METHODS):
            continue
        flags = sum(
            value for flag, value in FLAGS.items() if any(flag in ast.unparse(each) for each in node.args[1:])
        )
        methods = (name,) if name in METHODS else _used(module, node)
        yield Expression(module.name, pattern, flags, methods)


def _text(node: ast.expr) -> str | None:
    try:
        found = ast.literal_eval(node)
    except ValueError:
        return None
    return found.decode("latin-1") if isinstance(found, bytes) else found if isinstance(found, str) else None


def _used(module: Module, compiled: ast.Call) -> tuple[str, ...]:
    """The methods by which a compiled pattern is used; all of them count as a search if that cannot be told."""
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and node.value is compiled and node.attr in METHODS:
            return (node.attr,)
    names = {
        target.id
        for node in module.nodes
        if isinstance(node, ast.Assign) and node.value is compiled
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    used = {
        node.attr
        for node in module.nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
    }
    return tuple(sorted(used & {*METHODS})) or ("search",)


# ── texts that a pattern finds hard ───────────────────────────────────────────────────────────────


def hostile(expression: Expression) -> Iterator[Callable[[int], str]]:
    """Texts of any length, made of what the pattern is made of."""
    parsed = sre_parse.parse(expression.pattern, expression.flags)
    for before, repeated in _repeats(list(cast(Any, parsed))):
        for end in ("", "\0", "\n"):
            yield lambda n, b=before, r=repeated, e=end: b + (r * n)[:n] + e  # type: ignore[misc]
            yield lambda n, b=before, r=repeated, e=end: ((b + r) * n)[:n] + e  # type: ignore[misc]
    for letter in ("a", "0", " ", "\n", '"', "\u3000"):
        yield lambda n, each=letter: each * n + "\0"  # type: ignore[misc]


def _repeats(items: list[Any], before: str = "") -> Iterator[tuple[str, str]]:
    """What may be repeated without end, each with what has to come before it."""
    for code, argument in items:
        name = str(code)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = argument
            if most > 100:
                yield before, _sample(list(inner)) or "a"
            yield from _repeats(list(inner), before)
            before += _sample(list(inner)) * min(least, 20)
        elif name == "SUBPATTERN":
            yield from _repeats(list(argument[-1]), before)
            before += _sample(list(argument[-1]))
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from _repeats(list(branch), before)
            before += _sample(list(argument[1][0]))
        else:
            before += _sample([(code, argument)])


def _sample(items: list[Any]) -> str:
    """A short text that fits."""
    found = ""
    for code, argument in items:
        name = str(code)
        if name == "LITERAL":
            found += chr(argument)
        elif name == "NOT_LITERAL":
            found += "a" if argument != ord("a") else "b"
        elif name == "ANY":
            found += "a"
        elif name == "IN":
            found += _member(argument)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            found += _sample(list(argument[2])) * min(max(argument[0], 1), 20)
        elif name == "SUBPATTERN":
            found += _sample(list(argument[-1]))
        elif name == "BRANCH":
            found += _sample(list(argument[1][0]))
    return found


def _member(members: list[Any]) -> str:
    """A letter of a set."""
    is_negated = str(members[0][0]) == "NEGATE"
    letters = "a0A_ -.:/#,;\n\"'<>&=+*Zz가\0"
    fitting = [each for each in letters if any(_has(member, each) for member in members) is not is_negated]
    return fitting[0] if fitting else "\x7f"


def _has(member: Any, letter: str) -> bool:
    code, argument = str(member[0]), member[1]
    if code == "LITERAL":
        return bool(ord(letter) == argument)
    if code == "RANGE":
        return bool(argument[0] <= ord(letter) <= argument[1])
    categories = {"CATEGORY_DIGIT": r"\d", "CATEGORY_SPACE": r"\s", "CATEGORY_WORD": r"\w"}
    found = re.match(categories.get(str(argument).replace("NOT_", ""), "x"), letter) is not None
    return code == "CATEGORY" and found is not ("NOT_" in str(argument))


# ── measuring ─────────────────────────────────────────────────────────────────────────────────────


def _call(pattern: re.Pattern[str], method: str) -> Callable[[str], object]:
    if method in ("sub", "subn"):
        return lambda text: getattr(pattern, method)("", text)
    if method == "finditer":
        return lambda text: list(pattern.finditer(text))
    found: Callable[[str], object] = getattr(pattern, method)
    return found


def _seconds(work: Callable[[str], object], text: str) -> float:
    """How much time of this thread's own the work takes."""
    start = time.thread_time()
    work(text)
    return time.thread_time() - start


def is_slow(pattern: re.Pattern[str], method: str, text: Callable[[int], str]) -> bool:
    """Whether the time of a pattern grows much faster than the length of a text."""
    work = _call(pattern, method)
    for few in FEW:  # Longer texts would not come to an end with some patterns.
        if _seconds(work, text(few)) > _QUICK:
            return _seconds(work, text(few)) > _QUICK
    if _seconds(work, text(LARGE)) < _QUICK:
        return False
    # In turns, so that both meet the same neighbours; the least of each is the one that was disturbed least.
    taken = [(_seconds(work, text(SMALL)), _seconds(work, text(LARGE))) for _ in range(_TRIES)]
    small, large = min(one for one, _ in taken), min(two for _, two in taken)
    return large > max(_QUICK, small * _MOST_GROWTH)


def slow_text(expression: Expression) -> str | None:
    pattern = re.compile(expression.pattern, expression.flags)
    for text in hostile(expression):
        for method in expression.methods:
            if is_slow(pattern, method, text):
                return f"{method} of {text(60)!r}"
    return None


@pytest.fixture(scope="module")
def every() -> list[Expression]:
    """The patterns of the sources."""
    return list(expressions())


def test_the_patterns_of_the_sources_are_found(every: list[Expression]) -> None:
    assert len(every) > 60
    assert {each.module for each in every} >= {"hansang.apps.news.markup", "hansang.apps.news.rules"}
    assert OURS.keys() <= {(each.module, each.pattern) for each in every}, "an excuse for no pattern"


def test_a_pattern_takes_time_that_grows_with_the_text(every: list[Expression]) -> None:
    ours = [each for each in every if (each.module, each.pattern) not in OURS]
    assert {str(each): text for each in ours if (text := slow_text(each))} == {}


@pytest.mark.parametrize("pattern", [r"\s*\n\s*", r"(a|a)*b", r"\$\{([^}]+)\}", r"\d+\d+x"])
def test_a_pattern_that_is_slow_is_found(pattern: str) -> None:
    assert slow_text(Expression("any", pattern, 0, ("search",))) is not None
