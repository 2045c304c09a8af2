"""Unicode normalization (NFC): Hangul in one code point a syllable and Hangul in letters look the same."""

from __future__ import annotations

import unicodedata

from hansang.errors import InvalidInput

LONGEST = 4096
"""More characters than any key has; the time that normalizing takes grows with its square."""


def normalize_nfc(text: str, longest: int = LONGEST) -> str:
    """The text in Unicode's normalization form C (NFC), or InvalidInput when it is longer than anything that is compared."""
    if text.isascii():
        return text
    if len(text) > longest:
        raise InvalidInput(
            "This text has {length:,} characters; it may have {most:,} at most.",
            code="design.long-text",
            values={"length": len(text), "most": longest},
        )
    return unicodedata.normalize("NFC", text)


def normalize_words(text: str) -> str:
    """A text of any length in NFC, word by word; a word that no key could have is left as it is."""
    if unicodedata.is_normalized("NFC", text):
        return text
    return " ".join(each if len(each) > LONGEST else normalize_nfc(each) for each in text.split(" "))
