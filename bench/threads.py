"""Group commit: durable writes from several threads on one file."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from time import perf_counter

import workload
from hansang.engine import Engine


def durable_puts(folder: Path, counts: Sequence[int], seconds: float, turns: int = 3) -> dict[int, float]:
    """Conditional puts a second by the number of threads, the median of some turns."""
    engine = Engine.open(folder / "threads.db", durability="full")
    engine.call("CreateTable", workload.indexed_table())
    seen: dict[int, list[float]] = {count: [] for count in counts}
    first = 0
    for _ in range(turns):
        for count in counts:
            seen[count].append(_puts_a_second(engine, count, first, seconds))
            first += 10_000_000
    engine.close()
    return {count: median(rates) for count, rates in seen.items()}


def _puts_a_second(engine: Engine, count: int, first: int, seconds: float) -> float:
    ready = [
        [
            workload.conditional_put(first + thread * 100_000 + number)
            for number in range(int(8_000 * seconds))
        ]
        for thread in range(count)
    ]
    with ThreadPoolExecutor(count) as pool:
        start = perf_counter()
        done = sum(pool.map(lambda requests: _put_until(engine, requests, start + seconds), ready))
        return done / (perf_counter() - start)


def _put_until(engine: Engine, requests: Sequence[workload.Request], stop: float) -> int:
    done = 0
    for request in requests:
        engine.call("PutItem", request)
        done += 1
        if perf_counter() > stop:
            break
    return done
