"""Style sheets, scripts and pictures, served under a name that changes with their content."""

from __future__ import annotations

import gzip
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from hansang.surfaces.http.compression import accepts_gzip

FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
_FOR_A_FILE = {"Content-Security-Policy": "default-src 'none'", "Permissions-Policy": "camera=()"}
"""Of the headers of every answer, the long ones for a picture, which a browser may show alone."""
_FOR_EVER = "public, max-age=31536000, immutable"
_IMPORT = re.compile(r"""^(?:import|export)\b[^;]*?["'](\.{1,2}/[\w./-]+\.js)["']""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class File:
    """One file in memory, plain and compressed."""

    plain: bytes
    packed: bytes
    type: str
    imports: tuple[str, ...]


class Statics:
    """All files that pages load; together they have one version."""

    def __init__(self, folders: Mapping[str, Path] | None = None) -> None:
        """Those of the kit, and of each folder the ones that lie in it, as `news/news.css`."""
        names = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*")}
        for application, folder in (folders or {}).items():
            names |= {f"{application}/{path.name}": path for path in folder.iterdir()}
        names = {name: path for name, path in sorted(names.items()) if path.suffix in _TYPES}
        self.files = {name: _file(name, path) for name, path in names.items()}
        self.version = _version(self.files)

    def url(self, name: str) -> str:
        """The address of a file; a KeyError for one that is not there."""
        if name not in self.files:
            raise KeyError(f"There is no static file {name}.")
        return f"/static/{self.version}/{name}"

    def modules(self, name: str) -> list[str]:
        """The addresses of the modules that a script loads, so that a page can ask for them at once."""
        found: dict[str, None] = {}
        waiting = list(self.files[name].imports)
        while waiting:
            each = waiting.pop(0)
            if each not in found:
                found[each] = None
                waiting += self.files[each].imports
        return [self.url(each) for each in found]

    def answer(self, request: Request) -> Response:
        """The file that a request asks for."""
        file = self.files.get(request.path_params["name"])
        if file is None:
            return Response("Not found.", 404, media_type="text/plain")
        # During an update two versions run side by side: what has another version's name is not kept.
        is_current = request.path_params["version"] == self.version
        headers = {
            "Cache-Control": _FOR_EVER if is_current else "no-cache",
            "Content-Type": file.type,
            "Vary": "Accept-Encoding",
            **({} if file.type.startswith(("text/css", "text/javascript")) else _FOR_A_FILE),
        }
        if accepts_gzip(request.headers.get("accept-encoding", "")):
            return Response(file.packed, headers=headers | {"Content-Encoding": "gzip"})
        return Response(file.plain, headers=headers)

    def routes(self) -> list[BaseRoute]:
        """The one route under which the files are."""

        async def static(request: Request) -> Response:
            return self.answer(request)

        return [Route("/static/{version}/{name:path}", static, methods=["GET"])]


def _file(name: str, path: Path) -> File:
    return _packed(name, path.suffix, path.read_bytes())


@lru_cache(maxsize=256)
def _packed(name: str, suffix: str, plain: bytes) -> File:
    imported = _IMPORT.findall(plain.decode("utf-8")) if suffix == ".js" else []
    beside = tuple(posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in imported)
    return File(plain, gzip.compress(plain, 9, mtime=0), _TYPES[suffix], beside)


def _version(files: dict[str, File]) -> str:
    digest = sha256()
    for name, file in files.items():
        digest.update(f"{name}\0{len(file.plain)}\0".encode() + file.plain)
    return digest.hexdigest()[:12]
