"""From our own errors, and from those of the framework, to problems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hansang import errors
from hansang.design.inputs import example_of
from hansang.errors import HansangError
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.error_kinds import kind_of
from hansang.surfaces.labels import Labels
from hansang.surfaces.refusals import sentence

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


@dataclass(frozen=True, slots=True)
class Asked:
    """Of what the values of a request are: the kind and its model, with the words of its application."""

    labels: Labels
    kind: str = ""
    model: Any = None

    def errors(self, found: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
        """What is wrong, value by value."""
        for each in found:
            place, *path = each["loc"]
            yield {
                "place": str(place),
                "path": ".".join(str(part) for part in path),
                "label": self.labels.place(self.kind, self.model, path),
                "code": each["type"],
                "message": self.message(each),
            }

    def message(self, found: Mapping[str, Any]) -> str:
        """What is wrong with one value, as a sentence with an example."""
        return sentence(self.labels.wording, self.labels.language, {**found, "example": self._example(found)})

    def _example(self, found: Mapping[str, Any]) -> str:
        fields = getattr(self.model, "model_fields", {})
        name = found["loc"][1] if len(found.get("loc", ())) > 1 else ""
        return found.get("example") or (example_of(fields[name]) if name in fields else "")


def invalid(found: Sequence[Mapping[str, Any]], asked: Asked) -> Problem:
    """The problem of a request whose values are not as they have to be."""
    broken = next((each for each in found if each["type"] == "json_invalid"), None)
    if broken is not None:
        return Problem("invalid-json", f"The body cannot be read as JSON: {broken['ctx']['error']}.")
    return Problem("invalid-request", errors=[*asked.errors(found)])


def misfit(error: errors.InvalidInput, asked: Asked, place: str) -> Problem:
    """The problem of one value that the rules of its field refuse."""
    found = error.found or {}
    told = {**found, "loc": (place, error.field, *found.get("loc", ()))}
    [line] = asked.errors([told])
    detail = f"{line['label']}: {line['message']}"
    return Problem("invalid-input", str(error), detail=detail, errors=[line])
