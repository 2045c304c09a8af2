"""The text of a list as it is read: UTF-8, UTF-16 or CP949, told by its first bytes that are not ASCII."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

UTF8, CP949, UTF16_LE, UTF16_BE = "utf-8", "cp949", "utf-16-le", "utf-16-be"

_CHUNK = 64 * 1024
_MARKS = {codecs.BOM_UTF8: UTF8, codecs.BOM_UTF16_LE: UTF16_LE, codecs.BOM_UTF16_BE: UTF16_BE}
_HANGUL = re.compile("[가-힣]").search
_BROKEN = "\udcff"
"""Stands for bytes at the end that are no character; the line that has it is invalid."""


class ListText:
    """A file of bytes, read as text; bytes that are no character become surrogates, and spoil their own line alone."""

    def __init__(self, file: BinaryIO) -> None:
        self.buffer = file
        self.encoding: str | None = None
        """The encoding, as soon as it is known; None while everything was ASCII."""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._is_begun = False

    def read(self, size: int = _CHUNK) -> str:
        """The next characters, about as many as `size`; none at the end."""
        while True:
            chunk = self.buffer.read(size)
            text = self._decoded(chunk)
            if text or not chunk:
                return text

    def _decoded(self, chunk: bytes) -> str:
        if not self._is_begun:
            self._is_begun = True
            self._choose(_marked(chunk) or _wide(chunk))
        if self._decoder is None:
            if chunk.isascii():
                return chunk.decode("ascii")
            self._choose(_narrow(chunk))
        assert self._decoder is not None
        try:
            return self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            self._decoder.reset()  # What is left of a character would be a fault again at every further read.
            return _BROKEN

    def _choose(self, encoding: str | None) -> None:
        if encoding is not None:
            errors = "surrogatepass" if encoding in (UTF16_LE, UTF16_BE) else "surrogateescape"
            self.encoding, self._decoder = encoding, codecs.getincrementaldecoder(encoding)(errors)


def _marked(head: bytes) -> str | None:
    """The encoding that a byte order mark names."""
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: its brackets, commas and letters of ASCII have a zero beside them, always on one side."""
    first, second = head[0:1024:2].count(0), head[1:1024:2].count(0)
    most, least = max(first, second), min(first, second)
    if most < 2 or most * 5 < len(head[:1024]) or least * 8 > most:
        return None
    return UTF16_BE if first > second else UTF16_LE


def _narrow(chunk: bytes) -> str:
    """UTF-8 unless it is none, and Korean of CP949 can be read without a fault."""
    if _strict(chunk, UTF8) is not None:
        return UTF8
    return CP949 if _HANGUL(_strict(chunk, CP949) or "") else UTF8


def _strict(chunk: bytes, encoding: str) -> str | None:
    try:
        return codecs.getincrementaldecoder(encoding)("strict").decode(chunk)
    except UnicodeDecodeError:
        return None
