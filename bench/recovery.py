"""What recovery to a moment costs: writes with it off and on, in turns, and the rate and memory of a restore."""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

import workload
from hansang.engine import Engine

TURNS = 9
WRITES = 2_000


def switched(engine: Engine, *, on: bool) -> None:
    specification = {"PointInTimeRecoveryEnabled": on}
    request = {"TableName": workload.INDEXED, "PointInTimeRecoverySpecification": specification}
    engine.call("UpdateContinuousBackups", request)


def micros(engine: Engine, operation: str, requests: list[workload.Request]) -> float:
    start = process_time()
    for request in requests:
        engine.call(operation, request)
    return (process_time() - start) / WRITES * 1e6


def overwriting(number: int, turn: int) -> workload.Request:
    return {"TableName": workload.INDEXED, "Item": workload.item(number) | {"turn": {"N": str(turn)}}}


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Engine.open(Path(folder) / "data.db", durability="normal", sweep_seconds=None) as engine,
    ):
        engine.call("CreateTable", workload.indexed_table())
        seen: dict[tuple[str, bool], list[float]] = {}
        for turn in range(2 * TURNS):
            on, numbers = bool(turn % 2), range(turn * WRITES, (turn + 1) * WRITES)
            switched(engine, on=on)
            new = [workload.conditional_put(number) for number in numbers]
            again = [overwriting(number, turn) for number in numbers]
            for name, requests in (("new item", new), ("overwrite", again)):
                seen.setdefault((name, on), []).append(micros(engine, "PutItem", requests))
        for name in ("new item", "overwrite"):
            off, on_ = median(seen[name, False]), median(seen[name, True])
            print(f"{name}, two indexes, µs of CPU: {off:.1f} off, {on_:.1f} on: {on_ / off:.2f} times")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = process_time()
        request = {
            "SourceTableName": workload.INDEXED,
            "TargetTableName": "restored",
            "UseLatestRestorableTime": True,
        }
        engine.call("RestoreTableToPointInTime", request)
        seconds = process_time() - start
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        pace = 2 * TURNS * WRITES / seconds
        print(f"restore with two indexes: {pace:,.0f} items a second of CPU, {grown:.0f} MB more at most")


if __name__ == "__main__":
    main()
