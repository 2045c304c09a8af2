"""What the environment says. Nothing else in Hansang reads it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self, cast

from hansang.errors import SettingsError

Durability = Literal["full", "normal"]


@dataclass(frozen=True, slots=True)
class WireSettings:
    """How the DynamoDB endpoint is served."""

    data: str = "hansang.db"
    host: str = "127.0.0.1"
    port: int = 8000
    access_key: str | None = None
    secret_key: str | None = field(default=None, repr=False)
    region: str = "us-east-1"
    durability: Durability = "full"

    @classmethod
    def chosen(cls, given: Mapping[str, object], environ: Mapping[str, str] | None = None) -> Self:
        """The settings given, else those of the environment, else the defaults."""
        said = _said(os.environ if environ is None else environ)
        settings = cls(**(said | {name: value for name, value in given.items() if value is not None}))  # type: ignore[arg-type]
        if (settings.access_key is None) != (settings.secret_key is None):
            raise SettingsError("Give both --access-key and --secret-key, or neither.")
        return settings

    @property
    def has_keys(self) -> bool:
        return self.access_key is not None


def _said(environ: Mapping[str, str]) -> dict[str, object]:
    names = ("data", "host", "port", "access_key", "secret_key", "region", "durability")
    said = {
        name: environ[f"HANSANG_{name.upper()}"] for name in names if environ.get(f"HANSANG_{name.upper()}")
    }
    converted: dict[str, object] = dict(said)
    if "port" in said:
        converted["port"] = _port(said["port"])
    if "durability" in said:
        converted["durability"] = _durability(said["durability"])
    return converted


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= 65535):
        raise SettingsError(f"HANSANG_PORT has to be a number from 0 to 65535, not {text!r}.")
    return int(text)


def _durability(text: str) -> Durability:
    if text not in ("full", "normal"):
        raise SettingsError(f"HANSANG_DURABILITY has to be full or normal, not {text!r}.")
    return cast(Durability, text)
