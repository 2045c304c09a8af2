"""Entities in forms."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from hansang.apps.assets.design import Income
from hansang.apps.catalog import APPLICATIONS
from hansang.apps.codex.design import Post
from hansang.blueprint.examples import entities, read_examples
from hansang.blueprint.explorer.drafts import blank, draft, fields_of, texts_of
from hansang.blueprint.explorer.forms import Fault
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
    assert draft(found, texts_of(found, entity)).entity == entity


def _sample(found: Shape) -> Any:
    """An entity of this kind that is right in every respect: of the design's examples, if there is one."""
    examples = entities(read_examples(sys.modules[found.table.__module__]), [found.table])
    entity = Samples(examples).entity(found)
    return found.cls(**{name: getattr(entity, name) for name in found.slots})


def test_a_new_one_begins_with_the_present() -> None:
    texts = blank(shape(Post), NOW)
    assert texts["created_at"] == "2026-11-15T09:30:00Z"
    assert texts["expires_at"] == texts["title"] == ""


def test_contents_are_a_text_or_json() -> None:
    texts = texts_of(shape(Post), post().model_copy(update={"contents": {"blocks": [1]}}))
    assert (texts["contents:as"], texts["contents"]) == ("json", '{\n  "blocks": [\n    1\n  ]\n}')
    assert texts_of(shape(Post), post())["contents:as"] == "text"
    made = draft(shape(Post), texts | {"contents": "plain", "contents:as": "text"})
    assert made.entity.contents == "plain"


def test_what_breaks_a_rule_of_the_type_is_said_at_its_field() -> None:
    texts = texts_of(shape(Income), income())
    assert draft(shape(Income), texts | {"amount": "-1"}).faults == {
        "amount": Fault("greater_than_equal", "0")
    }
    found = draft(shape(Income), texts | {"entries": '[{"date": "x", "amount": 1}]'}).faults["entries"]
    assert (found.code, found.where) == ("refused", "0.date: ")


def test_everything_that_is_wrong_is_said_at_once() -> None:
    found = shape(Income)
    faults = draft(
        found, texts_of(found, income()) | {"amount": "-1", "entries": "[{", "created_at": ""}
    ).faults
    assert {name: fault.code for name, fault in faults.items()} == {
        "amount": "greater_than_equal",
        "entries": "json",
        "created_at": "needed",
    }


def test_a_key_that_cannot_be_made_is_a_fault_of_the_whole() -> None:
    texts = texts_of(shape(Post), post())
    found = draft(shape(Post), texts | {"category_id": "a#b"}).faults
    assert list(found) == [""]
    assert found[""].code == "key"
