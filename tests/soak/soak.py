"""Several processes on one file, and everything that can happen to them, again and again; and what is left of it.

`python -m tests.soak.soak --rounds 100` is the long run: a dozen kills a round.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from pathlib import Path

from hansang.engine import Engine
from hansang.engine.inspection import inspect
from hansang.errors import HansangError
from hansang.parts.backups.names import find_backup
from tests.crash.judge import Judge, half_transactions, place, scan
from tests.crash.plan import TABLES
from tests.crash.storm import tell
from tests.soak.bank import BANK, BankJudge, open_accounts
from tests.soak.processes import SoakProcess

STANDING_BY = 4
READS = 20
"""What a reader has to answer while a writer is stopped."""


@dataclass
class Figures:
    """What was done to the file, and what came of it."""

    rounds: int = 0
    kills: int = 0
    stops: int = 0
    stops_with_the_lock: int = 0
    """Stops during which no other process could write."""
    reads_meanwhile: int = 0
    slowest_read_ms: int = 0
    full_disks: int = 0
    refused: int = 0
    clock_jumpers: int = 0
    locks_deleted: int = 0
    backups_asked: int = 0
    backups: int = 0
    acknowledged: int = 0
    transfers: int = 0
    claims: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = [f"{getattr(self, each.name):,} {each.name}" for each in fields(self) if each.name != "faults"]
        return f"{', '.join(told)}, {len(self.faults)} faults".replace("_", " ")


@dataclass
class Soak:
    """One file, the processes on it, what happens to them, and the judges."""

    folder: Path
    dice: random.Random
    groups: int = 12
    """Processes that write in a round, one after the other; each ends by being killed."""
    at_once: int = 4
    longest: float = 0.3
    """Seconds between two events at most."""
    least: int = 0
    """Lines that a process has told, of writes done or refused, before it is killed."""
    finishing: float = 0.5
    """In how many rounds the first backup may finish; in the others it is killed wherever it is."""
    figures: Figures = field(default_factory=Figures)

    def __post_init__(self) -> None:
        self.path, self.backups = self.folder / "soak.db", self.folder / "backups"
        self.backups.mkdir()
        self.judge = Judge(tuple(f"g{number}" for number in range(self.groups)))
        with Engine.open(self.path, sweep_seconds=None) as engine:
            for definition in TABLES.values():
                engine.call("CreateTable", definition)

    def round(self) -> list[str]:
        """Let everything happen until every process was killed once, and judge what is left."""
        with Engine.open(self.path, sweep_seconds=None) as engine:
            open_accounts(engine)
        with ExitStack() as stack:
            faults = _Round(self, stack).run()
        self.figures.rounds += 1
        self.figures.acknowledged = self.judge.acknowledged
        self.figures.faults += faults
        return faults


class _Round:
    """The processes between two judgements."""

    def __init__(self, soak: Soak, stack: ExitStack) -> None:
        self.soak, self.dice, self.figures, self.stack = soak, soak.dice, soak.figures, stack
        self.bank, self.faults = BankJudge(), list[str]()
        self.waiting = [f"g{number}" for number in range(soak.groups)]
        self.dice.shuffle(self.waiting)
        self.live: dict[str, SoakProcess] = {}
        self.idle = deque(stack.enter_context(SoakProcess()) for _ in range(STANDING_BY))
        self.reader = self._started("read", str(soak.path))
        self.copier = self._started("back-up", str(soak.path), str(soak.backups))
        self.known: list[set[str]] = []
        """The transfers that were acknowledged when each backup was asked for."""

    def run(self) -> list[str]:
        events = [self.pass_over, self.stop, self.stop, self.ask_for_backup, self.delete_lock]
        for _ in range(self.soak.at_once):
            self._start_next()
        while self.live:
            time.sleep(self.dice.uniform(0.01, self.soak.longest))
            self.dice.choice(events)()
            self._kill(self.dice.choice(sorted(self.live)))
            self._start_next()
            if not self.waiting and len(self.live) == 1:
                self._let_backup_finish()
        self.reader.kill()
        made = [line.split()[1] for line in self.copier.kill()[1:]]
        self.figures.kills += 1
        return [*self.faults, *self._judged(), *self._backup_faults(made)]

    # ── processes ─────────────────────────────────────────────────────────────────────────────────

    def _started(self, *words: str) -> SoakProcess:
        """One of those that stand by, so that the others are not left alone for as long as Python takes to start."""
        if self.waiting:
            self.idle.append(self.stack.enter_context(SoakProcess()))
        found = self.idle.popleft()
        found.begin(*words)
        return found

    def _start_next(self) -> None:
        if not self.waiting:
            return
        group = self.waiting.pop()
        jumps, room = "-", "-"
        if self.dice.random() < 0.3:
            self.figures.clock_jumpers += 1
            jumps = str(self.dice.random())
        if self.dice.random() < 0.3:
            self.figures.full_disks += 1
            room = str(self._size_of_log() + self.dice.randrange(40_000, 200_000))
        name = f"{self.figures.rounds}-{group}"
        start = f"{group}={self.soak.judge.turns[group]}"
        self.live[group] = self._started("write", str(self.soak.path), name, jumps, room, start)

    def _size_of_log(self) -> int:
        log = self.soak.path.with_name(f"{self.soak.path.name}-wal")
        return log.stat().st_size if log.exists() else 0

    def _kill(self, group: str) -> None:
        """Take in everything that was acknowledged before the end."""
        process = self.live.pop(group)
        if not process.answered(1 + self.soak.least):
            self.faults.append(f"the process of {group} wrote nothing")
        if process.has_ended:
            self.faults.append(f"the process of {group} ended by itself")
        for line in process.kill()[1:]:
            kind, *rest = line.split()
            if kind == "write":
                self.soak.judge.acknowledge(rest[0], int(rest[1]))
            elif kind == "transfer":
                self.bank.transfers.add(rest[0])
            elif kind == "claim":
                self.bank.claims.setdefault(int(rest[0]), []).append(f"{self.figures.rounds}-{group}")
            elif kind == "refused":
                self.figures.refused += 1
            else:
                self.faults.append(f"refused and {line}")
        self.figures.kills += 1

    # ── events ────────────────────────────────────────────────────────────────────────────────────

    def pass_over(self) -> None:
        """A kill alone."""

    def stop(self) -> None:
        """Stop a process wherever it is; reads have to be answered while it stands still."""
        stopped = self.live[self.dice.choice(sorted(self.live))]
        stopped.send(signal.SIGSTOP)
        try:
            self._expect_reads()
            self._note_waiting(stopped)
        finally:
            stopped.send(signal.SIGCONT)
        self.figures.stops += 1

    def _expect_reads(self) -> None:
        before = len(self.reader.lines)
        self.reader.tell(str(READS))
        if not self.reader.answered(before + 1):
            self.faults.append("a reader waited for a writer that was stopped")
            return
        _, reads, slowest, torn = self.reader.lines[-1].split()
        self.figures.reads_meanwhile += int(reads)
        self.figures.slowest_read_ms = max(self.figures.slowest_read_ms, int(slowest))
        if int(torn):
            self.faults.append(f"{torn} reads saw half of a transfer")

    def _note_waiting(self, stopped: SoakProcess) -> None:
        others = [each for each in self.live.values() if each is not stopped]
        before = sum(len(each.lines) for each in others)
        time.sleep(0.1)
        if others and sum(len(each.lines) for each in others) == before:
            self.figures.stops_with_the_lock += 1

    def ask_for_backup(self) -> None:
        """Have a backup made while everything goes on; it has what is acknowledged by now."""
        told = [line for each in self.live.values() for line in list(each.lines)]
        now = {line.split()[1] for line in told if line.startswith("transfer ")}
        self.known.append(now | self.bank.transfers)
        self.copier.tell("now")
        self.figures.backups_asked += 1

    def _let_backup_finish(self) -> None:
        """Wait for the first backup beside the last writer: a large file takes longer than the rest of a round."""
        if self.known and self.dice.random() < self.soak.finishing and not self.copier.answered(2):
            self.faults.append("a backup did not end")

    def delete_lock(self) -> None:
        self.soak.path.with_name(f"{self.soak.path.name}-lock").unlink(missing_ok=True)
        self.figures.locks_deleted += 1

    # ── judging ───────────────────────────────────────────────────────────────────────────────────

    def _judged(self) -> Iterator[str]:
        with Engine.open(self.soak.path, sweep_seconds=None) as engine:
            yield from self.soak.judge.verdict(engine)
            yield from self.bank.verdict(engine)
        try:
            inspect(self.soak.path, lambda *step: None)
        except HansangError as fault:
            yield str(fault)
        self.figures.transfers += len(self.bank.transfers)
        self.figures.claims += len(self.bank.claims)

    def _backup_faults(self, made: list[str]) -> Iterator[str]:
        """Whatever has the name of a backup is whole, told of or not."""
        known = dict(zip(made, self.known, strict=False))
        for file in sorted(self.soak.backups.iterdir()):
            found = find_backup(file.name, 0)
            if found is not None and found.is_whole:
                self.figures.backups += 1
                yield from (
                    f"{file.name}: {each}" for each in self._copy_faults(file, known.get(file.name, set()))
                )
        for file in self.soak.backups.iterdir():
            file.unlink()

    def _copy_faults(self, file: Path, acknowledged: set[str]) -> Iterator[str]:
        with Engine.open(file, sweep_seconds=None) as engine:
            items = {item["PK"]["S"]: item for item in scan(engine, BANK)}
            yield from self.bank.copy_faults(items, acknowledged)
            stored = {place(name, item): item for name in TABLES for item in scan(engine, name)}
        for writer in self.soak.judge.writers:
            yield from half_transactions(writer, stored)


def run(rounds: int, seed: int) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), random.Random(seed))
        for _ in range(rounds):
            for fault in soak.round():
                tell(f"\n{fault}")
            tell(f"\r{soak.figures}")
            if soak.figures.faults:
                break
    return soak.figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    tell(f"seed {options.seed}\n")
    figures = run(options.rounds, options.seed)
    tell("\n" + ("" if figures.faults else "nothing lost, nothing twice, no reader waited for a writer\n"))
    return 1 if figures.faults else 0


if __name__ == "__main__":
    sys.exit(main())
