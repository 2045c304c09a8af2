"""Example items beside a design."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from hansang.blueprint.examples import entities, read_examples, with_examples
from hansang.errors import DesignError
from hansang.surfaces.cli.designs import load
from tests.blueprint import designs
from tests.checked.shop import Customer, Shop

APPLICATIONS = ("assets", "codex", "leaderboards", "news", "rankings")


@pytest.mark.parametrize("name", APPLICATIONS)
def test_every_example_of_an_application_is_an_entity(name: str) -> None:
    module = importlib.import_module(f"hansang.apps.{name}.design")
    assert len(entities(read_examples(module), load([name]).tables)) == len(read_examples(module)) > 1


def test_a_design_without_examples_has_none(tmp_path: Path) -> None:
    module = ModuleType("lonely")
    module.__file__ = str(tmp_path / "lonely.py")
    assert read_examples(module) == {}


def test_rows_of_a_list_are_numbered(tmp_path: Path) -> None:
    module = ModuleType("listed")
    module.__file__ = str(tmp_path / "listed.py")
    (tmp_path / "examples.json").write_text(json.dumps({"row": [{"a": 1}, {"a": 2}]}))
    assert read_examples(module) == {"row 1": {"a": 1}, "row 2": {"a": 2}}


def test_an_item_of_another_table_is_left_out() -> None:
    assert entities({"x": {"pk": "a"}, "y": {"PK": "OTHER#1", "SK": "METADATA"}}, [Shop]) == []


def test_an_example_that_does_not_fit_is_named() -> None:
    item = {"PK": "CUSTOMER#c1", "SK": "METADATA", "Type": "Customer"}
    with pytest.raises(DesignError, match="'half' does not fit"):
        entities({"half": item}, [Shop])


def test_an_example_is_the_entity_that_it_says() -> None:
    item = {"PK": "CUSTOMER#c1", "SK": "METADATA", "Type": "Customer", "name": "민지", "visits": 3}
    [customer] = entities({"one": item | {"CreatedAt": "2026-01-01T00:00:00Z"}}, [Shop])
    assert isinstance(customer, Customer)
    assert (customer.id, customer.visits) == ("c1", 3)


def test_the_examples_of_a_module_are_those_of_its_tables() -> None:
    found = with_examples([designs.Shop]).samples.examples
    assert found == {type(each): each for each in designs.EXAMPLES}
