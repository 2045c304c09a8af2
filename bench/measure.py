"""How things are timed: in turns, one contender after the other, and the median counts."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

from contenders import Contender
from workload import COLUMNS, LOADED, SINGLES, numbers_for

Rates = dict[str, list[float]]


def rate(function: Callable[[Any], object], arguments: Iterable[Any], seconds: float) -> float:
    """Calls a second, until the arguments or the seconds are used up."""
    gc.collect()
    gc.freeze()
    count = 0
    start = perf_counter()
    stop = start + seconds
    for argument in arguments:
        function(argument)
        count += 1
        if perf_counter() > stop:
            break
    return count / (perf_counter() - start)


def walk_rate(contender: Contender) -> float:
    """Items a second, through the pages of a whole index or as many as there is time for."""
    count, start = 0, perf_counter()
    for size in contender.pages():
        count += size
        if perf_counter() - start > contender.seconds:
            break
    return count / (perf_counter() - start)


def load_rate(contender: Contender, turn: int, items: int) -> float:
    function, batches = contender.loading(turn, range(items))
    found = rate(function, batches, seconds=600) * 25
    contender.loaded(turn)
    return found


def attempt(measured: Callable[[], float]) -> float | None:
    """A figure, or None where the contender answers with an error: it does not have this operation."""
    try:
        return measured()
    except Exception as fault:
        if type(fault).__name__ in ("ClientError", "UnknownOperationException"):
            return None
        raise


def one_turn(contender: Contender, turn: int, count: int) -> dict[str, float | None]:
    """Every column of one contender, once."""
    found: dict[str, float | None] = {}
    if turn == 0:
        contender.prepare()
    if turn < contender.loads:
        found["load"] = attempt(lambda: load_rate(contender, turn, LOADED))
    for column in SINGLES:
        function, arguments = contender.work(column, numbers_for(column, turn, count))
        found[column] = attempt(lambda f=function, a=arguments: rate(f, a, contender.seconds))  # type: ignore[misc]
    found["walk"] = attempt(lambda: walk_rate(contender))
    return found


def in_turns(contenders: Sequence[Contender], turns: int, count: int) -> dict[str, dict[str, float]]:
    """The median of every column for every contender, from turns that they take one after the other."""
    seen: dict[str, Rates] = {contender.name: {} for contender in contenders}
    for turn in range(turns):
        for contender in contenders:
            for column, value in one_turn(contender, turn, count).items():
                if value is not None:
                    seen[contender.name].setdefault(column, []).append(value)
    return {
        name: {column: median(rates[column]) for column in COLUMNS if column in rates}
        for name, rates in seen.items()
    }
