"""Names of backups: of which data file, and of which moment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

PART = ".part"
"""Behind the name of a backup that is not finished."""
_FORM = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"(?P<of>.+)-(?P<moment>[0-9]{8}T[0-9]{6}Z)-[0-9a-f]{6}\.db(?P<rest>\.part.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StoredBackup:
    """One backup in its place, whole, or what an interrupted one has left."""

    name: str
    of: str
    """The name of the data file, without its ending."""
    taken_at: datetime
    size_bytes: int
    is_whole: bool = True


def backup_name(data: Path, moment: datetime, mark: str) -> str:
    """`shop-20261115T030000Z-1f3a2b.db`; the mark tells two of one second apart."""
    return f"{data.stem}-{moment.astimezone(UTC).strftime(_FORM)}-{mark}.db"


def find_backup(name: str, size_bytes: int) -> StoredBackup | None:
    """The backup of this name; None for a file that is something else."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        moment = datetime.strptime(found["moment"], _FORM).replace(tzinfo=UTC)
    except ValueError:
        return None
    return StoredBackup(name, found["of"], moment, size_bytes, is_whole=found["rest"] is None)
