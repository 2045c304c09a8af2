"""Letters put together, and text that is too long for it."""

from __future__ import annotations

import unicodedata

import pytest

from hansang.design.composing import LONGEST, composed
from hansang.errors import InvalidInput


def test_letters_are_put_together() -> None:
    assert composed(unicodedata.normalize("NFD", "한상")) == "한상"
    assert composed("table") == "table"


def test_what_would_take_too_long_is_refused() -> None:
    marks = "\u0301" * LONGEST
    assert composed(marks) == marks
    with pytest.raises(InvalidInput, match=r"4,097 characters; it may have 4,096"):
        composed(marks + "\u0301")
    assert composed("x" * 1_000_000) == "x" * 1_000_000
