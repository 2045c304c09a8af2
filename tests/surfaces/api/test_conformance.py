"""What the OpenAPI document says, tried: requests that fit it and requests that do not, and every answer checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hansang.apps.catalog import APPLICATIONS
from hansang.surfaces.api.app import create_api
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell
from tests.surfaces.shells import SETTINGS, new_key

SECTIONS = [*(each.name for each in APPLICATIONS), "platform", "general"]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
TRIES = {GenerationMode.POSITIVE: 3, GenerationMode.NEGATIVE: 2}


@dataclass
class TickingClock:
    """A clock that goes on by a second whenever it is read, so that nobody waits for it."""

    now: float = 4_000_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture(scope="module")
def tried() -> Iterator[Shell]:
    """A shell of its own, since anything may be written."""
    with open_shell(SETTINGS, TickingClock(), jobs=()) as shell:
        yield shell


@pytest.fixture(scope="module")
def api(tried: Shell) -> FastAPI:
    return create_api(tried)


@pytest.fixture(scope="module")
def described(api: FastAPI) -> Any:
    return schemathesis.openapi.from_asgi("/api/openapi.json?lang=en", api)


def operations(described: Any, section: str) -> Iterator[Any]:
    for found in described.get_all_operations():
        operation = found.ok()
        if operation.tags == [section]:
            yield operation


@pytest.mark.parametrize("section", SECTIONS)
def test_every_answer_is_as_the_document_says(described: Any, tried: Shell, section: str) -> None:
    headers = {"Authorization": f"Bearer {new_key(tried, '*:admin')}"}
    for operation in operations(described, section):
        for mode, tries in TRIES.items():
            attempt(operation, mode, tries, headers)


def attempt(operation: Any, mode: GenerationMode, tries: int, headers: dict[str, str]) -> None:
    """Send some requests of one operation."""

    @settings(
        max_examples=tries,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def trying(case: Any) -> None:
        checks = CHECKS if mode.is_positive else [*CHECKS, negative_data_rejection]
        case.call_and_validate(headers=headers, checks=checks)

    with suppress(Unsatisfiable):  # Where nothing is asked, nothing can be wrong.
        trying()
