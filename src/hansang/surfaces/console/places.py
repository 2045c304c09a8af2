"""Which addresses of the console can be opened: a form is sent to one that often cannot."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.routing import compile_path


class Places:
    """The addresses of all pages."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._pages = [compile_path(path)[0] for path in paths]

    def nearest(self, path: str) -> str:
        """The page at an address, else the next one above it: a form is sent below the page that it is on."""
        while path and not any(page.match(path) for page in self._pages):
            path = path.rpartition("/")[0]
        return path or "/"
