"""What operators do, each with its line of history in the transaction of the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from hansang.apps.leaderboards.boards import GameBoards
from hansang.apps.leaderboards.closing import Tell
from hansang.apps.leaderboards.operating import Correction
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.topics import FIRST
from hansang.apps.leaderboards.undoing import AREA, subject_on, undo
from hansang.apps.leaderboards.work import (
    BoardPlayer,
    BoardWeek,
    HideReason,
    Reward,
    Suspect,
    SuspectState,
    Tier,
)
from hansang.design.transaction import Transaction
from hansang.parts.history import Actor, Change, History, with_line
from hansang.parts.receipts import Beside, NoSteps, RequestSteps, alone

_Told = Mapping[str, object] | None


class RecordedBoards:
    """The verbs of the boards for one who is known, in one request if there is one."""

    def __init__(
        self, boards: Leaderboards, history: History, actor: Actor, request_id: str | None = None
    ) -> None:
        self._boards, self._history, self._actor, self._request_id = boards, history, actor, request_id

    # ── players ───────────────────────────────────────────────────────────────────────────────────

    def rename(self, player: int, name: str, *, beside: Beside[Any] = alone) -> BoardPlayer:
        before = {"name": self._boards.players.get(player).name}
        line = self._of_player(player, "rename", before, {"name": name}, beside)
        return self._boards.players.rename(player, name, beside=line)

    def hide(
        self,
        player: int,
        reason: HideReason,
        note: str = "",
        until: datetime | None = None,
        *,
        beside: Beside[Any] = alone,
    ) -> BoardPlayer:
        told = {"reason": reason, "note": note, "until": None if until is None else str(until)}
        line = self._of_player(player, "hide", _hiding(self._boards.players.get(player)), told, beside)
        return self._boards.operating.hide(player, reason, note, until, beside=line)

    def restore(self, player: int, *, beside: Beside[Any] = alone) -> BoardPlayer:
        """Put a player back on the boards; of one who is not hidden there is nothing to tell."""
        told = _hiding(self._boards.players.get(player))
        line = beside if told is None else self._of_player(player, "restore", told, None, beside)
        return self._boards.operating.restore(player, beside=line)

    def hide_many(
        self,
        players: Iterable[int],
        reason: HideReason,
        note: str = "",
        until: datetime | None = None,
        steps: RequestSteps | None = None,
    ) -> list[BoardPlayer]:
        """Take players off the boards, each with a line of its own; nobody, if there is one whom nobody knows."""

        def hide(player: int, beside: Beside[Any]) -> BoardPlayer:
            return self.hide(player, reason, note, until, beside=beside)

        return self._each(players, hide, steps or NoSteps())

    def restore_many(self, players: Iterable[int], steps: RequestSteps | None = None) -> list[BoardPlayer]:
        """Put players back on the boards; nobody, if there is one whom nobody knows."""
        return self._each(
            players, lambda player, beside: self.restore(player, beside=beside), steps or NoSteps()
        )

    def _each(
        self,
        players: Iterable[int],
        do: Callable[[int, Beside[Any]], BoardPlayer],
        steps: RequestSteps,
    ) -> list[BoardPlayer]:
        """Do it to each of them once; whoever an attempt before has dealt with is as that left them."""
        known, done = list(dict.fromkeys(players)), steps.done
        self._boards.players.expect(known)
        return [
            self._boards.operating.go_on_with(each)
            if str(each) in done
            else do(each, steps.beside(str(each), lambda card: str(card.revision)))
            for each in known
        ]

    def correct(
        self, player: int, week: Week, score: int, note: str, *, beside: Beside[Any] = alone
    ) -> Correction:
        def both(transaction: Transaction, done: Correction) -> None:
            was = {"week": str(week.start), "score": done.before}
            now = {"week": str(week.start), "score": done.after, "note": note}
            self._of_player(player, "correct", was, now, beside)(transaction, done)

        return self._boards.operating.correct(player, week, score, note, beside=both)

    def judge(
        self, week: Week, player: int, state: SuspectState, note: str = "", *, beside: Beside[Any] = alone
    ) -> list[Suspect]:
        was = {each.why: {"state": each.state, "note": each.note} for each in self._suspects(week, player)}
        before, after = ({"week": str(week.start), **each} for each in (was, {"state": state, "note": note}))
        line = self._of_player(player, "judge", before, after, beside)
        return self._boards.operating.judge(week, player, state, note, beside=line)

    def _suspects(self, week: Week, player: int) -> list[Suspect]:
        return self._boards.operating.suspects_of(week, player)

    def erase(self, every: GameBoards, player: int, *, beside: Beside[Any] = alone) -> int:
        """Erase a player on every board, and what the history says of the player: names and notes.

        The history first: what is begun goes on by itself when it is broken off, without it, and who is erased is
        not known any more.
        """
        for board in every.boards_with(player):
            self._history.forget(subject_on(board, str(player)), AREA)
        line = self._line("BoardPlayer", str(player), "erase", None, None, beside, board=FIRST)
        return every.erase(player, beside=line)

    # ── friends ───────────────────────────────────────────────────────────────────────────────────

    def befriend(self, player: int, other: int, *, beside: Beside[Any] = alone) -> None:
        line = self._of_friends(player, other, "befriend", beside)
        self._boards.friends.befriend(player, other, beside=line)

    def unfriend(self, player: int, other: int, *, beside: Beside[Any] = alone) -> None:
        line = self._of_friends(player, other, "unfriend", beside)
        self._boards.friends.unfriend(player, other, beside=line)

    # ── weeks ─────────────────────────────────────────────────────────────────────────────────────

    def close(
        self, week: Week, tiers: Sequence[Tier], *, tell: Tell | None = None, beside: Beside[Any] = alone
    ) -> BoardWeek:
        line = self._line("BoardWeek", str(week.start), "close", None, None, beside)
        final = self._boards.closing.close(week, tiers, self._actor.shown, tell=tell, beside=line)
        told = {"week": str(week), "players": final.players, "rewards": final.rewards}
        self._boards.alarms.tell("week-closed", told)
        return final

    def deliver(self, week: Week, place: int, receipt: str, *, beside: Beside[Any] = alone) -> Reward:
        told = {"place": place, "receipt": receipt}
        line = self._line("Reward", f"{week.start}/{place}", "deliver", None, told, beside)
        return self._boards.closing.deliver(week, place, receipt, self._actor.shown, beside=line)

    def undo(self, change: str, *, beside: Beside[Any] = alone) -> Change:
        return undo(
            self._boards, self._history, change, self._actor, request_id=self._request_id, beside=beside
        )

    # ── lines of history ──────────────────────────────────────────────────────────────────────────

    def _of_player(
        self, player: int, verb: str, before: _Told, after: _Told, beside: Beside[Any]
    ) -> Beside[Any]:
        return self._line("BoardPlayer", str(player), verb, before, after, beside)

    def _of_friends(self, player: int, other: int, verb: str, beside: Beside[Any]) -> Beside[Any]:
        both = {"id": player, "other": other}
        return self._line("Friendship", f"{player}/{other}", verb, None, both, beside)

    def _line(
        self,
        kind: str,
        subject: str,
        verb: str,
        before: _Told,
        after: _Told,
        beside: Beside[Any],
        *,
        board: str | None = None,
    ) -> Beside[Any]:
        about = subject_on(self._boards.board if board is None else board, subject)
        line = self._history.line(
            self._actor,
            AREA,
            kind,
            about,
            verb,
            before=before,
            after=after,
            request_id=self._request_id,
        )
        return with_line(line, beside)


def _hiding(card: BoardPlayer) -> _Told:
    """Why and until when a player is hidden, to be hidden so again; None of one who is not."""
    if not card.is_hidden:
        return None
    until = None if card.hidden_until is None else str(card.hidden_until)
    return {"reason": card.hide_reason, "note": card.hide_note, "until": until}
