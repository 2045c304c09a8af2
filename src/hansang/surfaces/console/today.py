"""What the applications show of themselves on the home page: asked for seldom, bounded, and each failing alone."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from hansang.apps.application import Application
from hansang.backends.limits import WorkLimits, limits
from hansang.errors import DesignError, RequestStopped
from hansang.parts.today import Today
from hansang.surfaces.shell import Shell

KEPT_SECONDS = 5.0
"""How long an answer is shown before the application is asked again."""
MOST_READS = 24
"""How many requests to tables an application may make for it."""

log = logging.getLogger("hansang.console")


@dataclass(slots=True)
class _ReadLimit:
    """Stops what makes more requests than it may, within the limits that there are already."""

    around: WorkLimits | None
    left: int = MOST_READS

    def check(self) -> None:
        if self.around is not None:
            self.around.check()
        self.left -= 1
        if self.left < 0:
            raise DesignError(f"What the home page shows of an application takes at most {MOST_READS} reads.")


@dataclass(frozen=True, slots=True)
class TodayShown:
    """What an application shows; nothing when it failed or has nothing to show."""

    today: Today | None = None
    has_failed: bool = False


@dataclass(slots=True)
class TodayBoard:
    """Asks the applications, and remembers for a few seconds what they said."""

    shell: Shell
    _known: dict[str, tuple[float, TodayShown]] = field(default_factory=dict)

    def of(self, application: Application) -> TodayShown:
        """What an application shows now; that it fails is said and not raised."""
        now = self.shell.clock()
        asked_at, found = self._known.get(application.name, (float("-inf"), TodayShown()))
        if not 0 <= now - asked_at < KEPT_SECONDS:
            found = self._asked(application)
            self._known[application.name] = now, found
        return found

    def _asked(self, application: Application) -> TodayShown:
        if application.today is None:
            return TodayShown()
        mark = limits.set(_ReadLimit(limits.get()))
        try:
            settings = self.shell.chosen.get(application.name)
            return TodayShown(application.today(self.shell.database, self.shell.clock, settings))
        except RequestStopped:
            raise
        except Exception:
            log.exception("what %s shows on the home page cannot be read", application.name)
            return TodayShown(has_failed=True)
        finally:
            limits.reset(mark)
