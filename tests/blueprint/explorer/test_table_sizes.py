"""How much the tables hold."""

from __future__ import annotations

from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.news.design import NewsItems
from hansang.blueprint.explorer.table_sizes import table_size
from tests.storing import opened

INDEX = "dt_utc-uploaded_at_utc_ms-index"


def test_a_table_that_is_not_there_holds_nothing() -> None:
    with opened(NewsItems) as db:
        assert table_size(db, NewsItems).indexes == {INDEX: (0, 0)}
        missing = table_size(db, UsersLeaderboard)
        assert (missing.is_there, missing.items, missing.whole) == (False, 0, 0)
