"""The processes of the soak, each with the same file open.

`python -m tests.soak.child` waits for a line, in JSON, that says what it is to do:

`["write", FILE, GROUP, JUMPS, ROOM, "WRITER=TURN", …]`: write until it is killed. A thread a writer
follows its plan, one moves money and one claims numbers. It prints `ready`, and then a line for every answer:
`write WRITER TURN`, `transfer NAME`, `claim NUMBER`; `refused` for what a full disk did not take; and `kept …` if
something that was refused turns out to be stored. JUMPS is a seed for a clock that jumps, or `-`; ROOM is how many
bytes its files may have until a few writes were refused, or `-`.

`["read", FILE]` and `["back-up", FILE, FOLDER]`: do one thing for each further line, and print one line for it.
"""

from __future__ import annotations

import json
import logging
import random
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from hansang.clock import Clock, system_clock
from hansang.engine import Engine
from hansang.errors import HansangError, WireError
from hansang.parts.backups.backups import Backups
from hansang.parts.backups.stores import open_store
from tests.crash.child import report
from tests.crash.plan import Item, write
from tests.soak.bank import BANK, TOTAL, account, balances, claim, total, transfer

MOST_REFUSED = 12
_FARTHEST_JUMP = 6 * 3600  # Records of streams are kept for a day.


def jumping(seed: str) -> Clock:
    """A clock that is right on the average, and often hours away from that."""
    dice, state = random.Random(seed), {"off": 0.0}

    def clock() -> float:
        if dice.random() < 0.05:
            state["off"] = dice.uniform(-_FARTHEST_JUMP, _FARTHEST_JUMP)
        return system_clock() + state["off"]

    return clock


class Disk:
    """A disk that is full until some writes were refused."""

    def __init__(self, room: str) -> None:
        self._refused = 0
        if room != "-":
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(room), resource.RLIM_INFINITY))

    def refused(self) -> None:
        report("refused")
        self._refused += 1
        if self._refused >= MOST_REFUSED:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        time.sleep(0.005)


# ── writing ───────────────────────────────────────────────────────────────────────────────────────


def follow(engine: Engine, disk: Disk, writer: str, turn: int) -> None:
    """Do every turn until it is acknowledged; one that was refused and kept would be there twice."""
    while True:
        found = write(writer, turn)
        try:
            engine.call(found.operation, found.request())
        except HansangError:
            disk.refused()
            continue
        report(f"write {writer} {turn}")
        turn += 1


def move_money(engine: Engine, disk: Disk, group: str) -> None:
    """Transfer after transfer; some are sent twice, as by a client that has lost the answer."""
    dice, number = random.Random(group), 0
    while True:
        number += 1
        name = f"{group}-{number}"
        acknowledged = _transferred(engine, disk, name)
        if acknowledged and dice.random() < 0.3:
            _transferred(engine, disk, name, again=True)


def _transferred(engine: Engine, disk: Disk, name: str, *, again: bool = False) -> bool:
    while True:
        try:
            engine.call("TransactWriteItems", transfer(name))
        except HansangError as error:
            if isinstance(error, WireError) and error.code == "TransactionCanceledException":
                return False
            if not again and _stored(engine, f"receipt {name}"):
                report(f"kept transfer {name}: {error}")
            disk.refused()
        else:
            report(f"transfer {name}")
            return True


def claim_numbers(engine: Engine, disk: Disk, group: str) -> None:
    number = 0
    while True:
        try:
            engine.call("PutItem", claim(number, group))
            report(f"claim {number}")
        except HansangError as error:
            if not (isinstance(error, WireError) and error.code == "ConditionalCheckFailedException"):
                if _stored(engine, f"claim {number}").get("owner") == {"S": group}:
                    report(f"kept claim {number}: {error}")
                disk.refused()
                continue
        number += 1


def _stored(engine: Engine, key: str) -> Item:
    request = {"TableName": BANK, "Key": {"PK": {"S": key}}, "ConsistentRead": True}
    return engine.call("GetItem", request).get("Item") or {}


def write_until_killed(path: str, group: str, jumps: str, room: str, *writers: str) -> None:
    clock = system_clock if jumps == "-" else jumping(jumps)
    engine = Engine.open(path, clock=clock, sweep_seconds=0.2)
    disk = Disk(room)
    report("ready")
    threads = [
        threading.Thread(target=work, args=(engine, disk, group)) for work in (move_money, claim_numbers)
    ]
    for start in writers:
        writer, _, turn = start.partition("=")
        threads.append(threading.Thread(target=follow, args=(engine, disk, writer, int(turn))))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# ── reading and backing up ────────────────────────────────────────────────────────────────────────


def read_when_told(path: str) -> None:
    """For a line with a number: so many reads of each kind; says how many milliseconds the slowest took."""
    dice = random.Random(path)
    with Engine.open(path, sweep_seconds=None) as engine:
        report("ready")
        for line in sys.stdin:
            slowest, faults = 0.0, 0
            for _ in range(int(line)):
                begun = time.monotonic()
                one = engine.call("GetItem", {"TableName": BANK, "Key": account(dice.randrange(3))})
                all_of_them = engine.call("TransactGetItems", balances())["Responses"]
                slowest = max(slowest, time.monotonic() - begun)
                faults += "Item" not in one or total(each["Item"] for each in all_of_them) != TOTAL
            report(f"read {line.strip()} {slowest * 1000:.0f} {faults}")


def back_up_when_told(path: str, folder: str) -> None:
    backups = Backups(Path(path), open_store(folder), system_clock)
    report("ready")
    for _ in sys.stdin:
        report(f"backup {backups.make(lambda *step: None).name}")


WORK: dict[str, Callable[..., None]] = {
    "write": write_until_killed,
    "read": read_when_told,
    "back-up": back_up_when_told,
}


if __name__ == "__main__":
    logging.disable()  # What a full disk or a lost file does to the sweep is not news here.
    if first := sys.stdin.readline():
        kind, *words = json.loads(first)
        WORK[kind](*words)
