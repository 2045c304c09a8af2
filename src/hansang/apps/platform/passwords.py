"""Passwords: what is taken for one, and how it is kept."""

from __future__ import annotations

from functools import cached_property
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from hansang.design.normalize import normalize_nfc
from hansang.errors import InvalidInput

SHORTEST, LONGEST = 10, 200
_LONGEST_TYPED = 4 * LONGEST  # Before it is normalized.
_AT_ONCE = 2  # Each one takes 64 MiB while it runs.


def check_strength(password: str, name: str) -> None:
    """Refuse a password that is too short, too long, or the name itself."""
    length = len(normalize_nfc(password)) if len(password) <= _LONGEST_TYPED else len(password)
    if not SHORTEST <= length <= LONGEST:
        raise InvalidInput(
            "A password has {shortest} to {longest} characters; this one has {length}.",
            "password",
            code="platform.password-length",
            values={"shortest": SHORTEST, "longest": LONGEST, "length": length},
        )
    if password.strip().casefold() == name:
        raise InvalidInput(
            "The password is the name itself. Choose another one.",
            "password",
            code="platform.password-is-name",
        )


class Passwords:
    """Makes and checks Argon2 hashes, a few at a time so that sign-ins cannot fill the memory."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._turns = BoundedSemaphore(_AT_ONCE)

    def hashed(self, password: str) -> str:
        """What is kept of a password."""
        with self._turns:
            return self._hasher.hash(_utf8(password))

    def fits(self, kept: str | None, password: str) -> bool:
        """Whether this is the password; when none is kept it takes as long to say no."""
        if len(password) > _LONGEST_TYPED:
            kept, password = None, ""  # Nobody's; normalizing it would take too long.
        nobody = self._nobody
        with self._turns:
            try:
                return self._hasher.verify(kept or nobody, _utf8(password)) and kept is not None
            except (VerificationError, InvalidHashError):
                return False

    def is_outdated(self, kept: str) -> bool:
        """Whether the hash was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(kept)

    @cached_property
    def _nobody(self) -> str:
        """The hash that a password is compared with when there is no one to compare it with."""
        return self.hashed("nobody has this password")


def _utf8(password: str) -> bytes:
    return normalize_nfc(password, _LONGEST_TYPED).encode("utf-8", "surrogatepass")
