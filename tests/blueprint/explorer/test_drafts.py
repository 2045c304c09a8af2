"""Entities in forms."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from typing import Any

import pytest

from hansang.apps.assets.design import Income
from hansang.apps.catalog import APPLICATIONS
from hansang.apps.codex.design import Post
from hansang.apps.leaderboards.design import WeeklyBest
from hansang.blueprint.examples import entities, read_examples
from hansang.blueprint.explorer.drafts import draft, fields_of, open_fields, texts_of
from hansang.blueprint.samples import Samples
from hansang.design.shape import Shape
from hansang.design.visibility import has_secret
from tests.apps.assets.household import income
from tests.apps.codex.site import post
from tests.storing import shape

NOW = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
SHAPES = [found for each in APPLICATIONS for table in each.tables for found in table.shapes]
OPEN = [found for found in SHAPES if not has_secret(found)]


@pytest.mark.parametrize("found", SHAPES, ids=lambda found: found.cls.__name__)
def test_every_entity_has_a_form_whose_key_comes_first(found: Shape) -> None:
    fields = fields_of(found)
    assert {each.name for each in fields} == set(found.slots)
    places = [each.in_key for each in fields]
    assert places == sorted(places, reverse=True)


@pytest.mark.parametrize("found", OPEN, ids=lambda found: found.cls.__name__)
def test_an_entity_that_is_not_touched_comes_back_as_it_was(found: Shape) -> None:
    entity = _sample(found)
    assert draft(found, texts_of(found, entity), NOW, before=entity).entity == entity


def _sample(found: Shape) -> Any:
    """An entity of this kind that is right in every respect: of the design's examples, if there is one."""
    examples = entities(read_examples(sys.modules[found.table.__module__]), [found.table])
    entity = Samples(examples).entity(found)
    return found.cls(**{name: getattr(entity, name) for name in found.slots})


def test_nobody_fills_in_when_something_was_written() -> None:
    found = shape(Post)
    assert not {"created_at", "updated_at"} & {each.name for each in open_fields(found)}
    texts = texts_of(found, post())
    made = draft(found, texts, NOW).entity
    assert made.created_at == made.updated_at == NOW
    edited = draft(found, texts | {"title": "Another"}, NOW, before=post()).entity
    assert (edited.created_at, edited.updated_at) == (post().created_at, NOW)
    assert draft(found, texts, NOW, before=post()).entity == post()


def test_what_is_hidden_and_the_key_stay_as_they_were() -> None:
    texts = texts_of(shape(Post), post()) | {"title": "Guess", "id": "p9", "contents": "New"}
    made = draft(shape(Post), texts, NOW, before=post(), hidden={"title"}).entity
    assert (made.title, made.id, made.contents) == (post().title, post().id, "New")


def test_contents_are_a_text_or_json() -> None:
    texts = texts_of(shape(Post), post().model_copy(update={"contents": {"blocks": [1]}}))
    assert (texts["contents:as"], texts["contents"]) == ("json", '{\n  "blocks": [\n    1\n  ]\n}')
    assert texts_of(shape(Post), post())["contents:as"] == "text"
    made = draft(shape(Post), texts | {"contents": "plain", "contents:as": "text"}, NOW)
    assert made.entity.contents == "plain"


def test_what_breaks_a_rule_of_the_type_is_said_at_its_field() -> None:
    texts = texts_of(shape(Income), income())
    [(name, fault)] = draft(shape(Income), texts | {"amount": "-1"}, NOW).faults.items()
    assert (name, fault.found["type"], fault.found["ctx"]) == ("amount", "greater_than_equal", {"ge": 0})
    [(name, fault)] = draft(shape(Income), texts | {"year_month": "10월"}, NOW).faults.items()
    assert (name, fault.found["example"]) == ("year_month", "2025.01")


def test_a_rule_that_a_row_breaks_is_said_at_the_field_of_the_row() -> None:
    texts = texts_of(shape(Income), income())
    best = WeeklyBest(id=1, start=date(2026, 11, 9), end=date(2026, 11, 15), name="Kim", top_score=3)
    rows = {"recent_plays.3.at": "2026-11-15 09:00", "recent_plays.3.score": "-1"}
    made = draft(shape(WeeklyBest), texts_of(shape(WeeklyBest), best) | rows, NOW)
    assert list(made.faults) == ["recent_plays.3.score"]
    found = draft(shape(Income), texts | {"entries": '[{"date": "x", "amount": 1}]'}, NOW).faults["entries"]
    assert (found.code, found.inside) == ("found", (0, "date"))


def test_everything_that_is_wrong_is_said_at_once() -> None:
    found = shape(Income)
    faults = draft(
        found, texts_of(found, income()) | {"amount": "-1", "entries": "[{", "name": ""}, NOW
    ).faults
    assert {name: fault.code for name, fault in faults.items()} == {
        "amount": "found",
        "entries": "json",
        "name": "needed",
    }


def test_a_key_that_cannot_be_made_is_a_fault_of_the_whole() -> None:
    texts = texts_of(shape(Post), post())
    found = draft(shape(Post), texts | {"category_id": "a#b"}, NOW).faults
    assert list(found) == [""]
    assert found[""].code == "key"
