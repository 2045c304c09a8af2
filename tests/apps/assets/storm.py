"""A storm: two people write at once, past and present, and the process ends between any two requests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random

from hansang.apps.assets.codes import FAMILIES
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.kinds import KIND_NAMES, KINDS
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.recording import Who
from hansang.apps.assets.rules import month_after
from hansang.apps.assets.service import Assets
from hansang.backends.base import Backend
from hansang.errors import HansangError
from hansang.parts.history import Actor
from tests.apps.assets.crashes import Crash, Crashing
from tests.apps.assets.household import ledger
from tests.parts.faults import Meddler

PEOPLE = tuple(Who(Actor("person", name, name)) for name in ("서연", "준호"))
SPAN = 40
"""How many months are written to: more than one step of the cascade settles."""


class Storm:
    """Sets, adds, clears, undoes, renames, pastes, opens and closes by chance."""

    def __init__(self, backend: Backend, seed: int) -> None:
        self._backend, self._chance = backend, Random(seed)
        self._changes: list[str] = []
        self.crashes = self.meetings = 0

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
            self.crashes += 1

    def _meet(self) -> None:
        """Let somebody else write just before the first transaction of a person is sent."""

        def other() -> None:
            self.meetings += 1
            self._do(self._backend)

        self._do(Meddler(self._backend, "TransactWriteItems", other))

    def _do(self, backend: Backend) -> None:
        with ledger(backend=backend) as assets, suppress(HansangError):
            verb = self._chance.choice(
                (self._enter, self._enter, self._enter, self._several, self._undo, self._rare)
            )
            verb(assets, self._chance.choice(PEOPLE))

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

    def _enter(self, assets: Assets, who: Who) -> None:
        done = assets.entering.enter(self._month(), self._place(assets), self._given(), who)
        self._changes += [done.change.id] if done.change else []

    def _several(self, assets: Assets, who: Who) -> None:
        places = {place.parts: place for place in (self._place(assets) for _ in range(3))}
        wanted = [(place, self._given()) for place in places.values()]
        done = assets.entering.enter_all(self._month(), wanted, who)
        self._changes += [done.change.id] if done.change else []

    def _undo(self, assets: Assets, who: Who) -> None:
        if self._changes:
            self._changes.append(assets.undoing.undo(self._chance.choice(self._changes[-8:]), who).id)

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
