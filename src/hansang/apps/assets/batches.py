"""Batches: several changes that came of one file or one block, which one undo takes back together."""

from __future__ import annotations

from collections.abc import Iterable

from hansang.apps.assets.recording import AREA, Recorded, Who
from hansang.design import Database, attr
from hansang.parts.history import Change, History, key_of, write_line
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import Sleep, retry

BATCH = "EntryBatch"
"""What a line of history calls several changes of one origin."""


class Batches:
    """Keeps which changes belong together."""

    def __init__(self, database: Database, history: History, sleep: Sleep) -> None:
        self._database, self._history, self._sleep = database, history, sleep

    def note(self, done: Iterable[Recorded], who: Who, verb: str) -> Change | None:
        """The change that one undo takes back: that of the only month, or a line for all of them."""
        found = [each for each in done if each.change is not None]
        changes = [each.change for each in found if each.change is not None]
        if len(changes) < 2:
            return changes[0] if changes else None
        span = f"{min(each.month for each in found)}~{max(each.month for each in found)}"
        return self.write([each.id for each in changes], span, who, verb)

    def write(
        self,
        changes: list[str],
        span: str,
        who: Who,
        verb: str,
        beside: Beside[Change] = alone,
    ) -> Change:
        """The line of changes that belong together, in their order."""
        line = self._history.line(
            who.actor,
            AREA,
            BATCH,
            f"{AREA}/{span}",
            verb,
            after={"changes": changes, "months": span},
            request_id=who.request_id,
        )
        undone = who.undoes
        line = line.model_copy(update={"undoes": None if undone is None else undone.id})

        def send() -> None:
            with self._database.transaction(line.id, f"{BATCH}.{verb}") as transaction:
                beside(transaction, line)
                write_line(transaction, line)
                if undone is not None:
                    mark = attr(Change.undone_by)
                    transaction.update(key_of(undone.id), mark.set(line.id), when=mark.missing())

        retry(send, self._sleep)
        return line


def changes_of(change: Change) -> list[str]:
    """The ids of the changes that a line stands for, in their order."""
    return [str(each["S"]) for each in (change.after or {})["changes"]["L"]]


def span_of(change: Change) -> str:
    """From which month to which: 2025.01~2025.03."""
    return str((change.after or {})["months"]["S"])
