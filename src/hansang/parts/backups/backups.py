"""Backups of one data file: made, tried out, listed, found and thinned out."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from secrets import token_hex
from zoneinfo import ZoneInfo

from hansang.clock import Clock
from hansang.engine.backup import back_up, restore
from hansang.engine.inspection import Contents, Watch
from hansang.errors import DamagedFile, InvalidInput, NotFound, StoreError
from hansang.parts.backups.names import PART, StoredBackup, backup_name, find_backup
from hansang.parts.backups.retention import Retention
from hansang.parts.backups.stores import BackupStore
from hansang.parts.timestamps import to_whole_second

LATEST = "latest"
ABANDONED = timedelta(days=1)
"""After how long what is unfinished is no longer being made by anybody."""

log = logging.getLogger("hansang.backups")


@dataclass(frozen=True, slots=True)
class MadeBackup:
    """A backup that was made, and restored once for trial."""

    name: str
    contents: Contents


class Backups:
    """The backups of a data file in their place; any number of processes may make one at a time."""

    def __init__(
        self,
        data: Path,
        store: BackupStore,
        clock: Clock,
        chance: Callable[[], str] = lambda: token_hex(3),
    ) -> None:
        self._data, self._store, self._clock, self._chance = data, store, clock, chance

    @property
    def place(self) -> str:
        return self._store.address

    # ── making ────────────────────────────────────────────────────────────────────────────────────

    def make(self, watch: Watch) -> MadeBackup:
        """Make a backup; it gets its name once it was restored into a scratch file, and all of that was whole."""
        name = backup_name(self._data, to_whole_second(self._clock()), self._chance())
        part = f"{name}{PART}"
        workplace = self._store.workplace(self._data)
        self._expect_room(workplace)
        with self._discarding(part, workplace):
            contents = back_up(self._data, workplace / part, watch, replace=True)
            self._store.take(workplace / part)
            with self._store.fetched(part, workplace) as file:
                _expect_restorable(file, contents, watch)
            self._store.rename(part, name)
        return MadeBackup(name, contents)

    def _expect_room(self, workplace: Path) -> None:
        """Refuse early what would fill the disk: the copy and the scratch file are there at one time."""
        log_file = self._data.with_name(f"{self._data.name}-wal")
        needed = 2 * sum(each.stat().st_size for each in (self._data, log_file) if each.exists())
        free = shutil.disk_usage(workplace).free
        if free < needed:
            raise StoreError(
                f"Not enough room in {workplace}: a backup and its trial take {needed:,} bytes, and {free:,} are "
                "free. Delete something, or choose another place."
            )

    @contextmanager
    def _discarding(self, part: str, workplace: Path) -> Iterator[None]:
        """Leave nothing half behind when the block fails."""
        try:
            yield
        except BaseException:
            with suppress(StoreError, OSError):
                (workplace / part).unlink(missing_ok=True)
                self._store.delete(part)
            raise

    # ── listing ───────────────────────────────────────────────────────────────────────────────────

    def all(self) -> list[StoredBackup]:
        """Every whole backup of the place, of this data file and of others, the newest first."""
        return [each for each in self._found() if each.is_whole]

    def _found(self) -> list[StoredBackup]:
        found = (find_backup(*each) for each in self._store.files())
        known = [each for each in found if each is not None]
        return sorted(known, key=lambda each: (each.taken_at, each.name), reverse=True)

    def _own(self) -> list[StoredBackup]:
        return [each for each in self._found() if each.of == self._data.stem]

    def get(self, asked: str) -> StoredBackup:
        """A backup by its name; or the newest of this data file: of all (`latest`), or up to a moment or a day."""
        for each in self.all():
            if each.name == asked:
                return each
        until = None if asked == LATEST else _moment(asked)
        for each in self._own():
            if each.is_whole and (until is None or each.taken_at <= until):
                return each
        raise NotFound(
            "No backup of {of} found in {place} for {asked}. hansang restore --list shows what there is.",
            code="parts.no-backup",
            values={"of": self._data.name, "place": self.place, "asked": asked},
        )

    @contextmanager
    def opened(self, backup: StoredBackup) -> Iterator[Path]:
        """The file of a backup, to be read until the block ends."""
        with self._store.fetched(backup.name, self._store.workplace(self._data)) as file:
            yield file

    # ── thinning out ──────────────────────────────────────────────────────────────────────────────

    def thin_out(self, retention: Retention, zone: ZoneInfo, made: str) -> tuple[int, int]:
        """Delete what is not to be kept, never the one just made; how many are left, and how many went."""
        own = self._own()
        whole = [each for each in own if each.is_whole]
        keep = retention.kept(whole, zone) | {made}
        deleted = sum(self._deleted(each) for each in whole if each.name not in keep)
        self._clear_away(own)
        return len(whole) - deleted, deleted

    def _clear_away(self, own: list[StoredBackup]) -> None:
        """Delete what processes have left that were killed, here and in the place."""
        workplace = self._store.workplace(self._data)
        for each in own:
            if self._is_abandoned(each):
                self._deleted(each)
        for file in workplace.glob(f"*{PART}*"):
            left = find_backup(file.name, 0)
            if left is not None and left.of == self._data.stem and self._is_abandoned(left):
                file.unlink(missing_ok=True)

    def _is_abandoned(self, backup: StoredBackup) -> bool:
        return not backup.is_whole and backup.taken_at < to_whole_second(self._clock()) - ABANDONED

    def _deleted(self, backup: StoredBackup) -> bool:
        """The next time tries again what cannot be deleted now."""
        try:
            self._store.delete(backup.name)
        except StoreError as fault:
            log.warning("the backup %s stays for now: %s", backup.name, fault)
            return False
        return True


def _expect_restorable(file: Path, contents: Contents, watch: Watch) -> None:
    scratch = file.with_name(f"{file.name}.scratch")
    try:
        if restore(file, scratch, watch, keep=None) != contents:
            raise DamagedFile(
                f"{file} holds something else than was copied, and was given up. Check the disk."
            )
    finally:
        scratch.unlink(missing_ok=True)


def _moment(text: str) -> datetime:
    """A moment, in UTC unless it says otherwise; a day is all of that day."""
    try:
        found = datetime.fromisoformat(text)
        if len(text) == len("2026-11-15"):
            found = datetime.combine(date.fromisoformat(text), time.max)
    except ValueError:
        raise InvalidInput(
            "{text} is no backup. Give a file, a name from hansang restore --list, latest, or a moment such as "
            "2026-11-15T03:00Z.",
            code="parts.not-a-backup",
            values={"text": text},
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
