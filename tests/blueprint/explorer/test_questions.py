"""Access patterns as questions that people can fill in."""

from __future__ import annotations

from datetime import date

import pytest

from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS, application
from hansang.blueprint.explorer.forms import Fault
from hansang.blueprint.explorer.questions import PatternQuestion, ask, expected_cost, question, questions
from hansang.errors import NotFound

ALL = [(each, found) for each in APPLICATIONS for found in questions(each.tables)]


@pytest.mark.parametrize(("app", "found"), ALL, ids=lambda each: getattr(each, "label", ""))
def test_every_pattern_of_every_design_can_be_asked(app: Application, found: PatternQuestion) -> None:
    assert question(app.tables, found.label).label == found.label
    assert found.meaning
    assert all(each.kind in ("text", "whole", "day", "choice") for each in found.fields)


def test_a_question_becomes_a_query_of_its_index() -> None:
    found = question(application("rankings").tables, "LevelRow.between")
    asked = ask(found, {"day": "2026-02-21", "low": "10", "high": "20"})
    assert asked.query is not None
    assert asked.query.name == "LevelRow.between"
    assert asked.arguments == {"day": date(2026, 2, 21), "low": 10, "high": 20}
    assert found.index is asked.query.index


def test_what_is_wrong_is_said_by_field() -> None:
    found = question(application("rankings").tables, "LevelRow.between")
    asked = ask(found, {"day": "today", "low": "", "high": "20"})
    assert (asked.query, asked.faults) == (None, {"day": Fault("day"), "low": Fault("needed")})


def test_a_value_that_can_be_in_no_key_is_a_fault_of_the_whole() -> None:
    asked = ask(question(application("codex").tables, "Post.in_category"), {"category_id": "a#b"})
    assert asked.query is None
    assert asked.faults[""].code == "key"


def test_a_choice_is_one_of_its_values() -> None:
    found = question(application("assets").tables, "Codes.of_kind")
    assert ask(found, {"kind": "NAME"}).query is not None
    assert ask(found, {"kind": "OTHER"}).faults == {"kind": Fault("choice")}


def test_a_pattern_that_is_not_there_is_not_found() -> None:
    with pytest.raises(NotFound, match=r"There are NewsItem\.with_url"):
        question(application("news").tables, "NewsItem.nothing")


def test_what_a_pattern_costs_is_known_from_its_design() -> None:
    found = expected_cost(application("assets").tables, "Income.of_month")
    assert found is not None
    assert found.read > 0
    assert expected_cost(application("assets").tables, "Income.nothing") is None
