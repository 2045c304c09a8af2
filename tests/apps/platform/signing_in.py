"""What the tests of signing in share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from argon2 import PasswordHasher

from hansang.apps.platform.passwords import Passwords
from hansang.errors import HansangError

R = TypeVar("R")

PASSWORD = "correct horse 말"
QUICK = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


def quick_passwords() -> Passwords:
    """Passwords that take no time, for tests that are not about how long it takes."""
    return Passwords(QUICK)


def at_once(times: int, act: Callable[[int], R]) -> list[R | HansangError]:
    """What comes of doing something in several threads at the same moment."""
    barrier = Barrier(times)

    def one(number: int) -> R | HansangError:
        barrier.wait()
        try:
            return act(number)
        except HansangError as error:
            return error

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))
