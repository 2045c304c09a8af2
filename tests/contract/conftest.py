"""Every test of the contract runs on every backend."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tests.contract.contenders import ELSEWHERE, HERE, Contender
from tests.contract.excuses import excuse
from tests.contract.partitions import Partition, definition, wait_until_active


@pytest.fixture(
    scope="session", params=[*HERE, *(pytest.param(name, marks=pytest.mark.aws) for name in ELSEWHERE)]
)
def contender(request: pytest.FixtureRequest) -> Iterator[Contender]:
    with (HERE | ELSEWHERE)[request.param]() as backend:
        yield Contender(request.param, backend)


@pytest.fixture(autouse=True)
def excused(request: pytest.FixtureRequest) -> None:
    """Skip what the backend of this test is known to get wrong."""
    parameters = getattr(request.node, "callspec", None)
    contender = parameters.params.get("contender", "") if parameters else ""
    reason = excuse(contender, request.node.originalname, request.node.name)
    if reason is not None:
        pytest.skip(f"{contender} is wrong here: {reason}")


@pytest.fixture(scope="session")
def shared_table(contender: Contender) -> Iterator[str]:
    name = f"hansang-contract-{uuid.uuid4().hex[:12]}"
    contender.call("CreateTable", definition(name))
    wait_until_active(contender, name)
    yield name
    contender.call("DeleteTable", {"TableName": name})


@pytest.fixture
def partition(contender: Contender, shared_table: str) -> Partition:
    """A partition of its own, in a table that the tests share."""
    return Partition(contender, shared_table, uuid.uuid4().hex)
