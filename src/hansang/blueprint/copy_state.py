"""How far a copy has come, kept in a file so that it can go on after an interruption."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hansang.design.shape import Item
from hansang.errors import SettingsError


@dataclass(frozen=True, slots=True)
class CopyProgress:
    """What has been copied of one table, and where to go on."""

    start: Item | None = None
    copied: int = 0
    whole: bool = False


class CopyState:
    """The state of one copy from a place to a place."""

    def __init__(self, path: Path, source: str, target: str) -> None:
        self.path, self.places = path, {"from": source, "to": target}
        self._tables: dict[str, CopyProgress] = {}
        if path.exists():
            self._read()

    def _read(self) -> None:
        try:
            document: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
            places = {end: document[end] for end in self.places}
            self._tables = {name: CopyProgress(**each) for name, each in document["tables"].items()}
        except (OSError, ValueError, KeyError, TypeError) as fault:
            raise SettingsError(
                f"{self.path} is not the state of a copy. Move it away, or name another file."
            ) from fault
        if places != self.places:
            raise SettingsError(
                f"{self.path} is of a copy from {places['from']} to {places['to']}. Finish that one, or name another file."
            )

    def of(self, table: str) -> CopyProgress:
        return self._tables.get(table, CopyProgress())

    def advance(self, table: str, start: Item | None, copied: int) -> CopyProgress:
        """Note that more items are in the target; with no start, that all are."""
        done = CopyProgress(start, self.of(table).copied + copied, start is None)
        self._tables[table] = done
        self._write()
        return done

    def restart(self, table: str) -> None:
        """Forget what has been copied of a table."""
        self._tables.pop(table, None)
        self._write()

    def _write(self) -> None:
        tables = {name: asdict(done) for name, done in self._tables.items()}
        fresh = self.path.with_name(f"{self.path.name}.new")
        fresh.write_text(json.dumps({**self.places, "tables": tables}, ensure_ascii=False), encoding="utf-8")
        os.replace(fresh, self.path)

    def forget(self) -> None:
        """Remove the file, when all is done."""
        self.path.unlink(missing_ok=True)
