"""The data file from outside: whose it is, and which version it has."""

from __future__ import annotations

import os
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hansang.errors import DamagedFile, ForeignFile, NewerFile, StoreError

APPLICATION_ID = 0x48534E47
"""`HSNG`, in the header of every file that is ours."""
FIRST_FORMAT = 1
"""The version of the layout of the oldest files that there are."""
FORMAT = 3
"""The version of the file's layout that this code writes."""

_OWN = 0o600  # What only its owner may read: there are hashes and a secret in it.
_MAGIC = b"SQLite format 3\0"


def create(path: str, write: Callable[[Path], None]) -> None:
    """Make a new file with what `write` puts into it.

    It appears under its name whole or not at all, whoever else tries the same.
    """
    target = Path(path)
    with drafted(target) as draft:
        write(draft)
        try:
            publish(draft, target)
        except FileExistsError:
            if target.stat().st_size == 0:
                publish(draft, target, replace=True)


@contextmanager
def drafted(target: Path, like: Path | None = None) -> Iterator[Path]:
    """An empty file beside the one that it is to become; those may read it who may read `like`, or the owner."""
    if not target.parent.is_dir():
        raise StoreError(f"Folder not found: {target.parent}. Create it first, or give another path.")
    draft = target.with_name(f"{target.name}.new-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        mode = _OWN if like is None else like.stat().st_mode & 0o777
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield draft
    except OSError as reason:
        raise StoreError(f"{target} could not be created: {reason}") from reason
    finally:
        draft.unlink(missing_ok=True)


def publish(draft: Path, target: Path, *, replace: bool = False) -> None:
    """Give a finished file its name, for good; FileExistsError when there is one that must not be replaced."""
    _sync(draft)
    if replace:
        draft.replace(target)
    else:
        os.link(draft, target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    """Bring a file, or which files a folder has, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def identity(path: str | Path) -> tuple[int, int] | None:
    """What tells one file from another that later has its name; None when there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


class OpenFiles:
    """Which files this process has open, by their identity.

    A system drops all locks of a process on a file when the process closes any handle of it; SQLite takes
    care of its own handles. So a file that is open is not opened and closed by anything else.
    """

    def __init__(self) -> None:
        self.door = threading.RLock()
        """Held by whoever opens a file, until it is in here."""
        self._counts: Counter[tuple[int, int] | None] = Counter()

    def __contains__(self, path: str | Path) -> bool:
        return self._counts[identity(path)] > 0

    @contextmanager
    def using(self, path: str | Path) -> Iterator[None]:
        """Count a file as open until the block ends, whatever its name is by then."""
        with self.door:
            opened = identity(path)
            self._counts[opened] += 1
        try:
            yield
        finally:
            with self.door:
                self._counts[opened] -= 1
                if not self._counts[opened]:
                    del self._counts[opened]


OPEN = OpenFiles()


def check(path: str) -> int:
    """Refuse a file that cannot be used, by reading its header alone; answer its format."""
    with OPEN.door:
        # Who has it open has looked at it already.
        return FORMAT if path in OPEN else _checked(path)


def _checked(path: str) -> int:
    target = Path(path)
    if target.is_dir():
        raise StoreError(f"{path} is a folder. Give the path of a file.")
    if target.exists() and not target.is_file():
        raise StoreError(f"{path} is not a file but a pipe, a socket or a device. Give the path of a file.")
    try:
        with target.open("rb") as handle:
            header = handle.read(100)
        size = target.stat().st_size
    except OSError as reason:
        raise StoreError(f"{path} could not be opened: {reason}") from reason
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise ForeignFile(
            f"{path} is not a Hansang data file and was left as it is. Give another path for the data."
        )
    version, application = struct.unpack(">I", header[60:64])[0], struct.unpack(">I", header[68:72])[0]
    if application != APPLICATION_ID:
        raise ForeignFile(
            f"{path} is an SQLite database of another program and was left as it is. "
            "Give another path for the data."
        )
    if version < FIRST_FORMAT:
        raise DamagedFile(
            f"{path} has format {version}, which no Hansang has written, and was left as it is. "
            "Restore it from a backup, or give another file."
        )
    if version > FORMAT:
        raise NewerFile(
            f"{path} has format {version}, and this Hansang knows formats up to {FORMAT}. Install a newer one."
        )
    _expect_whole(target, header, size)
    return int(version)


def _expect_whole(target: Path, header: bytes, size: int) -> None:
    """A file shorter than its header says was cut, unless a log beside it still holds the rest."""
    page = struct.unpack(">H", header[16:18])[0]
    pages = struct.unpack(">I", header[28:32])[0]
    log = target.with_name(target.name + "-wal")
    if size < (65536 if page == 1 else page) * pages and not (log.exists() and log.stat().st_size):
        raise DamagedFile(
            f"{target} is shorter than it was when it was written, and was left as it is. "
            "Restore it from a backup, or give another file."
        )
