"""Where the server is."""

from __future__ import annotations

from hansang.design import Database
from hansang.parts.server_address import find_address, note_address
from tests.parts.conftest import SetClock


def test_the_server_that_was_started_last_is_found(database: Database, clock: SetClock) -> None:
    assert find_address(database) is None
    note_address(database, clock, "http://127.0.0.1:8750")
    note_address(database, clock, "http://127.0.0.1:9000")
    assert find_address(database) == "http://127.0.0.1:9000"
