"""From our own errors, and from those of the framework, to problems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hansang import errors
from hansang.errors import HansangError
from hansang.parts.words import Language
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.error_kinds import kind_of
from hansang.surfaces.wording import kit

_WAITS = {"throttled": 1.0, "unavailable": 5.0}
_ABOUT_VALUES = frozenset({"ValidationException", "ValidationError"})
"""How DynamoDB calls what is wrong with a request itself, alone and in a transaction."""
_SERVER = 500


def problem_of(error: HansangError) -> Problem:
    """The problem that an error is; what is the server's own fault is not told, only logged."""
    if isinstance(error, errors.Refused):
        return _refused(error)
    kind = kind_of(error)
    headers = _waiting(error, kind.code)
    if isinstance(error, errors.DamagedFile):
        return Problem(kind.code, said=closer_code(error), values=error.values)
    if kind.status >= _SERVER:
        return Problem(kind.code, headers=headers)
    field = getattr(error, "field", "")
    return Problem(
        kind.code, str(error), said=closer_code(error), values=error.values, field=field, headers=headers
    )


def closer_code(error: HansangError) -> str:
    """The code of an error if it says more than that of its class."""
    return "" if error.code == type(error).code else error.code


def _refused(error: errors.Refused) -> Problem:
    """What the database finds wrong with values; missing rights, for example, are the operator's affair."""
    return Problem("refused", error.detail) if error.wire_code in _ABOUT_VALUES else Problem("internal")


def _waiting(error: HansangError, code: str) -> dict[str, str]:
    wait = getattr(error, "retry_after", _WAITS.get(code))
    return {} if wait is None else {"Retry-After": str(max(1, math.ceil(wait)))}


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


def message_of(error: Mapping[str, Any], spoken: Language) -> str:
    """What is wrong with one value, in a language."""
    try:
        return kit().text(f"field.{error['type']}", spoken, **error.get("ctx", {}))
    except KeyError:
        return kit().text("field.other", spoken)
