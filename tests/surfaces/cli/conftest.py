"""What several tests of commands begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from hansang.backends.embedded import Embedded
from hansang.design import Database
from tests.blueprint.designs import EXAMPLES, Shop


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A data file with a shop of two items in it."""
    path = tmp_path / "shop.db"
    with Embedded.open(path) as backend:
        db = Database(backend)
        db.create_tables(Shop)
        db.batch_write(EXAMPLES)
    return path
