"""What agents have called: who, which tool, on what, and what came of it; never contents or personal data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from math import ceil
from typing import Annotated, Any, Literal

from hansang.apps.codex.design import FMWebApp
from hansang.apps.codex.pipeline import Pipeline
from hansang.design import Attr, Database, Entity, Expiry, Key, Query, Timestamp, pattern
from hansang.errors import Conflict, HansangError, NotAllowed

KEPT = timedelta(days=30)
AgentOutcome = Literal["read", "done", "dry_run", "refused", "not_allowed", "conflict"]
_LONGEST_TARGET = 100


class AgentCallKey(Key["AgentCall"], pk="AGENT#CALLS", sk="CALL#{call_id}"):
    """The key of a call; its id sorts by time."""

    call_id: str


class AgentCall(AgentCallKey, Entity, table=FMWebApp):
    """A call of a tool by an agent."""

    caller: str
    tool: str
    target: str | None = None
    outcome: AgentOutcome
    refused_code: Annotated[str | None, Attr("refusedCode")] = None
    units: int
    called_at: Annotated[Timestamp, Attr("calledAt")]
    expires_at: Annotated[Expiry, Attr("expiresAt")]

    @pattern
    def latest(cls) -> Query[AgentCall]:
        """All calls, the newest first."""
        return cls.query().descending()


@dataclass(slots=True)
class CallOutcome:
    """What is known of a call when it ends."""

    outcome: AgentOutcome = "read"
    units: float = 0
    code: str | None = field(default=None)


class AgentCalls:
    """Keeps the calls of agents for thirty days."""

    def __init__(self, database: Database, pipeline: Pipeline) -> None:
        self._database, self._pipeline = database, pipeline

    def latest(self, limit: int) -> list[AgentCall]:
        """The newest calls that are still kept."""
        found = self._database.all(AgentCall.latest(), limit, unreadable=lambda _: None)
        return [each for each in found if each.expires_at > self._pipeline.now]

    @contextmanager
    def noted(self, caller: str, tool: str, arguments: Mapping[str, Any]) -> Iterator[CallOutcome]:
        """Write a call down when the block ends, however it ends."""
        found = CallOutcome()
        try:
            yield found
        except HansangError as refused:
            found.outcome, found.code = _refusal(refused), refused.code
            raise
        finally:
            self._note(caller, tool, arguments, found)

    def _note(self, caller: str, tool: str, arguments: Mapping[str, Any], found: CallOutcome) -> None:
        target, now = arguments.get("id"), self._pipeline.now
        self._database.put(
            AgentCall(
                call_id=self._pipeline.new_id(""),
                caller=caller,
                tool=tool[:_LONGEST_TARGET],
                target=None if target is None else str(target)[:_LONGEST_TARGET],
                outcome=found.outcome,
                refused_code=found.code,
                units=ceil(found.units),
                called_at=now,
                expires_at=now + KEPT,
            )
        )

    def delete_expired(self) -> int:
        """Delete what has been kept for its time; how many."""
        now = self._pipeline.now
        found = self._database.each(AgentCall.latest(), unreadable=lambda _: None)
        keys = [AgentCallKey(call_id=each.call_id) for each in found if each.expires_at <= now]
        return self._database.batch_write(deletes=keys)


def _refusal(refused: HansangError) -> AgentOutcome:
    if isinstance(refused, NotAllowed):
        return "not_allowed"
    return "conflict" if isinstance(refused, Conflict) else "refused"


ACCEPTED = {
    "AgentCall H201": "Agents of a company site call a few times a minute, and calls are kept for thirty days.",
    "AgentCall.latest H105": "The id of a call is a ULID.",
}
"""What the review finds and the design accepts, with the reason."""
