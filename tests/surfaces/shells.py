"""The shell as the server has it, on the embedded engine, for the tests of the API and of the console.

A test module, or a conftest, takes what it needs: `from tests.surfaces.shells import clock, shell`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from argon2 import PasswordHasher

from hansang.apps.application import Application
from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.passwords import Passwords
from hansang.apps.platform.people import People
from hansang.parts.jobs import Job
from hansang.settings import ServerSettings
from hansang.surfaces.http import readiness
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell

# A busy machine takes its time; what is too slow to be ready is a test's own to set.
readiness.PATIENCE = readiness.WRITE_PATIENCE = 60.0

SETTINGS = ServerSettings(data=":memory:", jobs=False, time_limit=600)
PASSWORD = "correct horse battery"


@dataclass
class SetClock:
    """A clock that stands still until it is moved.

    It shows a time that is far off, so that nothing expires by the engine's own clock.
    """

    now: float = 4_000_000_000.25

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@contextmanager
def opened(
    clock: SetClock,
    settings: ServerSettings = SETTINGS,
    jobs: tuple[Job, ...] = (),
    applications: tuple[Application, ...] | None = None,
) -> Iterator[Shell]:
    """A shell of its own; passwords take less work than in a server."""
    with open_shell(settings, clock, applications=applications, jobs=jobs) as shell:
        cheap = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        accounts = accounts_of(shell.identity)
        accounts.people = People(shell.database, clock, passwords=cheap, told=accounts.people.told)
        yield shell


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def shell(clock: SetClock) -> Iterator[Shell]:
    with opened(clock) as found:
        yield found


def new_key(shell: Shell, *scopes: str) -> str:
    """The text of a new key with these scopes."""
    _, text = accounts_of(shell.identity).keys.create("for a test", scopes, "a test")
    return text
