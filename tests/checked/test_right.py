"""Every right use of a design runs."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getmembers, isfunction

import pytest

from hansang.design import Database
from tests.checked import right
from tests.checked.stock import stocked

USES = [use for _, use in getmembers(right, isfunction) if use.__module__ == right.__name__]


@pytest.mark.parametrize("use", USES, ids=[use.__name__ for use in USES])
def test_a_right_use_runs(use: Callable[[Database], None]) -> None:
    with stocked() as db:
        use(db)
