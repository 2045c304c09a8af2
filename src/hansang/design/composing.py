"""Text with its letters put together: Hangul that is composed and Hangul that is not look the same."""

from __future__ import annotations

import unicodedata

from hansang.errors import InvalidInput

LONGEST = 4096
"""More characters than any key has; the time that putting together takes grows by the square of it."""


def composed(text: str, longest: int = LONGEST) -> str:
    """The text in Unicode's form NFC, or InvalidInput when it is longer than anything that is compared."""
    if text.isascii():
        return text
    if len(text) > longest:
        raise InvalidInput(f"This text has {len(text):,} characters; it may have {longest:,} at most.")
    return unicodedata.normalize("NFC", text)
