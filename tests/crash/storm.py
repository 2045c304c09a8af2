"""Kills a writing process again and again, and judges the file after each time.

`python -m tests.crash.storm --rounds 100` is the long run.
"""

from __future__ import annotations

import argparse
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from hansang.engine import Engine
from tests.crash.judge import Judge
from tests.crash.plan import TABLES

ROOT = Path(__file__).parents[2]
THREADS = 4


@dataclass
class Summary:
    rounds: int = 0
    acknowledged: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass
class Storm:
    """One file, the processes that write to it, and its judge."""

    path: Path
    dice: random.Random
    processes: int = 1
    longest: float = 0.25
    """Seconds that a round may last once every process has written."""
    least: int = 1
    """Writes that every process has acknowledged before it may be killed."""
    summary: Summary = field(default_factory=Summary)

    def __post_init__(self) -> None:
        self.groups = [
            [f"p{number}t{thread}" for thread in range(THREADS)] for number in range(self.processes)
        ]
        self.judge = Judge(tuple(writer for group in self.groups for writer in group))
        engine = Engine.open(self.path, sweep_seconds=None)
        for definition in TABLES.values():
            engine.call("CreateTable", definition)
        engine.close()

    def round(self) -> list[str]:
        """Let it storm, kill it, sometimes kill it once more while it recovers, and judge."""
        children = [self._start(group) for group in self.groups]
        for child in children:
            _wait_until_ready(child)
        for child in children:
            self._listen(child, self.least)
        time.sleep(self.dice.uniform(0, self.longest))
        for child in children:
            child.send_signal(signal.SIGKILL)
        for child in children:
            self._end(child)
        if self.dice.random() < 0.5:
            self._kill_at_opening()
        return self._judge()

    def _start(self, writers: Sequence[str]) -> subprocess.Popen[bytes]:
        starts = [f"{writer}={self.judge.turns[writer]}" for writer in writers]
        command = [sys.executable, "-m", "tests.crash.child", str(self.path), *starts]
        return subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)

    def _listen(self, child: subprocess.Popen[bytes], lines: int | None = None) -> None:
        """Take in what is acknowledged: so many writes, or all until the end."""
        assert child.stdout is not None
        for line in islice(iter(child.stdout.readline, b""), lines):
            writer, turn = line.decode().split()
            self.judge.acknowledge(writer, int(turn))

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        self._listen(child)
        child.communicate()
        assert child.returncode == -signal.SIGKILL, "the storm ended by itself"

    def _kill_at_opening(self) -> None:
        """A process without writers is killed while it opens the file and recovers it, or closes it."""
        child = self._start([])
        _wait_until_ready(child)
        time.sleep(self.dice.uniform(0, 0.02))
        child.kill()
        child.communicate()

    def _judge(self) -> list[str]:
        engine = Engine.open(self.path, sweep_seconds=None)
        faults = self.judge.verdict(engine)
        engine.close()
        base = sqlite3.connect(self.path)
        faults += [f"SQLite: {row[0]}" for row in base.execute("PRAGMA integrity_check") if row[0] != "ok"]
        base.close()
        self.summary.rounds += 1
        self.summary.acknowledged = self.judge.acknowledged
        self.summary.faults += faults
        return faults


def _wait_until_ready(child: subprocess.Popen[bytes]) -> None:
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n", "the file could not be opened"


def tell(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def run(rounds: int, seed: int, processes: int) -> Summary:
    with tempfile.TemporaryDirectory() as folder:
        storm = Storm(Path(folder) / "storm.db", random.Random(seed), processes, longest=0.8)
        for number in range(1, rounds + 1):
            for fault in storm.round():
                tell(f"\n{fault}")
            told = f"round {number} of {rounds}, {storm.judge.acknowledged:,} writes acknowledged"
            tell(f"\r{told}, {len(storm.summary.faults)} faults")
            if storm.summary.faults:
                break
    tell("\n")
    return storm.summary


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--processes", type=int, default=1, help="processes that write to the file at a time")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    tell(f"seed {options.seed}\n")
    summary = run(options.rounds, options.seed, options.processes)
    end = f"{len(summary.faults)} faults" if summary.faults else "nothing lost, nothing torn"
    tell(f"{summary.rounds} kills, {summary.acknowledged:,} acknowledged writes: {end}\n")
    return 1 if summary.faults else 0


if __name__ == "__main__":
    sys.exit(main())
