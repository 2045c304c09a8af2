"""How often something may be tried: exact across workers and restarts, because the tries are in the table."""

from __future__ import annotations

from typing import Annotated

from hansang.apps.platform.tokens import digest
from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key
from hansang.errors import AlreadyExists, Busy, Conflict, LockedOut, NotFound
from hansang.parts.platform import Platform
from hansang.parts.timestamps import to_whole_second

_ROUNDS = 100


class TriesKey(Key["Tries"], pk="TRIES#{kind}#{subject}", sk="TRIES"):
    """The key of the tries of one subject, by its digest."""

    kind: str
    subject: str


class Tries(TriesKey, Entity, table=Platform, type="Tries"):
    """When something was tried lately, in milliseconds since 1970."""

    times: list[int]
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]


ACCEPTED = {
    "Tries H205": "Cut to the tries of one window when it is written.",
}
"""What the review finds and the design accepts, with the reason."""


class Throttle:
    """At most `limit` tries for each subject in any span of `window` seconds.

    A try is taken before it is made, by a write on the condition that the tries are as they were read,
    so that many at the same time are no more than the limit either.
    """

    def __init__(self, database: Database, clock: Clock, kind: str, limit: int, window: int) -> None:
        self._database, self._clock = database, clock
        self._kind, self._limit, self._window = kind, limit, window

    def take(self, subject: str) -> int:
        """Take one try and return its time, or LockedOut with the seconds until there is one again."""
        for _ in range(_ROUNDS):
            seen, now = self._find(subject), self._now()
            recent = [] if seen is None else [each for each in seen.times if each + self._milliseconds > now]
            if (wait := self._wait(recent, now)) > 0:
                raise locked_out(wait / 1000)
            if self._write(subject, seen, [*recent, now]):
                return now
        raise Busy("Too many attempts at the same time. Try again.", code="platform.attempts-busy")

    def give_back(self, subject: str, taken: int) -> None:
        """Let a try that was taken not count."""
        for _ in range(_ROUNDS):
            seen = self._find(subject)
            if seen is None or taken not in seen.times:
                return
            rest = list(seen.times)
            rest.remove(taken)
            if self._write(subject, seen, rest):
                return

    def clear(self, subject: str) -> None:
        """Forget the tries of a subject."""
        self._database.delete(self._key(subject))

    def _wait(self, recent: list[int], now: int) -> int:
        """The milliseconds until there is a try again, after these."""
        if len(recent) < self._limit:
            return 0
        return recent[-self._limit] + self._milliseconds - now

    def _find(self, subject: str) -> Tries | None:
        return self._database.find(self._key(subject), consistent=True)

    def _write(self, subject: str, seen: Tries | None, times: list[int]) -> bool:
        """Whether the tries were still as they were seen, and are now these."""
        last = max(times, default=self._now())
        wanted = Tries(
            kind=self._kind,
            subject=digest(subject),
            times=times,
            expires_at=to_whole_second(last / 1000 + self._window + 1),
        )
        try:
            if seen is None:
                self._database.create(wanted)
            else:
                self._database.put(wanted, when=Tries.times == seen.times)
        except (AlreadyExists, Conflict, NotFound):
            return False
        return True

    def _key(self, subject: str) -> TriesKey:
        return TriesKey(kind=self._kind, subject=digest(subject))

    def _now(self) -> int:
        return int(self._clock() * 1000)

    @property
    def _milliseconds(self) -> int:
        return self._window * 1000


class GrowingDelay(Throttle):
    """`limit` tries at once, and then one after a delay that doubles with each, up to `longest` seconds.

    After `window` seconds without a try all are forgotten. The door is never shut for long, so that whoever tries
    somebody else's name keeps nobody out for good.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        kind: str,
        limit: int,
        window: int,
        *,
        first: int = 4,
        longest: int = 300,
    ) -> None:
        super().__init__(database, clock, kind, limit, window)
        self._first, self._longest = first, longest
        self._kept = limit + (longest // first).bit_length() + 1

    def _wait(self, recent: list[int], now: int) -> int:
        if len(recent) < self._limit:
            return 0
        delay = min(self._first << (len(recent) - self._limit), self._longest)
        return recent[-1] + delay * 1000 - now

    def _write(self, subject: str, seen: Tries | None, times: list[int]) -> bool:
        return super()._write(subject, seen, times[-self._kept :])


def locked_out(seconds: float) -> LockedOut:
    """The refusal that says when to come back."""
    minutes = max(1, -int(-seconds // 60))
    unit = "minute" if minutes == 1 else "minutes"
    return LockedOut(
        "Too many attempts. Try again in {minutes} {unit}.",
        seconds,
        code="platform.locked-out",
        values={"minutes": minutes, "unit": unit},
    )
