"""The answers of a SELECT, page by page, for somebody who may not see all that is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hansang.blueprint.explorer.statement_texts import condition_text, quoted
from hansang.blueprint.explorer.statements import StatementPlan
from hansang.design import ALL, Database
from hansang.design.codec import Value
from hansang.design.shape import Item
from hansang.engine.capacity import read_units
from hansang.engine.partiql.lexer import tokens
from hansang.engine.values import item_size

PARTIQL = "PartiQL"
"""The pattern under which statements are counted."""
LOOKED_AT = 2_000
"""How many items are read at most for one page of answers."""
_PIECE = 100
"""How many of them at a time at most, unless a page has more."""

Sight = Callable[[Item], Item | None]
"""What somebody sees of an item; None if it is not shown at all."""


@dataclass(frozen=True, slots=True)
class StatementPage:
    """One page of the items that a SELECT leads to, with all that it takes to tell what they are."""

    items: list[Item]
    token: str | None
    """Where to go on."""
    passed: int
    """How many answers from there on are on this page already."""
    read_units: float


@dataclass(frozen=True, slots=True)
class StatementRequest:
    """A statement with its parameters, as it is sent."""

    text: str
    parameters: list[Value]


def select_page(
    database: Database,
    plan: StatementPlan,
    limit: int,
    token: str | None,
    passed: int = 0,
    sight: Sight | None = None,
) -> StatementPage:
    """Read so many answers, unless too many items have to be read for them.

    With a `sight`, everything that the key leads to is read, and both the condition and the cost are of what is seen
    up to the last answer, however many pieces that took: neither which items answer nor a number tells of the rest.
    The columns are picked afterwards (`picked`).
    """
    asked = _asked(plan) if sight is None else _unfiltered(plan)
    found: list[Item] = []
    seen_size = 0
    with database.meter() as cost:
        for piece in _pieces(limit):
            start, room = token, limit - len(found)
            items, token = _read(database, asked, piece, start)
            looked = _looked_at(plan, items, sight)
            own = looked[_after(looked, passed) :]
            taken = own[: _after(own, room)]
            found += [each.item for each in taken if each.answers]
            seen_size += sum(each.size for each in taken)
            if len(found) == limit and len(taken) < len(own):
                token, passed = start, passed + room
                break
            # Whoever asks for smaller pages than before may have more to pass than this piece has.
            passed = max(0, passed - sum(each.answers for each in looked))
            if token is None or len(found) == limit:
                break
    seen_units = read_units(seen_size, consistent=False)
    return StatementPage(found, token, passed, cost.read if sight is None else seen_units)


def _pieces(limit: int) -> Iterator[int]:
    """How many items are read at a time: a page of answers, then more and more, since few of them answer."""
    left, piece = LOOKED_AT, limit
    while left:
        yield min(piece, left)
        left, piece = left - min(piece, left), max(limit, min(2 * piece, _PIECE))


@dataclass(frozen=True, slots=True)
class _LookedAt:
    """An item that was read, as large as it is seen."""

    item: Item
    size: int
    answers: bool


def _looked_at(plan: StatementPlan, items: list[Item], sight: Sight | None) -> list[_LookedAt]:
    """What of some items is shown at all."""
    if sight is None:
        return [_LookedAt(item, 0, answers=True) for item in items]
    pairs = ((item, seen) for item in items if (seen := sight(item)) is not None)
    return [_LookedAt(item, item_size(seen), _answers(plan, seen)) for item, seen in pairs]


def _after(looked: list[_LookedAt], answers: int) -> int:
    """The place right after so many answers; the end if there are fewer."""
    for place, each in enumerate(looked):
        if not answers:
            return place
        answers -= each.answers
    return len(looked)


def picked(plan: StatementPlan, item: Item) -> Item:
    """The columns of an item that the statement asks for."""
    return item if plan.statement.projection is None else plan.statement.projection.pick(item)


def _read(
    database: Database, asked: StatementRequest, limit: int, token: str | None
) -> tuple[list[Item], str | None]:
    request: dict[str, Any] = {"Statement": asked.text, "Limit": limit}
    if asked.parameters:
        request["Parameters"] = asked.parameters
    if token is not None:
        request["NextToken"] = token
    answer = database.call("ExecuteStatement", request, PARTIQL)
    return answer["Items"], answer.get("NextToken")


def _answers(plan: StatementPlan, seen: Item) -> bool:
    """Whether what is left of the condition is true of an item."""
    return plan.way.rest is None or plan.way.rest.test(seen, plan.bound.values)


def _asked(plan: StatementPlan) -> StatementRequest:
    """The statement itself, for whole items or what it takes to tell what they are."""
    if plan.statement.projection is None:
        return StatementRequest(plan.text, plan.parameters)
    start = next(each.start for each in tokens(plan.text) if each.text.upper() == "FROM")
    return StatementRequest(" ".join(["SELECT", _columns(plan), plan.text[start:]]), plan.parameters)


def _unfiltered(plan: StatementPlan) -> StatementRequest:
    """The statement with nothing but its conditions on the key."""
    parameters: list[Value] = []

    def slot(value: Value) -> str:
        parameters.append(value)
        return "?"

    source = ".".join(map(quoted, filter(None, (plan.statement.table, plan.statement.index))))
    parts = ["SELECT", _columns(plan), "FROM", source]
    for number, leaf in enumerate(plan.way.keys.values()):
        parts += ["AND" if number else "WHERE", condition_text(leaf, plan.bound.values, slot)]
    if plan.statement.order:
        terms = (f"{quoted(name)} {'DESC' if backward else 'ASC'}" for name, backward in plan.statement.order)
        parts += ["ORDER BY", ", ".join(terms)]
    return StatementRequest(" ".join(parts), parameters)


def _columns(plan: StatementPlan) -> str:
    """Everything; of an index that holds parts, what is asked for and tested, with the keys and the type of each."""
    projection, table = plan.statement.projection, plan.table
    if projection is None or plan.index is None or plan.index.project is ALL:
        return "*"
    tested = () if plan.way.rest is None else (str(path[0]) for path in plan.way.rest.paths)
    kind = table.type_attribute
    typed = [kind] if kind is not None and plan.index.projects(kind) else []
    return ", ".join(
        map(quoted, dict.fromkeys([*projection.roots, *tested, *table.key_attributes(), *typed]))
    )
