"""Batches: several changes that came of one file or one block, which one undo takes back together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hansang.apps.assets.entering import Entering, Given, Place
from hansang.apps.assets.recording import AREA, MOST_AT_ONCE, Recorded, Who
from hansang.design import Database, attr
from hansang.errors import InvalidInput
from hansang.parts.history import Change, History, key_of, write_line
from hansang.parts.receipts import Beside, NoSteps, RequestSteps, alone
from hansang.parts.retry import Sleep, retry

BATCH = "EntryBatch"
"""What a line of history calls several changes of one origin."""


_WHOLE = "whole"


class Batches:
    """Keeps which changes belong together."""

    def __init__(self, database: Database, history: History, entering: Entering, sleep: Sleep) -> None:
        self._database, self._history, self._entering, self._sleep = database, history, entering, sleep

    def enter(
        self,
        wanted: Iterable[tuple[str, Sequence[tuple[Place, Given]]]],
        who: Who,
        verb: str,
        steps: RequestSteps | None = None,
    ) -> tuple[list[Recorded], Change | None]:
        """Enter what is wanted of each month, in steps that are done once; the change takes all of it back."""
        steps = steps or NoSteps()
        done, found = {step: made for step, made in steps.done.items() if step != _WHOLE}, list[Recorded]()
        for month, entries in wanted:
            waiting = [entries[at : at + MOST_AT_ONCE] for at in range(0, len(entries), MOST_AT_ONCE)]
            while waiting:
                some = waiting.pop(0)
                step = "/".join([month, some[0][0].kind.name, *some[0][0].parts])
                if step in done:
                    continue
                try:
                    recorded = self._entering.enter_all(
                        month,
                        some,
                        who,
                        steps.beside(step, lambda made: made.change.id),
                        verb=verb,
                        is_kept_whole=True,
                    )
                except InvalidInput as fault:
                    if fault.code != "assets.too-large-together":
                        raise
                    half = len(some) // 2
                    waiting[:0] = [some[:half], some[half:]]
                    continue
                found.append(recorded)
                if recorded.change is not None:
                    done[step] = recorded.change.id
        return found, self._whole(done, who, verb, steps)

    def _whole(self, done: Mapping[str, str], who: Who, verb: str, steps: RequestSteps) -> Change | None:
        """The change that one undo takes back: that of the only step, or a line for all of them."""
        if len(done) < 2 or _WHOLE in steps.done:
            known = steps.done.get(_WHOLE) or next(iter(done.values()), None)
            return None if known is None else self._database.get(key_of(known))
        months = [step.partition("/")[0] for step in done]
        span = f"{min(months)}~{max(months)}"
        return self.write([*done.values()], span, who, verb, steps.beside(_WHOLE, lambda line: line.id))

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
