"""Secrets that are given out once and kept as digests."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

RandomBytes = Callable[[int], bytes]
"""Where randomness comes from: as many random bytes as asked for."""


def new_token(random_bytes: RandomBytes, length: int = 32) -> str:
    """A text that nobody can guess, safe in addresses, cookies and headers."""
    return base64.urlsafe_b64encode(random_bytes(length)).rstrip(b"=").decode()


def digest(text: str) -> str:
    """What is kept of a secret; for long random ones only, a password needs more."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
