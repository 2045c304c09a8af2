"""Texts in both of the product's languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["ko", "en"]
LANGUAGES: tuple[Language, ...] = ("ko", "en")


@dataclass(frozen=True, slots=True)
class Words:
    """The same text in both languages."""

    ko: str
    en: str

    def text(self, language: Language) -> str:
        return self.ko if language == "ko" else self.en
