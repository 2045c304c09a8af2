"""Example values for a question."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS, application
from hansang.apps.rankings.design import Snapshot
from hansang.blueprint.examples import with_examples
from hansang.blueprint.explorer.offers import offers
from hansang.blueprint.explorer.questions import PatternQuestion, ask, question, questions
from hansang.design import Database, Entity
from tests.storing import opened

WITH_VALUES = [(each, found) for each in APPLICATIONS for found in questions(each.tables) if found.fields]
DOCUMENTED = {"assets", "leaderboards", "rankings", "codex"}
"""Whose documents have examples; of what stands beside their entities there are none."""


def has_example(app: Application, found: PatternQuestion) -> bool:
    """Whether the document has an item of this kind; a view is of several."""
    return found.shape.cls in with_examples(app.tables).samples.examples or not issubclass(
        found.shape.cls, Entity
    )


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(*(table for each in APPLICATIONS for table in each.tables)) as db:
        yield db


def snapshot(uuid: str, day: date, level: int) -> Snapshot:
    return Snapshot(uuid=uuid, day=day, name=uuid, level=level, power=level)


@pytest.mark.parametrize(
    ("app", "found"),
    [(app, found) for app, found in WITH_VALUES if app.name in DOCUMENTED and has_example(app, found)],
    ids=lambda each: getattr(each, "label", ""),
)
def test_an_empty_table_offers_the_examples_of_the_document(
    db: Database, app: Application, found: PatternQuestion
) -> None:
    offered = offers(db, app.tables, found, "viewer")
    assert offered
    assert not offered[0].is_real
    assert ask(found, offered[0].texts).query is not None


def test_what_is_stored_comes_before_what_is_documented(db: Database) -> None:
    day = date(2026, 3, 1)
    for uuid, level in (("p1", 7), ("p2", 30), ("p3", 12)):
        db.put(snapshot(uuid, day, level))
    rankings = application("rankings").tables
    [offer] = offers(db, rankings, question(rankings, "LevelRow.between"), "viewer")
    assert offer.is_real
    assert offer.texts == {"day": "2026-03-01", "low": "7", "high": "30"}


def test_each_offer_finds_something(db: Database) -> None:
    for number in range(30):
        db.put(snapshot(f"p{number % 6}", date(2026, 3, 1 + number // 6), number))
    rankings = application("rankings").tables
    for label in ("Snapshot.history", "Snapshot.history_between", "LevelRow.ranking", "PowerRow.between"):
        found = question(rankings, label)
        offered = offers(db, rankings, found, "viewer")
        assert 1 < len(offered) <= 4
        for offer in offered:
            query = ask(found, offer.texts).query
            assert query is not None
            assert db.all(query), offer


def test_a_question_without_values_needs_no_offer(db: Database) -> None:
    codex = application("codex").tables
    assert offers(db, codex, question(codex, "Post.latest"), "viewer") == []
