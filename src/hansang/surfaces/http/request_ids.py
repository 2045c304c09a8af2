"""One id for each request, in its answer and in every line that is logged for it."""

from __future__ import annotations

import os
import re
from contextvars import ContextVar

HEADER = b"x-request-id"

_SANE = re.compile(rb"[A-Za-z0-9._-]{8,64}")

current: ContextVar[str | None] = ContextVar("hansang_request_id", default=None)
"""The id of the request that is being worked on, here and in the threads that work on it."""


def new_request_id() -> str:
    """An id that was never there before."""
    return os.urandom(12).hex()


def sane(given: bytes | None) -> str | None:
    """The id that a client or a proxy gave, if it can stand in a header and in a log."""
    return given.decode("ascii") if given is not None and _SANE.fullmatch(given) else None
