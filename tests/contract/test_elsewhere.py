"""The contract on a real account and on any other endpoint, when the environment names one."""

from __future__ import annotations

import os

import pytest

from tests.contract.contenders import ELSEWHERE, ENDPOINT, REGION


@pytest.mark.aws
@pytest.mark.parametrize(
    ("name", "variable", "example"),
    [("aws", REGION, "ap-northeast-2"), ("endpoint", ENDPOINT, "http://localhost:8000")],
)
def test_the_contract_runs_where_the_environment_says(name: str, variable: str, example: str) -> None:
    if not os.environ.get(variable):
        pytest.skip(
            f"The contract does not run on {name}: set {variable}, such as {example}, to run it there."
        )
    assert name in ELSEWHERE
