"""A data file of tables that are elsewhere: on AWS, or behind an endpoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.blueprint.copy_state import CopyState
from hansang.blueprint.copying import copy_table, expected_items, tables_of
from hansang.engine import Engine
from hansang.engine.backup import expect_free, put_in_place
from hansang.engine.inspection import Contents, Watch, inspect
from hansang.errors import NoSuchTable, Refused, SettingsError


def pull(
    source: Backend,
    place: str,
    target: Path,
    watch: Watch,
    *,
    tables: Sequence[str] = (),
    replace: bool = False,
) -> Contents:
    """Copy tables into a new data file, all of them unless some are named.

    It grows beside its target. One that was interrupted goes on where it was; the target appears whole.
    """
    expect_free(target, replace=replace)
    wanted = list(tables) or tables_of(source)
    if not wanted:
        raise NoSuchTable(f"No tables found in {place}.")
    growing = _Growing(target, place)
    with growing.opened() as there:
        growing.expect_only(wanted, tables_of(there))
        for table in wanted:
            _pull_table(source, there, table, growing.state, watch)
    contents = inspect(growing.path, watch)
    growing.compare(contents)
    put_in_place(growing.path, target, replace=replace)
    growing.forget()
    return contents


def _pull_table(source: Backend, there: Backend, table: str, state: CopyState, watch: Watch) -> None:
    total, done = expected_items(source, table), 0

    def progress(count: int) -> None:
        nonlocal done
        done += count
        watch(f"copy {table}", done, max(total, done))

    copy_table(source, there, table, table, state, progress)


class _Growing:
    """The file that a target grows in, and the note of how far it has come."""

    def __init__(self, target: Path, place: str) -> None:
        self.path = target.with_name(f"{target.name}.partial")
        note = target.with_name(f"{target.name}.partial.json")
        if not note.exists() or not self.path.exists():
            note.unlink(missing_ok=True)
            self._remove()
        self.state = CopyState(note, place, str(target))

    def opened(self) -> Embedded:
        # Without a sweep: expired items that are still at the source are copied too.
        return Embedded(Engine.open(self.path, sweep_seconds=None))

    def expect_only(self, wanted: Iterable[str], there: Iterable[str]) -> None:
        """Refuse to go on with a file that was to have other tables."""
        if strangers := sorted(set(there) - set(wanted)):
            raise SettingsError(
                f"{self.path} is of an interrupted backup that was to have {', '.join(strangers)} too. Name the "
                "same tables as then, or remove that file."
            )

    def compare(self, contents: Contents) -> None:
        """Refuse a file that has not exactly what was copied into it, and begin anew the next time."""
        wrong = [each.name for each in contents.tables if each.items != self.state.of(each.name).copied]
        if wrong:
            self.forget()
            raise Refused(f"{', '.join(wrong)} did not arrive completely. Run the same command again.")

    def forget(self) -> None:
        self._remove()
        self.state.forget()

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm", "-lock"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
