"""The texts of articles, as they are kept: compressed, and within what an item can hold."""

from __future__ import annotations

import zlib
from datetime import datetime

from hansang.apps.news.design import Body
from hansang.errors import InvalidInput

_LONGEST = 20_000_000
_LARGEST = 380_000
_LONGEST_TYPE = 200


def body_of(item: str, text: bytes, content_type: str, fetched_at: datetime) -> Body:
    """The text of an article, to be stored."""
    if not 0 < len(content_type) <= _LONGEST_TYPE:
        raise InvalidInput(
            "Say what the text is, such as text/html.", "content_type", code="news.no-content-type"
        )
    if len(text) > _LONGEST:
        raise InvalidInput(
            "The article has {bytes:,} bytes. Send its text instead of the whole page.",
            "body",
            code="news.long-body",
            values={"bytes": len(text)},
        )
    return Body(
        item=item,
        content_type=content_type,
        compressed=_compressed(text),
        length=len(text),
        fetched_at=fetched_at,
    )


def _compressed(text: bytes) -> bytes:
    found = zlib.compress(text)
    if len(found) > _LARGEST:
        raise InvalidInput(
            "The article has {bytes:,} bytes when compressed, and {most:,} can be kept. Send its text instead of the "
            "whole page.",
            "body",
            code="news.large-body",
            values={"bytes": len(found), "most": _LARGEST},
        )
    return found


def text_of(body: Body) -> bytes:
    """The text of an article as it was given; ValueError when its bytes are damaged."""
    return unpacked(body.compressed, _LONGEST)


def packed(text: str) -> tuple[bytes, bool]:
    """A text as an item can hold it, and whether it had to be cut."""
    kept, is_cut = zlib.compress(text.encode(errors="replace")), False
    while len(kept) > _LARGEST:
        text, is_cut = text[: len(text) * _LARGEST // len(kept) * 9 // 10], True
        kept = zlib.compress(text.encode(errors="replace"))
    return kept, is_cut


def unpacked(compressed: bytes, most: int) -> bytes:
    """The first bytes of what was compressed, however much it would be; ValueError when it is damaged."""
    try:
        return zlib.decompressobj().decompress(compressed, most)
    except zlib.error as fault:
        raise ValueError(f"The bytes are damaged: {fault}.") from fault
