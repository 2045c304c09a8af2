"""The mark that ties a test to a clause of the specification."""

from __future__ import annotations

import pytest


def clause(*ids: str) -> pytest.MarkDecorator:
    """Name the clauses that a test proves: `@clause("R8")`, `@clause("E1")`, `@clause("3-12")`."""
    return pytest.mark.clause(*ids)
