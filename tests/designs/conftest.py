"""Every design is played on the engine in the process, over the wire, and on moto."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.backends.base import Backend
from tests.contract.contenders import HERE
from tests.designs.stages import Watch


@pytest.fixture(scope="session", params=["embedded", "wire", "moto"])
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    with HERE[request.param]() as opened:
        yield opened


@pytest.fixture
def watch() -> Watch:
    return Watch()
