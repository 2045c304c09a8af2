"""Text normalized to NFC, and text that is too long for it."""

from __future__ import annotations

import unicodedata

import pytest

from hansang.design.normalize import LONGEST, normalize_nfc, normalize_words
from hansang.errors import InvalidInput


def test_text_is_normalized_to_nfc() -> None:
    assert normalize_nfc(unicodedata.normalize("NFD", "한상")) == "한상"
    assert normalize_nfc("table") == "table"


def test_what_would_take_too_long_is_refused() -> None:
    marks = "\u0301" * LONGEST
    assert normalize_nfc(marks) == marks
    with pytest.raises(InvalidInput, match=r"4,097 characters; it may have 4,096"):
        normalize_nfc(marks + "\u0301")
    assert normalize_nfc("x" * 1_000_000) == "x" * 1_000_000


def test_a_long_text_is_normalized_word_by_word() -> None:
    long = "긴 글 " * LONGEST
    assert normalize_words(unicodedata.normalize("NFD", long)) == long
    marks = "\u0301\u0323" * LONGEST
    assert normalize_words(f"{marks} {unicodedata.normalize('NFD', '한')}") == f"{marks} 한"
