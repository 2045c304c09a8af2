"""Undoing what an operator did: each verb by its opposite, once, with a line in the history that says so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any, NamedTuple

from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.work import REASONS, HideReason
from hansang.design import attr
from hansang.design.codec import to_python
from hansang.design.shape import Item
from hansang.design.transaction import Transaction
from hansang.errors import Conflict
from hansang.parts.history import Actor, Change, History, Image, key_of, write_line
from hansang.parts.platform import Platform
from hansang.parts.receipts import Beside, alone

AREA = "leaderboards"
_HIDING = frozenset({"hide", "restore"})
UNDOABLE = frozenset({"hide", "restore", "correct", "rename", "judge", "befriend", "unfriend"})


def subject_on(board: str, subject: str) -> str:
    """What a line of history is about; of another board than the first, with its name in front."""
    return f"{board}:{subject}" if board else subject


def board_and_subject(subject: str) -> tuple[str, str]:
    """The board of a line of history, and what it is about there."""
    board, _, rest = subject.rpartition(":")
    return board, rest


def is_undoable(done: Change) -> bool:
    """Whether a change can be undone, and was not; what was said of an erased player cannot be."""
    is_known = (
        done.verb != "judge" or done.before is not None
    )  # Lines of long ago do not say what was before.
    return done.verb in UNDOABLE and is_known and done.undone_by is None and not done.is_too_large


def undo(
    boards: Leaderboards,
    history: History,
    change_id: str,
    actor: Actor,
    *,
    request_id: str | None = None,
    beside: Beside[Any] = alone,
) -> Change:
    """Undo a change of these boards; Conflict if it cannot be undone, or was already."""
    done = history.get(change_id)
    board, subject = board_and_subject(done.subject)
    is_ours = (done.area, board) == (AREA, boards.board)
    if not is_ours or not is_undoable(done):
        raise Conflict(
            "{verb} cannot be undone, or was undone already.",
            done,
            code="leaderboards.not-undoable",
            values={"verb": done.verb},
        )
    if done.verb in _HIDING:
        _expect_latest(history, done)
    step = _opposite(boards, done, subject)
    line = history.draft(
        actor,
        area=AREA,
        table=Platform.name,
        kind=done.kind,
        subject=done.subject,
        verb=f"undo-{done.verb}",
        before_image=done.after_image,
        after_image=step.image,
        request_id=request_id,
        undoes=done.id,
    )

    def both(transaction: Transaction, result: object) -> None:
        beside(transaction, line)
        write_line(transaction, line)
        transaction.update(
            key_of(done.id), attr(Change.undone_by).set(line.id), when=attr(Change.undone_by).missing()
        )

    step.run(both)
    return line


class _Undoing(NamedTuple):
    """What undoes a change, and the image of what is there afterwards."""

    run: Callable[[Beside[Any]], object]
    image: Image | None


def _opposite(boards: Leaderboards, done: Change, subject: str) -> _Undoing:
    if done.verb in _HIDING:
        return _hiding_before(boards, done, int(subject))
    return _Undoing(_verb_before(boards, done, subject), done.before_image)


def _verb_before(boards: Leaderboards, done: Change, subject: str) -> Callable[[Beside[Any]], object]:
    before, after = _plain(done.before), _plain(done.after)
    if done.kind == "Friendship":
        one, other = (int(each) for each in subject.split("/"))
        verb = boards.friends.unfriend if done.verb == "befriend" else boards.friends.befriend
        return lambda beside: verb(one, other, beside=beside)
    player = int(subject)
    if done.verb == "rename":
        return lambda beside: boards.players.rename(player, before["name"], beside=beside)
    if done.verb == "correct":
        week = Week.starting(date.fromisoformat(before["week"]))
        return lambda beside: boards.operating.correct(
            player, week, before["score"], after["note"], beside=beside
        )
    week = Week.starting(date.fromisoformat(before.pop("week")))
    return lambda beside: boards.operating.judge_as_before(week, player, before, beside=beside)


def _expect_latest(history: History, done: Change) -> None:
    """Refuse to undo a hiding or restoring behind which there is another one, unless that was undone."""
    if any(each.verb in _HIDING and each.undone_by is None for each in history.since(done)):
        raise Conflict(
            "Player {id} has been hidden or restored again since. Undo the newer step first.",
            done,
            code="leaderboards.not-latest",
            values={"id": board_and_subject(done.subject)[1]},
        )


def _hiding_before(boards: Leaderboards, done: Change, player: int) -> _Undoing:
    """The hiding of before, or none; Conflict if it would be over."""
    operating, before = boards.operating, _plain(done.before)
    until = before.get("until") and datetime.fromisoformat(before["until"])
    is_over = operating.is_over(until)
    if done.verb == "hide" and (is_over or not before):
        return _Undoing(lambda beside: operating.restore(player, beside=beside), None)
    if is_over:
        raise Conflict(
            "The hiding of player {id} would have ended by now. There is nothing to bring back.",
            done,
            code="leaderboards.hide-over",
            values={"id": player},
        )
    reason: HideReason = next((each for each in REASONS if each == before.get("reason")), "other")
    note = before.get("note") or ""
    return _Undoing(
        lambda beside: operating.hide(player, reason, note, until, beside=beside), done.before_image
    )


def _plain(item: Item | None) -> dict[str, Any]:
    return {} if item is None else {name: to_python(value) for name, value in item.items()}
