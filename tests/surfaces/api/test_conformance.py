"""What the OpenAPI document says, tried: requests that fit it and requests that do not, and every answer checked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
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

from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS
from hansang.apps.samples import fill
from hansang.blueprint.examples import with_examples
from hansang.design import Entity
from hansang.surfaces.api.app import create_api
from hansang.surfaces.api.designs import valid_example
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell
from tests.storing import lasting, put_plainly
from tests.surfaces.shells import SETTINGS, new_key

pytestmark = pytest.mark.long

SECTIONS = [*(each.name for each in APPLICATIONS), "platform", "general"]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
TRIES = {GenerationMode.POSITIVE: 2, GenerationMode.NEGATIVE: 1}
TOLERANT = {"/api/news/loads", "/api/news/loads/dry-run"}
"""They answer with what is wrong with each line, and take the others."""
LARGE = ("leaderboards", "rankings")
"""Their samples are thousands of players, of whom no answer says more than of those in the examples."""
MADE = ("entities", "patterns")
"""The routes that are made of a design, all of them alike: every third is tried, once in both ways."""
MADE_TRIED = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 3


@dataclass
class TickingClock:
    """A clock that goes on by a second whenever it is read, so that nobody waits for it."""

    now: float = 4_000_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture(scope="module")
def tried() -> Iterator[Shell]:
    """A shell of its own, since anything may be written, with small samples and the examples of every design."""
    with open_shell(SETTINGS, TickingClock(), jobs=()) as shell:
        now = datetime.fromtimestamp(shell.clock(), UTC)
        for application in shell.applications:
            if application.name not in LARGE:
                fill(shell.database, application, now, lambda _: None)
            put_plainly(shell.database, examples(application))
        yield shell


def examples(application: Application) -> Iterator[Entity]:
    """The entities that the document shows."""
    design = with_examples(application.tables)
    found = (valid_example(design, kind) for kind in application.entities.values())
    return (lasting(each) for each in found if each is not None)


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


@pytest.fixture(scope="module")
def allowed(tried: Shell) -> dict[str, str]:
    """The headers of whoever may do everything."""
    return {"Authorization": f"Bearer {new_key(tried, '*:admin')}"}


def test_every_operation_is_in_a_section_that_is_tried(described: Any) -> None:
    tags = {tag for found in described.get_all_operations() for tag in found.ok().tags}
    assert tags == set(SECTIONS)


@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda each: each.name)
def test_every_question_finds_the_example_of_its_document(
    described: Any, tried: Shell, allowed: dict[str, str], application: Application
) -> None:
    put_plainly(tried.database, examples(application))  # Another test may have deleted some.
    found = {each.label: shown(each, allowed) for each in questions(described, application.name)}
    assert {label for label, answer in found.items() if answer.status_code != 200} <= unshown(application)
    assert sum(1 for answer in found.values() if answer.json().get("items") == []) < len(found) // 2


def questions(described: Any, section: str) -> Iterator[Any]:
    """The operations that read an entity or ask a pattern."""
    for operation in operations(described, section):
        if operation.method == "get" and is_made(operation):
            yield operation


def shown(operation: Any, headers: dict[str, str]) -> Any:
    """The answer to the request that the document gives as an example."""
    given = (each.definition for each in operation.query)
    asked = {each["name"]: each["schema"]["examples"][0] for each in given if "examples" in each["schema"]}
    return operation.Case(query=asked).call_and_validate(headers=dict(headers), checks=CHECKS)


def unshown(application: Application) -> set[str]:
    """The entities whose documents give no whole example."""
    design = with_examples(application.tables)
    return {
        f"GET /api/{application.name}/entities/{name}"
        for name, kind in application.entities.items()
        if valid_example(design, kind) is None
    }


@pytest.mark.parametrize("section", SECTIONS)
def test_every_answer_is_as_the_document_says(described: Any, allowed: dict[str, str], section: str) -> None:
    made = [each for each in operations(described, section) if is_made(each)]
    others = [each for each in operations(described, section) if not is_made(each)]
    for operation in [*others, *made[::MADE_TRIED]]:
        for mode, tries in TRIES.items():
            attempt(operation, mode, 1 if is_made(operation) else tries, allowed)


def is_made(operation: Any) -> bool:
    return operation.path.split("/")[3:4] in [[each] for each in MADE]


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
        is_refused = not mode.is_positive and operation.path not in TOLERANT
        checks = [*CHECKS, negative_data_rejection] if is_refused else CHECKS
        case.call_and_validate(headers=dict(headers), checks=checks)

    with suppress(Unsatisfiable):  # Where nothing is asked, nothing can be wrong.
        trying()
