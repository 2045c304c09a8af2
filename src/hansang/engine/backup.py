"""Backups of a data file: made while it is written, and put back in its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from hansang.engine.file import check, drafted, identity, publish
from hansang.engine.inspection import Contents, Watch, inspect
from hansang.engine.sql.connections import held, looking
from hansang.errors import DamagedFile, NewerFile, StoreError

COPY = "copy"
_BLOCK = 1 << 20
_LOGS = ("-wal", "-shm")


# ── making one ────────────────────────────────────────────────────────────────────────────────────


def back_up(source: Path, target: Path, watch: Watch, *, replace: bool = False) -> Contents:
    """Copy a data file as it stands at one moment; what is written meanwhile is not in the copy.

    The copy appears under its name when it is whole and looked through, or not at all.
    """
    check(str(source))
    if identity(source) == identity(target):
        raise StoreError(f"{target} is the data file itself. Give another path for the backup.")
    expect_free(target, replace=replace)
    with drafted(target, like=source) as draft:
        with looking(source, at_rest=False) as reader:
            reader.copy_to(draft, partial(watch, COPY))
        contents = inspect(draft, watch, source)
        put_in_place(draft, target, replace=replace)
    return contents


def expect_free(target: Path, *, replace: bool) -> None:
    """Refuse a target that is there already, unless it may be replaced and nobody has it open."""
    if target.is_dir():
        raise StoreError(f"{target} is a folder. Give the path of a file.")
    log = target.with_name(f"{target.name}-wal")
    if log.exists():
        raise StoreError(
            f"{target} is a data file that is in use: {log.name} is beside it. Give another path."
        )
    if target.exists() and not replace:
        raise StoreError(f"{target} already exists. Give another path, or --force to replace it.")


def put_in_place(draft: Path, target: Path, *, replace: bool) -> None:
    """Give a finished backup its name."""
    try:
        publish(draft, target, replace=replace)
    except FileExistsError as reason:
        raise StoreError(f"{target} was created by another process meanwhile, and left as it is.") from reason


# ── putting it back ───────────────────────────────────────────────────────────────────────────────


def restore(backup: Path, target: Path, watch: Watch, *, keep: Path | None) -> Contents:
    """Put a backup, once it is looked through, in the place of a data file that nobody has open.

    What stood there is kept under the name `keep`, if there is one. Whenever this ends, and however,
    the old file is there or the new one, whole.
    """
    contents = inspect(backup, watch)
    _expect_replaceable(backup, target)
    with drafted(target, like=target if target.exists() else backup) as draft:
        _copy(backup, draft, watch)
        _expect_same(backup, draft, contents, watch)
        with _set_aside(target, keep):
            publish(draft, target, replace=True)
    return contents


def _expect_replaceable(backup: Path, target: Path) -> None:
    """Refuse early what would be refused after a long copy."""
    if target.is_dir():
        raise StoreError(f"{target} is a folder. Give the path of a data file.")
    if _is_empty(target):
        return
    if identity(backup) == identity(target):
        raise StoreError(f"{target} is the backup itself. Give the path of the data file.")
    with suppress(DamagedFile, NewerFile):  # Good reasons to restore a backup.
        check(str(target))
    with held(target):
        pass


def _is_empty(path: Path) -> bool:
    return not path.exists() or path.stat().st_size == 0


def _copy(source: Path, draft: Path, watch: Watch) -> None:
    total, done = source.stat().st_size, 0
    with source.open("rb") as reading, draft.open("wb") as writing:
        while block := reading.read(_BLOCK):
            writing.write(block)
            done += len(block)
            watch(COPY, done, total)


def _expect_same(backup: Path, draft: Path, contents: Contents, watch: Watch) -> None:
    try:
        same = inspect(draft, watch) == contents
    except DamagedFile:
        same = False
    if not same:
        raise StoreError(f"{backup} changed while it was read. Nothing was restored; try again.")


@contextmanager
def _set_aside(target: Path, keep: Path | None) -> Iterator[None]:
    """Hold the file that is there, with nothing of it in its log, and let it have a second name."""
    if _is_empty(target):
        # A log without its file would be read as the log of the new one.
        _retire_logs(target, keep)
        yield
        return
    with held(target):
        _retire_logs(target, None)
        if keep is not None:
            os.link(target, keep)
        yield


def _retire_logs(target: Path, keep: Path | None) -> None:
    for suffix in _LOGS:
        log = target.with_name(target.name + suffix)
        if keep is None or suffix != "-wal":
            log.unlink(missing_ok=True)
        elif log.exists():
            log.rename(keep.with_name(keep.name + suffix))
