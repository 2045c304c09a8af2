"""In which of the two languages to answer."""

from __future__ import annotations

from functools import lru_cache

from starlette.requests import Request

from hansang.parts.words import LANGUAGES, Language
from hansang.surfaces.http.cookies import LANGUAGE

DEFAULT: Language = "ko"


def language(request: Request) -> Language:
    """What the address says, else the cookie, else the person's preference, else the browser; else Korean."""
    person = getattr(request.state, "person", None)
    said = (
        request.query_params.get("lang"),
        LANGUAGE.of(request),
        None if person is None else person.language,
    )
    return known(*said) or accepted(request.headers.get("accept-language", "")) or DEFAULT


def known(*said: str | None) -> Language | None:
    """The first of these that is one of our languages."""
    return next((each for text in said for each in LANGUAGES if each == text), None)


@lru_cache(256)
def accepted(header: str) -> Language | None:
    """The language of ours that an Accept-Language header likes most, or None."""
    liked: dict[Language, float] = {}
    for choice in header.split(","):
        tag, _, parameters = choice.partition(";")
        found = known(tag.strip().lower().partition("-")[0])
        if found is not None:
            liked[found] = max(liked.get(found, 0.0), _weight(parameters))
    best = max(liked, key=lambda each: liked[each], default=None)
    return best if best is not None and liked[best] > 0 else None


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
