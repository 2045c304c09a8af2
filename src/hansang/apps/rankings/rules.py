"""What the keys of the rankings need, decided without reading anything."""

from __future__ import annotations

from hansang.design.normalize import normalize_nfc


def lowered(name: str) -> str:
    """A name as it is searched for: normalized (NFC), and in lower case (X5-18)."""
    return normalize_nfc(normalize_nfc(name).lower())


def rank_at(offset: int, index: int) -> int:
    """The rank of a row: how many rows stand on earlier pages, and where it stands on its own (5-15)."""
    return offset + index + 1
