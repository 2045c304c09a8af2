"""A storm: two people write at once in two households, past and present, and the process ends between any two requests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from random import Random

from hansang.apps.assets.codes import FAMILIES
from hansang.apps.assets.design import AssetManager
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.households import FIRST, Households
from hansang.apps.assets.kinds import KIND_NAMES, KINDS
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.plans import Household
from hansang.apps.assets.presets import HEADER
from hansang.apps.assets.recording import Who
from hansang.apps.assets.rules import month_after
from hansang.apps.assets.service import Assets
from hansang.backends.base import Backend
from hansang.design import Database
from hansang.errors import Conflict, HansangError
from hansang.parts.history import Actor, Change
from hansang.parts.platform import Platform
from tests.apps.assets.crashes import Crash, Crashing
from tests.apps.assets.household import NOW
from tests.parts.faults import Meddler, no_sleep
from tests.surfaces.shells import SetClock

PEOPLE = tuple(Who(Actor("person", name, name)) for name in ("서연", "준호"))
HOUSEHOLDS = (FIRST, "parents")
SPAN = 40
"""How many months are written to: more than one step of the cascade settles."""
Sheet = list[list[str]]


def opened(backend: Backend, household: str) -> Assets:
    """A household as a process that has just begun sees it."""
    database = Database(backend, secret=b"of a test")
    return Households(database, SetClock(NOW.timestamp()), sleep=no_sleep).open(household)


class Storm:
    """Sets, adds, clears, imports, pastes, undoes, renames, opens and closes by chance."""

    def __init__(self, backend: Backend, seed: int) -> None:
        self._backend, self._chance = backend, Random(seed)
        self._changes = defaultdict[str, list[str]](list)
        self._looks = defaultdict[str, list[tuple[Sheet, dict[str, str]]]](list)
        """Files that somebody has looked at, with what was seen, to be entered by anybody at any time."""
        self._household = FIRST
        self.seen = Counter[str]()
        database = Database(backend, secret=b"of a test")
        database.create_tables(AssetManager, Platform)
        parents = Household(id=HOUSEHOLDS[1], title="부모님", members={"서연": "owner"})
        Households(database, SetClock(NOW.timestamp())).create(parents, PEOPLE[0])

    def blow(self, rounds: int) -> None:
        """Do so many things, some of them broken off, some with another person in between."""
        for _ in range(rounds):
            kind = self._chance.randrange(4)
            if kind == 0:
                self._crash()
            elif kind == 1:
                self._meet()
            else:
                self._do(self._backend)

    def _crash(self) -> None:
        try:
            self._do(Crashing(self._backend, self._chance.randint(1, 4)))
        except Crash:
            self.seen["crashes"] += 1

    def _meet(self) -> None:
        """Let somebody else write in the same household just before a transaction of a person is sent."""

        def other() -> None:
            self.seen["meetings"] += 1
            self._act(self._backend)

        self._do(Meddler(self._backend, "TransactWriteItems", other, passing=self._chance.randrange(2)))

    def _do(self, backend: Backend) -> None:
        self._household = self._chance.choice(HOUSEHOLDS)
        self._act(backend)

    def _act(self, backend: Backend) -> None:
        assets = opened(backend, self._household)
        verbs = (self._enter, self._enter, self._several, self._undo, self._import, self._paste, self._rare)
        with suppress(HansangError):
            self._chance.choice(verbs)(assets, self._chance.choice(PEOPLE))

    # ── what they do ──────────────────────────────────────────────────────────────────────────────

    def _month(self) -> str:
        return month_after("2025.01", self._chance.randrange(SPAN))

    def _place(self, assets: Assets) -> Place:
        kind = KINDS[self._chance.choice(KIND_NAMES)]
        parts = tuple(self._chance.choice(assets.codes.choices(kind, part)) for part in kind.parts)
        return Place(kind, parts)

    def _given(self) -> Given:
        amount = self._chance.randrange(1, 1_000)
        return self._chance.choice(
            (Given(amount=amount), Given(add=amount), Given(add=amount, memo="m"), Given(is_cleared=True))
        )

    def _note(self, change: Change | None) -> None:
        self._changes[self._household] += [] if change is None else [change.id]

    def _enter(self, assets: Assets, who: Who) -> None:
        self._note(assets.entering.enter(self._month(), self._place(assets), self._given(), who).change)

    def _several(self, assets: Assets, who: Who) -> None:
        places = {place.parts: place for place in (self._place(assets) for _ in range(3))}
        wanted = [(place, self._given()) for place in places.values()]
        self._note(assets.entering.enter_all(self._month(), wanted, who).change)

    def _undo(self, assets: Assets, who: Who) -> None:
        if changes := self._changes[self._household]:
            self._note(assets.undoing.undo(self._chance.choice(changes[-8:]), who))

    def _import(self, assets: Assets, who: Who) -> None:
        """Look at a new file, and enter it or one that was looked at before."""
        looks, sheet = self._looks[self._household], self._sheet(assets)
        looks.append((sheet, assets.importing.preview(sheet).seen))
        rows, seen = self._chance.choice(looks[-4:])
        try:
            done = assets.importing.take(assets.importing.preview(rows, seen=seen), who)
        except Conflict:
            self.seen["decisions"] += 1
            raise
        self.seen["imports"] += done.entered > 0
        self._note(done.change)

    def _sheet(self, assets: Assets) -> Sheet:
        """Whole amounts and payments of up to two months."""
        months, rows = (self._month(), self._month()), list[list[str]]()
        for _ in range(3):
            place, month = self._place(assets), self._chance.choice(months)
            names = [*place.parts, ""][:2]
            day = (
                f"{month.replace('.', '-')}-0{self._chance.randint(1, 3)}"
                if self._chance.random() < 0.5
                else ""
            )
            rows.append([month, place.kind.name, *names, str(self._chance.randrange(1, 1_000)), day])
        return [[str(each) for each in HEADER], *rows]

    def _paste(self, assets: Assets, who: Who) -> None:
        block = f"식비\t{self._chance.randrange(1_000)}\n대출\t{self._chance.randrange(1_000)}"
        self._note(assets.pasting.take(assets.pasting.preview(block, self._month()), who)[1])

    def _rare(self, assets: Assets, who: Who) -> None:
        rare: tuple[Callable[[], object], ...] = (
            lambda: assets.opening.set(OpeningGiven("2024.12", self._chance.randrange(99), 5, {}), who),
            lambda: assets.checking.close(self._month()),
            lambda: self._rename(assets, who),
            lambda: assets.reading.dashboard(self._month()),
        )
        self._chance.choice(rare)()

    def _rename(self, assets: Assets, who: Who) -> None:
        accounts = assets.codes.accounts()[FAMILIES[2]]
        old = self._chance.choice(accounts)
        assets.renaming.rename("ACCOUNT_TYPE", old, f"이름{self._chance.randrange(5)}", who)
