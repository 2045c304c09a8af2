"""The price of the checksums: the engine as it is beside itself without any, in turns, by processor time."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from unittest.mock import patch

from hansang.engine import Engine
from hansang.engine.sql import change_logs, reader, writer
from workload import INDEXED, LOADED, Request, batches, get, indexed_table, query, update

TURNS, CALLS = 9, 500
WORKS: dict[str, tuple[str, Callable[[int], Request]]] = {
    "get": ("GetItem", get),
    "update": ("UpdateItem", update),
    "query 100": ("Query", query),
}


def main() -> None:
    with TemporaryDirectory() as folder, ExitStack() as stack:
        engines = {}
        for name in ("with", "without"):
            engines[name] = stack.enter_context(Engine.open(Path(folder) / f"{name}.db", durability="normal"))
            with _as_in(name):
                _fill(engines[name])
        print(f"{'':<14}{'with µs':>10}{'without µs':>12}{'price':>9}", flush=True)
        for column in WORKS:
            found: dict[str, list[float]] = {name: [] for name in engines}
            for turn in range(TURNS):
                for name, engine in engines.items():
                    with _as_in(name):
                        found[name].append(_timed(engine, column, turn))
            price = median(one / other - 1 for one, other in zip(*found.values(), strict=True))
            one, other = (median(each) * 1e6 for each in found.values())
            print(f"{column:<14}{one:>10.1f}{other:>12.1f}{price:>9.1%}", flush=True)


@contextmanager
def _as_in(name: str) -> Iterator[None]:
    """The engine as it is, or with marks that are sizes alone and are compared with nothing."""
    if name == "with":
        yield
        return
    with ExitStack() as stack:
        for module in (reader, writer, change_logs):
            stack.enter_context(patch.object(module, "mark_of", lambda rows, key, value, size: size))
        for check in ("is_sound", "are_sound"):
            stack.enter_context(patch.object(reader, check, lambda *row: True))
        stack.enter_context(patch.object(reader.Reader, "expect_edges", lambda *place, **way: None))
        yield


def _fill(engine: Engine) -> None:
    engine.call("CreateTable", indexed_table())
    for each in batches(INDEXED, range(LOADED)):
        engine.call("BatchWriteItem", each)


def _timed(engine: Engine, column: str, turn: int) -> float:
    operation, request = WORKS[column]
    gc.collect()
    start = process_time()
    for number in range(turn * CALLS, (turn + 1) * CALLS):
        engine.call(operation, request(number % LOADED))
    return (process_time() - start) / CALLS


if __name__ == "__main__":
    main()
