"""Backends by address: a data file, a region of AWS, or an endpoint."""

from __future__ import annotations

import re
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self
from urllib.parse import SplitResult, parse_qs, urlsplit

from hansang.backends.base import Backend
from hansang.errors import SettingsError, StoreError

_FORMS = "a file, :memory:, aws:REGION, aws:REGION?profile=NAME or http://HOST:PORT?region=REGION"
_REGION = re.compile(r"[a-z0-9-]*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class OpenBackend(Backend, Protocol):
    """A backend that holds something until it is closed."""

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


def open_backend(
    address: str | PathLike[str],
    *,
    durability: Literal["full", "normal"] = "full",
    region: str = "us-east-1",
    create: bool = True,
    sweeps: bool = True,
    throttling: bool = False,
) -> OpenBackend:
    """The backend at an address; `region` is for a file and for an endpoint that names none.

    A data file that is not there is made, unless `create` is off. What has expired in it is deleted in the background,
    unless `sweeps` is off. With `throttling` it refuses what AWS would refuse.
    """
    place = fspath(address)
    if place.startswith("aws:"):
        return _aws(place)
    if place.startswith(("http://", "https://")):
        return _endpoint(place, region)
    if not place or _SCHEME.match(place):
        raise SettingsError(f"{place!r} is not a valid data location. Give {_FORMS}.")
    if not create and is_file(place) and not Path(place).exists():
        raise StoreError(
            f"Data file not found: {place}. Check the path; hansang tables create makes a new file."
        )
    from hansang.backends.embedded import Embedded

    return Embedded.open(place, durability=durability, region=region, sweeps=sweeps, throttling=throttling)


def is_file(address: str | PathLike[str]) -> bool:
    """Whether an address is that of a data file."""
    place = fspath(address)
    return bool(place) and place != ":memory:" and not place.startswith("aws:") and not _SCHEME.match(place)


def _aws(address: str) -> OpenBackend:
    # boto3 takes a while to import, and most addresses are files.
    from hansang.backends.aws import Aws

    parts = urlsplit(address)
    if parts.netloc or parts.fragment:
        raise SettingsError(f"{address!r} is not an AWS region. Give aws:REGION or aws:REGION?profile=NAME.")
    options = _options(address, parts, "profile")
    return Aws(_region(parts.path, address), profile=options.get("profile"))


def _endpoint(address: str, region: str) -> OpenBackend:
    from hansang.backends.aws import Aws

    parts = urlsplit(address)
    if not _has_host(parts) or parts.fragment:
        raise SettingsError(f"{address!r} is not a valid endpoint. Give http://HOST:PORT?region=REGION.")
    options = _options(address, parts, "region", "profile")
    return Aws(
        _region(options.get("region", region), address),
        profile=options.get("profile"),
        endpoint=parts._replace(query="").geturl(),
    )


def _has_host(parts: SplitResult) -> bool:
    try:
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _region(text: str, address: str) -> str | None:
    if not _REGION.fullmatch(text):
        raise SettingsError(
            f"{text!r} in {address!r} is not an AWS region. One is ap-northeast-2, for example."
        )
    return text or None


def _options(address: str, parts: SplitResult, *known: str) -> dict[str, str]:
    given = parse_qs(parts.query, keep_blank_values=True)
    strange = [
        name for name, values in given.items() if name not in known or len(values) > 1 or not values[0]
    ]
    if strange:
        raise SettingsError(
            f"{', '.join(strange)} in {address!r} is not known. Each of {', '.join(known)} may be given once."
        )
    return {name: values[0] for name, values in given.items()}
