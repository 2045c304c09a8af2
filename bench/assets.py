"""Fifty years of a household on disk: what a month, the dashboard and a correction of the first month take.

python bench/assets.py [--months 600] [--folder DIR]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from hansang.apps.assets.design import AssetManager
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.kinds import KINDS, EntryKind
from hansang.apps.assets.recording import MOST_AT_ONCE, Who
from hansang.apps.assets.rules import month_after, months
from hansang.apps.assets.service import Assets
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from hansang.parts.history import Actor
from hansang.parts.platform import Platform

FIRST = "1977.01"
WHO = Who(Actor("person", "bench", "Bench"))
TRIES = 20


def places(assets: Assets) -> list[Place]:
    """Every code of the household."""
    return [Place(kind, parts) for kind in KINDS.values() for parts in _parts(assets, kind)]


def _parts(assets: Assets, kind: EntryKind) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()]
    for part in kind.parts:
        found = [(*each, code) for each in found for code in assets.codes.choices(kind, part)]
    return found


def fill(assets: Assets, count: int) -> float:
    """Enter every code of every month; seconds."""
    wanted, begun = places(assets), time.perf_counter()
    assets.codes.extend(FIRST, WHO.actor)
    for month in months(FIRST, month_after(FIRST, count - 1)):
        for start in range(0, len(wanted), MOST_AT_ONCE):
            some = wanted[start : start + MOST_AT_ONCE]
            given = [(place, Given(amount=1_000 * (number + 1))) for number, place in enumerate(some)]
            assets.entering.enter_all(month, given, WHO)
    return time.perf_counter() - begun


def row(assets: Assets, name: str, act: Callable[[], object], tries: int = TRIES) -> str:
    """What one thing takes: the medians of its time and of the processor's, and its units."""
    taken, worked = [], []
    for _ in range(tries):
        with assets.database.meter() as cost:
            begun, working = time.perf_counter(), time.process_time()
            act()
            taken.append(time.perf_counter() - begun)
            worked.append(time.process_time() - working)
    spent = f"{median(taken) * 1000:>10.1f} {median(worked) * 1000:>10.1f}"
    return f"{name:<36} {spent} {cost.requests:>9} {cost.read:>9g} {cost.write:>9g}"


def lines(assets: Assets, count: int) -> list[str]:
    last, food = month_after(FIRST, count - 1), Place.of("living-expense", ("식비",))
    saved = Place.of("savings", ("적금1",))

    def add(month: str, place: Place) -> object:
        return assets.entering.enter(month, place, Given(add=1), WHO)

    def correct() -> None:
        add(FIRST, saved)
        assets.cascade.go_on(None)

    return [
        row(assets, "a month, the first", lambda: assets.reading.month(FIRST)),
        row(assets, "a month, the last", lambda: assets.reading.month(last)),
        row(assets, "the dashboard of the last month", lambda: assets.reading.dashboard(last)),
        row(assets, "a year through the index", lambda: assets.reading.period(month_after(last, -11), last)),
        row(assets, "adding to the last month", lambda: add(last, food)),
        row(assets, "correcting the first, all later too", correct, tries=3),
        row(assets, "checking every month", lambda: assets.checking.check(), tries=1),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--months", type=int, default=600)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        backend = stack.enter_context(Embedded.open(folder / "assets.db"))
        database = Database(backend)
        database.create_tables(AssetManager, Platform)
        assets = Assets(database, system_clock)
        taken = fill(assets, given.months)
        print(f"{given.months} months, {len(places(assets))} entries each, entered in {taken:.1f} s\n")
        print(f"{'':<36} {'ms':>10} {'CPU ms':>10} {'requests':>9} {'read':>9} {'write':>9}")
        print("\n".join(lines(assets, given.months)))


if __name__ == "__main__":
    main()
