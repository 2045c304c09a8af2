"""Who somebody is, as the kit has to know it; an application of ours finds it out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol


class SignedInPerson(Protocol):
    """A person who has signed in."""

    @property
    def name(self) -> str: ...
    @property
    def shown_name(self) -> str: ...
    @property
    def roles(self) -> Mapping[str, str]: ...
    @property
    def scopes(self) -> frozenset[str]: ...
    @property
    def theme(self) -> str | None: ...


class OpenSession(Protocol):
    """Where that person has signed in."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...


class ProgramKey(Protocol):
    """What lets a program in."""

    @property
    def id(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def scopes(self) -> Collection[str]: ...
    @property
    def rate(self) -> int | None:
        """Requests a minute, if the key has a rate of its own."""


class Identity(Protocol):
    """Finds whoever asks by what a request carries, and knows its own forms again."""

    def by_cookie(self, cookie: str) -> tuple[OpenSession, SignedInPerson] | None:
        """The session of a cookie and whose it is, or None."""

    def by_key(self, text: str) -> ProgramKey | None:
        """The key with this text, or None."""

    def rights(self, name: str) -> frozenset[str] | None:
        """What an account may do now: nothing while it is disabled, None if there is none of this name."""

    def csrf(self, bound_to: OpenSession | str) -> str:
        """What the forms of a session carry, or those of a browser in which nobody has signed in."""

    def check_csrf(self, bound_to: OpenSession | str, token: str) -> bool:
        """Whether a form carries that."""
