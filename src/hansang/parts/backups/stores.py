"""Where backups are kept: a folder, or a bucket."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from hansang.engine.file import publish
from hansang.errors import SettingsError, StoreError

S3 = "s3://"


class BackupStore(Protocol):
    """A place for files that appear under their names whole or not at all."""

    @property
    def address(self) -> str:
        """The place, for people."""

    def workplace(self, data: Path) -> Path:
        """The folder in which a backup of a data file is made and tried out."""

    def take(self, file: Path) -> None:
        """Keep a file of the workplace under its own name."""

    def fetched(self, name: str, workplace: Path) -> AbstractContextManager[Path]:
        """A file of the place to be read, until the block ends."""

    def rename(self, old: str, new: str) -> None:
        """Give a file its final name, which nothing has."""

    def delete(self, name: str) -> None: ...

    def files(self) -> list[tuple[str, int]]:
        """The names and the sizes of all files there."""


def open_store(place: str) -> BackupStore:
    """The place that a setting names: a folder, or s3://BUCKET/PREFIX."""
    if place.startswith(S3):
        # boto3 takes a while to import, and most places are folders.
        from hansang.parts.backups.bucket import BackupBucket

        return BackupBucket.parse(place)
    if "://" in place:
        raise SettingsError(
            f"{place!r} is not a valid place for backups. Give a folder or s3://BUCKET/PREFIX."
        )
    return BackupFolder(Path(place))


class BackupFolder:
    """Backups in a folder, which has to be there: one that is not mounted is not taken for an empty one."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def address(self) -> str:
        return str(self._path)

    def workplace(self, data: Path) -> Path:
        if not self._path.is_dir():
            raise StoreError(
                f"Folder for backups not found: {self._path}. Create or mount it, or change HANSANG_BACKUP_TO."
            )
        return self._path

    def take(self, file: Path) -> None:
        """The workplace is the folder."""

    @contextmanager
    def fetched(self, name: str, workplace: Path) -> Iterator[Path]:
        try:
            yield self._path / name
        except FileNotFoundError as reason:
            raise StoreError(
                f"{reason.filename} is gone: older backups make room for newer ones. See hansang restore --list."
            ) from reason

    def rename(self, old: str, new: str) -> None:
        try:
            publish(self._path / old, self._path / new, replace=True)
        except OSError as reason:
            raise StoreError(f"{self._path / new} could not be created: {reason}") from reason

    def delete(self, name: str) -> None:
        try:
            (self._path / name).unlink(missing_ok=True)
        except OSError as reason:
            raise StoreError(f"{self._path / name} could not be deleted: {reason}") from reason

    def files(self) -> list[tuple[str, int]]:
        with os.scandir(self.workplace(self._path)) as entries:
            return [(each.name, each.stat().st_size) for each in entries if each.is_file()]
