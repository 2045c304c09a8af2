"""How things are timed: in turns, one contender after the other, and the median counts."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

from botocore.exceptions import ClientError

from contenders import Contender
from workload import COLUMNS, LOADED, numbers_for

Results = dict[str, dict[str, list[float]]]
"""By contender and column: the figure of each turn."""


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
    found = count / (perf_counter() - start)
    gc.unfreeze()
    return found


def walk_rate(contender: Contender) -> float:
    """Items a second, through the pages of a whole index or as many as there is time for."""
    count, start = 0, perf_counter()
    for size in contender.pages():
        count += size
        if perf_counter() - start > contender.pace.seconds:
            break
    return count / (perf_counter() - start)


def load_rate(contender: Contender, turn: int, items: int) -> float:
    function, batches = contender.loading(turn, range(items))
    found = rate(function, batches, seconds=600) * 25
    contender.loaded(turn)
    return found


def measured(contender: Contender, column: str, turn: int) -> float | None:
    """One figure, or None where the contender answers with an error: it does not have this operation."""
    try:
        if column == "load":
            return load_rate(contender, turn, LOADED)
        if column == "walk":
            return walk_rate(contender)
        function, arguments = contender.work(column, numbers_for(column, turn, contender.pace.count))
        return rate(function, arguments, contender.pace.seconds)
    except ClientError:
        return None


def in_turns(contenders: Sequence[Contender]) -> Results:
    """Every column of every contender: column by column, one contender after the other, in turns."""
    seen: Results = {contender.name: {} for contender in contenders}
    for contender in contenders:
        contender.prepare()
    for turn in range(max(contender.pace.turns for contender in contenders)):
        for column in ("load", *(name for name in COLUMNS if name != "load")):
            for contender in contenders:
                if turn < (contender.pace.loads if column == "load" else contender.pace.turns):
                    value = measured(contender, column, turn)
                    if value is not None:
                        seen[contender.name].setdefault(column, []).append(value)
    return seen


def middle(results: Results, name: str, column: str) -> float | None:
    rates = results[name].get(column)
    return median(rates) if rates else None


def ratio(results: Results, name: str, other: str, column: str) -> float:
    """How one compares with another: the median over the turns, since what is done together suffers together."""
    pairs = zip(results[name][column], results[other][column], strict=False)
    return median(left / right for left, right in pairs)
