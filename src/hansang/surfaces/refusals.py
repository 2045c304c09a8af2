"""Why a value is refused, as a sentence in both languages with an example of the right format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hansang.errors import HansangError
from hansang.parts.words import Language
from hansang.surfaces.wording import Wording

_HANGUL = re.compile("[가-힣]")


def sentence(wording: Wording, language: Language, found: Mapping[str, Any]) -> str:
    """What a validator found; `found` has its `type` and its `ctx` as pydantic has them, and maybe an `example`."""
    told = dict(found.get("ctx") or {})
    error = told.get("error")
    if isinstance(error, Exception):
        return error_sentence(wording, language, error)
    kind, example = str(found["type"]), str(found.get("example") or "")
    if kind == "string_pattern_mismatch":
        kind, told = ("looks_like", {"example": example}) if example else ("format", {})
    if kind == "string_too_short" and told.get("min_length") == 1:
        kind = "missing"
    if "expected" in told and language == "ko":
        told["expected"] = str(told["expected"]).replace(" or ", ", ")
    return wording.find(f"field.{kind}", language, **told) or wording.text("field.other", language)


def error_sentence(wording: Wording, language: Language, error: Exception) -> str:
    """What an error says; one without words of its own is quoted where it is in another language."""
    if isinstance(error, HansangError) and error.code != type(error).code:
        found = wording.said(error.code, language, error.values)
        if found is not None:
            return found
    text = str(error).strip()
    if not text:
        return wording.text("field.other", language)
    text = text if text.endswith((".", "!", "?")) else f"{text}."
    is_theirs = language == "en" or _HANGUL.search(text)
    return text if is_theirs else wording.text("field.quoted", language, text=text)
