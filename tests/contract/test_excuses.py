"""An excuse belongs to a test that is there, and to one backend."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.contract.excuses import MOTO, excuse


def test_every_excuse_names_a_test() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(__file__).parent.glob("test_*.py")]
    found = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert {name.partition("[")[0] for name in MOTO} <= found


def test_an_excuse_is_found_by_the_test_or_by_its_parameters() -> None:
    function = "test_a_value_that_is_none_is_refused"
    assert excuse("moto", function, f"{function}[moto-two types]") == "moto stores the first."
    assert excuse("moto", function, f"{function}[moto-an empty set]") is None
    whole = "test_a_batch_over_25_writes_is_refused"
    assert excuse("moto", whole, f"{whole}[moto]") == "moto writes all 26."
    assert excuse("wire", whole, f"{whole}[wire]") is None
