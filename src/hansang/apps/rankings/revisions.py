"""Answers of one revision: a day that is imported again while a question is read is asked about again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from threading import local
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from hansang.errors import Busy, HansangError

P = ParamSpec("P")
R = TypeVar("R")

TRIES = 5
_KEPT = 64
_MISSING: Any = object()

ReadDays = Callable[[bool], R]
"""Reads some days as they stand; consistently if that is asked for."""


class DayRevisions:
    """Which days a question rests on, and whether they are at its end what they were at its beginning.

    What was read of the days for an earlier question is taken to be so still, and read at the end of this one: a
    revision never comes back, so if it is the same then, it was the same all the time. So the days are read once a
    question, and consistently, since an older copy of a day could not tell that its rows are others by now.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._question = _Question()

    def read(self, key: Hashable, read: ReadDays[R]) -> R:
        """What `read` says of some days: that of the question in which it is asked, or else now."""
        asked = self._question.asked
        if asked is None:
            return read(False)
        known = asked.get(key)
        if known is not None:
            found: R = known[1]
            return found
        found = self._kept.get(key, _MISSING)
        if found is _MISSING:
            found = read(False)
            self._keep(key, found)
        asked[key] = read, found
        return found

    def settled(self, ask: Callable[[], R]) -> R:
        """The answer to a question, all of it of the same revision of every day that it rests on.

        A question inside another one is a part of it.
        """
        if self._question.asked is not None:
            return ask()
        for _ in range(TRIES):
            answer, fault = _MISSING, None
            asked = self._question.asked = {}
            try:
                answer = ask()
            except HansangError as error:
                fault = error
            finally:
                self._question.asked = None
            if self._are_same(asked):
                if fault is not None:
                    raise fault
                return answer  # type: ignore[no-any-return]
        raise day_changes()

    def _are_same(self, asked: dict[Hashable, tuple[ReadDays[Any], Any]]) -> bool:
        are_same = True
        for key, (read, seen) in asked.items():
            found = read(True)
            if found is not seen and found != seen:
                are_same = False
                self._keep(key, found)
        return are_same

    def _keep(self, key: Hashable, found: object) -> None:
        self._kept[key] = found
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)


def day_changes() -> Busy:
    """Why a question about a day has no answer now."""
    return Busy(
        "A day is being changed while it is read. Try again in a moment.", code="rankings.day-changes"
    )


class _Question(local):
    """The question that a thread is at: how its days were read, and what was found."""

    asked: dict[Hashable, tuple[ReadDays[Any], Any]] | None = None


class _Days(Protocol):
    @property
    def revisions(self) -> DayRevisions: ...


class _ReadsDays(Protocol):
    @property
    def _days(self) -> _Days: ...


S = TypeVar("S", bound=_ReadsDays)


def settled(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Answer a method of one that has `_days` with one revision of each."""

    @wraps(method)
    def asked(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._days.revisions.settled(lambda: method(self, *args, **kwargs))

    return asked
