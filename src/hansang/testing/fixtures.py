"""The fixtures of the plugin for pytest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest

from hansang.design import Table
from hansang.testing.hook import HOOK
from hansang.testing.in_process import InProcess, boto3


def pytest_configure() -> None:
    # Modules under test make clients when they are imported, and that is before any fixture.
    HOOK.stay()


def pytest_unconfigure() -> None:
    HOOK.stay(False)


@pytest.fixture
def dynamodb_tables() -> Iterable[type[Table] | Mapping[str, Any]]:
    """The tables that every test begins with: designs, or requests of `create_table`. Yours takes its place."""
    return ()


@pytest.fixture
def dynamodb(dynamodb_tables: Iterable[type[Table] | Mapping[str, Any]]) -> Iterator[InProcess]:
    """DynamoDB for boto3 in this test, empty but for the tables of `dynamodb_tables`."""
    with boto3(tables=dynamodb_tables) as opened:
        yield opened
