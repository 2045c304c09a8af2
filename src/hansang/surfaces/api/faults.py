"""From our own errors, and from those of the framework, to problems."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hansang import errors
from hansang.errors import HansangError
from hansang.parts.words import Language
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.error_kinds import kind_of

_WAITS = {"throttled": 1.0, "unavailable": 5.0}
_ABOUT_VALUES = frozenset({"ValidationException", "ValidationError"})
"""How DynamoDB calls what is wrong with a request itself, alone and in a transaction."""
_SERVER = 500
_FIELDS = Path(__file__).with_name("fields.toml")


def problem_of(error: HansangError) -> Problem:
    """The problem that an error is; what is the server's own fault is not told, only logged."""
    if isinstance(error, errors.Refused):
        return _refused(error)
    kind = kind_of(error)
    told = str(error) if kind.status < _SERVER else None
    return Problem(kind.code, told, errors=_named(error), headers=_waiting(error, kind.code))


def _refused(error: errors.Refused) -> Problem:
    """What the database finds wrong with values; missing rights, for example, are the operator's affair."""
    code, _, message = str(error).partition(": ")
    return Problem("refused", message) if code in _ABOUT_VALUES else Problem("internal")


def _waiting(error: HansangError, code: str) -> dict[str, str]:
    wait = getattr(error, "retry_after", _WAITS.get(code))
    return {} if wait is None else {"Retry-After": str(max(1, math.ceil(wait)))}


def _named(error: HansangError) -> list[dict[str, str]]:
    """The one value that an error is about, if it says which."""
    field = getattr(error, "field", "")
    if not field:
        return []
    return [{"place": "body", "path": field, "code": "value_error", "message": str(error)}]


# ── what the framework found ──────────────────────────────────────────────────────────────────────


def invalid(found: Sequence[Mapping[str, Any]], spoken: Language) -> Problem:
    """The problem of a request whose values are not as they have to be."""
    broken = next((each for each in found if each["type"] == "json_invalid"), None)
    if broken is not None:
        return Problem("invalid-json", f"The body cannot be read as JSON: {broken['ctx']['error']}.")
    return Problem("invalid-request", errors=[*_errors(found, spoken)])


def _errors(found: Sequence[Mapping[str, Any]], spoken: Language) -> Iterator[dict[str, str]]:
    for each in found:
        place, *path = (str(part) for part in each["loc"])
        message = message_of(each, spoken)
        yield {"place": place, "path": ".".join(path), "code": each["type"], "message": message}


@cache
def korean() -> Mapping[str, str]:
    """What is wrong with a value, in Korean, by pydantic's name for it."""
    return tomllib.loads(_FIELDS.read_text(encoding="utf-8"))


def message_of(error: Mapping[str, Any], spoken: Language) -> str:
    """What is wrong with one value, in a language."""
    if spoken == "en":
        return str(error["msg"])
    text = korean().get(error["type"], "값이 올바르지 않습니다.")
    return text.format_map(_Told(error.get("ctx", {})))


class _Told(dict[str, Any]):
    """What pydantic tells with an error; a name that it does not tell stays empty."""

    def __missing__(self, name: str) -> str:
        return ""
