"""Progress on the error output, when someone is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from hansang.engine.inspection import Watch


@contextmanager
def watching() -> Iterator[Watch]:
    """Bars for the steps of some work, a new one for each step."""
    with _bars() as bars:
        tasks: dict[str, TaskID] = {}

        def watch(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(step)
            bars.update(tasks[step], completed=done, total=total or None)

        yield watch


@contextmanager
def counting(label: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A bar that is told how many have just been done."""
    with _bars() as bars:
        task = bars.add_task(label, total=total)
        yield lambda count: bars.advance(task, count)


def _bars() -> Progress:
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # What is printed meanwhile goes through the bars on a terminal alone; a file gets it as it is.
    return Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        redirect_stdout=sys.stdout.isatty(),
    )
