"""The name of a route, for counting and logging: /apps/{app}, whatever the application."""

from __future__ import annotations

from inspect import isroutine
from typing import Any

from starlette.types import Scope

UNMATCHED = "(none)"
OTHER = "(other)"


def template(scope: Scope) -> str:
    """The path of a request that was routed, without the values in it; there are only so many of them.

    Neither a one-time link nor a key can so get into a log. The router's own name is not used: it lacks the
    prefixes of included routers.
    """
    endpoint = scope.get("endpoint")
    if endpoint is None:
        return UNMATCHED
    if scope.get("root_path") and not isroutine(endpoint):
        return f"{scope['root_path']}/…"
    values = scope.get("path_params")
    return _without_values(scope["path"], values) if values else str(scope["path"])


def _without_values(path: str, values: dict[str, Any]) -> str:
    done, rest = "", f"{path}/"
    for name, value in values.items():
        before, found, after = rest.partition(f"/{value}/")
        if not found:
            return OTHER
        done, rest = f"{done}{before}/{{{name}}}", f"/{after}"
    return (done + rest).rstrip("/") or "/"
