"""A loop whose time a test has in its hands."""

from __future__ import annotations

import asyncio


class Timers(asyncio.SelectorEventLoop):
    """A loop whose time goes by when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def time(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += seconds
        self.run_until_complete(asyncio.sleep(0))
