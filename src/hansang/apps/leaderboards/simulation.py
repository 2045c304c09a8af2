"""A synthetic week: so many players, so many plays a second, on any backend; what it costs and where the ceiling is."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from random import Random
from threading import Event, Lock, Thread

from hansang.apps.leaderboards.background import keep_counting
from hansang.apps.leaderboards.metering import CEILINGS, MeteredBackend, MeteredPlace, Units
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.simulated_players import SimulatedPlayers, simulated_name, simulated_score
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.blueprint.prices import SECONDS_A_MONTH, Prices
from hansang.errors import Busy, Conflict, Throttled, Unavailable
from hansang.parts.sampling import repeatable

THREADS = 16
_BOARD_EVERY = 10
"""After every so many plays somebody looks at the top 10."""

Progress = Callable[[str, int, int], object]


@dataclass(frozen=True, slots=True)
class WeekPlan:
    """What is simulated."""

    players: int
    plays_a_second: int
    seconds: int
    threads: int = THREADS


@dataclass(frozen=True, slots=True)
class PlaceCost:
    """The units of a table or an index, and their money on demand."""

    place: str
    read: float
    write: float
    cost: Decimal


@dataclass(frozen=True, slots=True)
class KeyHeat:
    """The key of a table or an index that was asked most, and at how many plays a second its partition is full."""

    place: str
    units: Units
    key: str
    a_second: float
    ceiling: float


@dataclass(slots=True)
class SimulatedWeek:
    """What came of it."""

    plan: WeekPlan
    filled: int = 0
    filling: float = 0.0
    """Seconds that it took until everybody had a score and a rank."""
    plays: int = 0
    improved: int = 0
    failed: int = 0
    throttled: int = 0
    elapsed: float = 0.0
    p50: float = 0.0
    p99: float = 0.0
    """Seconds of a submit, its rank included."""
    places: list[PlaceCost] = field(default_factory=list)
    hot: list[KeyHeat] = field(default_factory=list)
    """The keys nearest their ceiling first."""
    cost: Decimal = Decimal(0)
    monthly: Decimal = Decimal(0)
    """What a month costs at the pace that was reached, on demand."""

    @property
    def rate(self) -> float:
        """Plays a second that were reached."""
        return self.plays / self.elapsed if self.elapsed else 0.0


class Simulation:
    """Plays a week on boards whose backend is metered."""

    def __init__(
        self,
        boards: Leaderboards,
        meter: MeteredBackend,
        prices: Prices,
        *,
        refused: Callable[[], int] = lambda: 0,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`refused` tells how many requests a throttling engine has turned away, which retries hide from the meter."""
        self._boards, self._meter, self._prices = boards, meter, prices
        self._refused, self._now, self._lock = refused, now, Lock()

    def run(self, plan: WeekPlan, stop: Event, progress: Progress) -> SimulatedWeek:
        """Fill the week, then play; `stop` ends it with what there is so far."""
        found = SimulatedWeek(plan)
        if not self._fill(plan, stop, progress, found):
            return found
        self._meter.reset()
        refused_before, began = self._refused(), self._now()
        ended = Event()
        counting = Thread(target=self._count, args=(ended,))
        counting.start()
        try:
            taken = self._play(plan, stop, progress, found, began)
        finally:
            found.elapsed = self._now() - began
            ended.set()
            counting.join()
        found.throttled = max(self._meter.throttled, self._refused() - refused_before)
        if taken:
            taken.sort()
            found.p50, found.p99 = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
        self._sum_up(found)
        return found

    # ── playing ───────────────────────────────────────────────────────────────────────────────────

    def _fill(self, plan: WeekPlan, stop: Event, progress: Progress, found: SimulatedWeek) -> bool:
        """Give everybody a score and a rank; False if that was stopped, and then nobody can play."""
        began = self._now()
        everyone = SimulatedPlayers(self._boards, self._boards.weeks.current)

        def told(there: int) -> None:
            found.filled = there
            progress("players", there, plan.players)

        with self._meter.paused():
            self._boards.weeks.fix()
            everyone.fill(plan.players, stop, told)
            if not stop.is_set():
                found.filled = everyone.count(lambda ranked: progress("ranks", ranked, plan.players))
        found.filling = self._now() - began
        return not stop.is_set()

    def _play(
        self, plan: WeekPlan, stop: Event, progress: Progress, found: SimulatedWeek, began: float
    ) -> list[float]:
        """Each thread takes the next play when it is due; behind time there is no pause."""
        taken: list[float] = []
        numbers, total = count(), plan.plays_a_second * plan.seconds

        def worker(seed: int) -> None:
            chance = repeatable(f"playing {seed}")
            while not stop.is_set() and self._now() - began < plan.seconds:
                number = next(numbers)
                if number >= total or stop.wait(max(0.0, began + number / plan.plays_a_second - self._now())):
                    return
                self._one(chance, plan, number, found, taken)
                progress("plays", found.plays, total)

        with ThreadPoolExecutor(plan.threads, thread_name_prefix="hansang-simulate") as pool:
            for done in [pool.submit(worker, seed) for seed in range(plan.threads)]:
                done.result()
        return taken

    def _one(
        self, chance: Random, plan: WeekPlan, number: int, found: SimulatedWeek, taken: list[float]
    ) -> None:
        player = chance.randint(1, plan.players)
        play, start = GivenPlay(player, simulated_name(player), simulated_score(chance, player)), self._now()
        try:
            done = self._boards.submitter.submit(play)
            if number % _BOARD_EVERY == 0:
                self._boards.reading.page(done.week, 0, 10)
        except (Throttled, Unavailable, Busy, Conflict):
            with self._lock:
                found.failed += 1
            return
        with self._lock:
            taken.append(self._now() - start)
            found.plays += 1
            found.improved += done.improved

    def _count(self, ended: Event) -> None:
        """Changes are counted while plays come in, and what a throttled table has left is counted later."""
        while not ended.is_set():
            try:
                keep_counting(self._boards, ended, idle=10**9)
            except (Throttled, Unavailable, Busy):
                ended.wait(0.5)

    # ── what it came to ───────────────────────────────────────────────────────────────────────────

    def _sum_up(self, found: SimulatedWeek) -> None:
        units = self._meter.units
        for place in sorted({place for place, _ in units}):
            read, write = units.get((place, "read"), 0.0), units.get((place, "write"), 0.0)
            found.places.append(PlaceCost(str(place), read, write, self._prices.on_demand(read, write)))
        found.cost = sum((each.cost for each in found.places), Decimal(0))
        if not found.elapsed or not found.plays:
            return
        found.monthly = found.cost / Decimal(str(found.elapsed)) * SECONDS_A_MONTH
        found.hot = [
            self._heat(found, place, side, key, spent) for place, side, key, spent in self._meter.hottest()
        ]

    def _heat(
        self, found: SimulatedWeek, place: MeteredPlace, side: Units, key: str, units: float
    ) -> KeyHeat:
        a_second = units / found.elapsed
        ceiling = found.rate * CEILINGS[side] / a_second if a_second else float("inf")
        return KeyHeat(str(place), side, key, a_second, ceiling)
