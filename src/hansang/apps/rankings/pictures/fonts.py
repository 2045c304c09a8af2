"""The font of pictures: one with Hangul if the machine has it, else Pillow's own, which has Latin letters alone."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from PIL import ImageFont

from hansang.errors import SettingsError

_log = logging.getLogger("hansang.rankings")


class FontFiles(NamedTuple):
    """The files of a font, and which of the fonts in them it is."""

    regular: str
    bold: str
    number: int = 0


_NOTO = ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc")
_NOTO_KR = 1
"""Noto's collections have Japanese first, then Korean."""
PLACES = (
    *(
        FontFiles(f"{folder}/{_NOTO[0]}", f"{folder}/{_NOTO[1]}", _NOTO_KR)
        for folder in (
            "/usr/share/fonts/opentype/noto",  # Debian and Ubuntu, fonts-noto-cjk
            "/usr/share/fonts/noto-cjk",
            "/usr/share/fonts/noto",
            "/usr/share/fonts/google-noto-cjk",
            "/usr/share/fonts/google-noto-sans-cjk-fonts",
        )
    ),
    FontFiles(
        "/usr/share/fonts/truetype/nanum/NanumGothic.ttf",  # fonts-nanum
        "/usr/share/fonts/truetype/nanum/NanumGothicBold.ttf",
    ),
    FontFiles("/System/Library/Fonts/AppleSDGothicNeo.ttc", "/System/Library/Fonts/AppleSDGothicNeo.ttc"),
)
"""Where a font with Hangul usually is, the preferred one first."""


class Fonts:
    """What pictures are written with."""

    def __init__(self, given: Sequence[str] = (), places: Iterable[FontFiles] = PLACES) -> None:
        """`given` is the file of a font with Hangul, or two of them: regular and bold."""
        self._files = _given(given) if given else next((each for each in places if _is_there(each)), None)
        if self._files is None:
            _log.warning(
                "No font with Hangul was found, so pictures are in English and name players by their ids. "
                "Install fonts-noto-cjk, or set HANSANG_RANKINGS_FONT."
            )
        self._face = lru_cache(maxsize=64)(self._opened)

    @property
    def has_hangul(self) -> bool:
        return self._files is not None

    def face(self, size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
        """The font in a size."""
        return self._face(size, bold)

    def can_write(self, text: str) -> bool:
        """Whether a text comes out as it is."""
        return self.has_hangul or all(" " <= each <= "~" for each in text)

    def _opened(self, size: int, bold: bool) -> ImageFont.FreeTypeFont:
        if self._files is None:
            found = ImageFont.load_default(size)
            assert isinstance(found, ImageFont.FreeTypeFont)
            return found
        path = self._files.bold if bold else self._files.regular
        return ImageFont.truetype(path, size, self._files.number, layout_engine=ImageFont.Layout.BASIC)


def _given(files: Sequence[str]) -> FontFiles:
    if len(files) > 2:
        raise SettingsError("Give one font for pictures, or two: regular and bold.")
    for each in files:
        try:
            ImageFont.truetype(each, 20)
        except OSError as fault:
            raise SettingsError(f"The font {each} cannot be read: {fault}.") from fault
    index = _NOTO_KR if files[0].endswith(_NOTO[0]) else 0
    return FontFiles(files[0], files[-1], index)


def _is_there(files: FontFiles) -> bool:
    return Path(files.regular).is_file() and Path(files.bold).is_file()
