"""Tables by region: a request reaches those of the region that its credentials are scoped to.

The data file is that of the endpoint's own region. Each other region has a file of its own beside it, which is made
when the first table is created there. A name that is no region of AWS, such as `local`, means the endpoint's own.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.errors import WireError
from hansang.surfaces.wire.messages import WireRequest

_MEMORY = ":memory:"
_REGION = re.compile(r"(?:af|ap|ca|cn|eu|il|me|mx|sa|us)-[a-z-]{4,20}-[0-9]{1,2}")
_MOST = 40
"""AWS has fewer; each one that is asked for is kept open."""
_MAKING = frozenset({"CreateTable", "ImportTable"})
"""What makes a table in a region that has none."""


def region_of(request: WireRequest) -> str | None:
    """The region that a request is signed for; None when it names none of AWS."""
    claimed = request.headers.get("authorization") or unquote(request.query)
    _, _, scope = claimed.partition("Credential=")
    return _region_in(scope.partition(",")[0])


@lru_cache(maxsize=256)
def _region_in(scope: str) -> str | None:
    parts = scope.split("/", 3)
    return parts[2] if len(parts) > 3 and _REGION.fullmatch(parts[2]) else None


class Regions:
    """The backends of all regions, opened as they are needed."""

    def __init__(self, home: Backend, region: str, data: str, opened: Callable[[str, str], Embedded]) -> None:
        """`opened` opens a place, with the name of its region."""
        self._home, self._region, self._data, self._opened = home, region, data, opened
        self._others: dict[str, Embedded] = {}
        self._empty: dict[str, Embedded] = {}
        self._door = threading.Lock()

    def is_home(self, region: str | None) -> bool:
        """Whether a request that is signed for this region is one of the endpoint's own."""
        return region is None or region == self._region

    def backend(self, region: str | None, operation: str) -> Backend:
        """What answers a request that is signed for a region."""
        if region is None or region == self._region:
            return self._home
        found = self._others.get(region)
        return found if found is not None else self._other(region, operation)

    def _other(self, region: str, operation: str) -> Backend:
        place = self._place(region)
        with self._door:
            if region in self._others:
                return self._others[region]
            if region not in self._empty and len(self._others) + len(self._empty) >= _MOST:
                raise WireError("ValidationException", f"At most {_MOST} regions are served at a time.")
            if place == _MEMORY or operation in _MAKING or Path(place).exists():
                self._others[region] = self._opened(place, region)
                return self._others[region]
            if region not in self._empty:
                self._empty[region] = self._opened(_MEMORY, region)
            return self._empty[region]

    def _place(self, region: str) -> str:
        if self._data == _MEMORY:
            return _MEMORY
        path = Path(self._data)
        return str(path.with_name(f"{path.stem}.{region}{path.suffix}"))

    def close(self) -> None:
        with self._door:
            for backend in [*self._others.values(), *self._empty.values()]:
                backend.close()
