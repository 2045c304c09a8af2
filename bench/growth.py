"""Flat cost: the same operations on a small and on a large file, and the memory that it takes.

Runs in a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import workload
from hansang.engine import Engine
from measure import rate
from tables import figure, show

SMALL = 10_000
TURNS = 5
MARKS = {"get": 1.35, "put": 1.35, "query 100": 1.5}
"""How many times as long an operation may take on the large file."""


def resident() -> float:
    """Megabytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def load(path: Path, items: int) -> Engine:
    """A file with so many items, loaded in batches, each made when it is needed."""
    engine = Engine.open(path, durability="normal")
    engine.call("CreateTable", workload.indexed_table())
    for start in range(0, items, 2_500):
        numbers = range(start, min(start + 2_500, items))
        for batch in workload.batches(workload.INDEXED, numbers, items):
            engine.call("BatchWriteItem", batch)
    return engine


def requests(column: str, items: int, turn: int, count: int) -> list[workload.Request]:
    """Random requests over all of the items; puts are of new ones."""
    picker = random.Random(turn)
    first = items + turn * count
    numbers = (
        range(first, first + count) if column == "put" else [picker.randrange(items) for _ in range(count)]
    )
    found = [workload.REQUESTS[column][1](number) for number in numbers]
    for request, number in zip(found, numbers, strict=True):
        if column == "put":
            request |= {"TableName": workload.INDEXED, "Item": workload.item(number, items)}
        if column == "query 100":
            request["ExpressionAttributeValues"] = {":team": workload.item(number, items)["team"]}
    return found


def measured(engines: dict[int, Engine], column: str, seconds: float) -> dict[int, float]:
    """The median rate by size, from turns that the sizes take one after the other."""
    seen: dict[int, list[float]] = {items: [] for items in engines}
    for turn in range(TURNS):
        for items, engine in engines.items():
            work = requests(column, items, turn, 4_000)
            seen[items].append(rate(_calling(engine, column), work, seconds))
    return {items: median(rates) for items, rates in seen.items()}


def _calling(engine: Engine, column: str) -> Callable[[workload.Request], object]:
    operation = workload.REQUESTS[column][0]
    return lambda request: engine.call(operation, request)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args(arguments)
    memory = {"at the start": resident()}
    engines = {SMALL: load(options.folder / "small.db", SMALL)}
    memory[f"with {SMALL:,} items"] = resident()
    engines[options.items] = load(options.folder / "large.db", options.items)
    memory[f"with {options.items:,} items"] = resident()
    compare(engines, options.items)
    memory["after measuring"] = resident()
    show("memory of the process, MB", ["", "MB"], [[name, f"{found:.0f}"] for name, found in memory.items()])
    for engine in engines.values():
        engine.close()


def compare(engines: dict[int, Engine], items: int) -> None:
    rows = []
    for column in ("get", "put", "query 100"):
        rates = measured(engines, column, 0.5)
        times = rates[SMALL] / rates[items]
        met = "met" if times <= MARKS[column] else "not met"
        rows.append(
            [column, figure(rates[SMALL]), figure(rates[items]), f"{times:.2f}", f"{MARKS[column]}", met]
        )
    columns = ["", f"{SMALL:,} items", f"{items:,} items", "slower by", "mark", ""]
    show("flat cost: operations a second on disk, normal durability, two indexes", columns, rows)


if __name__ == "__main__":
    main()
