"""What a card says of a player."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.apps.rankings.service import Rankings
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import NotFound
from tests.apps.rankings.imports import TABLES
from tests.apps.rankings.pictures.days_of_a_player import CLIMBER, DAYS, MISSING, NEWEST, climber, import_days
from tests.apps.rankings.players import uuid
from tests.clauses import clause


@pytest.fixture(scope="module")
def app() -> Iterator[Rankings]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        database.create_tables(*TABLES)
        yield import_days(database)


def test_a_card_has_the_rank_of_every_day_and_names_the_missing_one(app: Rankings) -> None:
    card = app.cards.get(CLIMBER, "power")
    assert (len(card.days), card.days[-1].day, card.rank) == (30, NEWEST, climber(DAYS - 1))
    known = card.days[-DAYS:]
    assert [each.day for each in known if each.rank is None] == [MISSING]
    assert [each.rank for each in known[:3]] == [climber(0), climber(1), climber(2)]
    assert card.ranked == [each for each in known if each.rank is not None]


def test_a_card_has_what_changed(app: Rankings) -> None:
    card = app.cards.get(CLIMBER, "power")
    assert (card.climbed, card.grown, card.best, card.of) == (1, 1000 * (DAYS - 1), climber(DAYS - 1), 140)
    assert (card.name, card.former) == ("호떡6501", ("겨울호떡",))
    assert card.top == pytest.approx(100 * climber(DAYS - 1) / 140)


def test_the_official_rank_is_shown_where_there_is_one(app: Rankings) -> None:
    days = app.cards.get(CLIMBER, "power").days
    assert [each.is_official for each in days] == [
        each.rank is not None and each.rank <= 100 for each in days
    ]


@clause("X5-30")
def test_a_hidden_player_has_no_card_and_neither_has_nobody(app: Rankings) -> None:
    app.privacy.hide(uuid(7))
    try:
        for each in (uuid(7), "nobody"):
            with pytest.raises(NotFound):
                app.cards.get(each, "power")
    finally:
        app.privacy.show(uuid(7))
