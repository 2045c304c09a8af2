"""Claims on an article: who may take it, for how long, and why not."""

from __future__ import annotations

from hansang.apps.news.design import Work
from hansang.design import Condition, all_of, attr
from hansang.errors import Conflict, InvalidInput

_LONGEST_NAME = 200


def may_take(work: Work | None, now_ms: int) -> bool:
    """Whether an article in this state may be taken by anyone."""
    if work is None or work.state == "waiting":
        return True
    if work.state == "claimed":
        return work.lease_until_ms <= now_ms
    return work.state == "failed" and (work.retry_at_ms or 0) <= now_ms


def check_claim(worker: str, lease_seconds: int) -> None:
    if not 0 < len(worker.strip()) <= _LONGEST_NAME:
        raise InvalidInput(
            "Name the worker that takes the article, in up to {most} characters.",
            "worker",
            code="news.no-worker",
            values={"most": _LONGEST_NAME},
        )
    check_lease(lease_seconds)


def check_lease(seconds: int) -> None:
    if not 1 <= seconds <= 86_400:
        raise InvalidInput("A lease lasts from 1 second to a day.", "lease_seconds", code="news.lease")


def as_found(before: Work | None) -> Condition | bool:
    return attr(Work.claim).missing() if before is None else Work.claim == before.claim


def still(claim: str) -> Condition:
    return all_of(Work.claim == claim, Work.state == "claimed")


def not_takeable(work: Work | None, seen: Work | None = None) -> Conflict:
    """Why an article cannot be taken in this state; `seen` is what the caller is told, if not the same."""
    assert work is not None
    item, values = seen or work, {"pk": work.item_pk}
    if work.state == "claimed":
        held = {**values, "worker": work.worker}
        return Conflict("{pk} is with {worker} until its lease ends.", item, code="news.held", values=held)
    if work.state == "failed":
        return Conflict(
            "{pk} failed and waits for its next attempt.", item, code="news.resting", values=values
        )
    if work.state == "dead":
        return Conflict("{pk} has been given up.", item, code="news.dead", values=values)
    return Conflict("{pk} is already done.", item, code="news.done", values=values)
