"""A backup that makes room for newer ones while somebody restores it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hansang.errors import StoreError
from hansang.parts.backups.stores import open_store


def test_a_backup_that_is_gone_is_said_to_be_so(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    with (
        pytest.raises(StoreError, match="is gone: older backups make room"),
        store.fetched("a.db", tmp_path) as found,
    ):
        found.read_bytes()
