"""The headers that every answer carries for the browser's sake."""

from __future__ import annotations

from collections.abc import Sequence

Header = tuple[bytes, bytes]

# Our pages load their own scripts, styles, pictures and answers, send forms to us, and nothing else.
_CONTENT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}


def content_policy(pictures_from: Sequence[str] = (), *, scripts: bool = True) -> str:
    """What a page may load: our own files, and pictures from these origins as well."""
    pictures = " ".join(("'self'", *pictures_from))
    said = _CONTENT | {"img-src": pictures} | ({} if scripts else {"script-src": "'none'"})
    return "; ".join(f"{name} {value}" for name, value in said.items())


_PERMISSIONS = ", ".join(
    f"{each}=()"
    for each in (
        "accelerometer",
        "browsing-topics",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "usb",
    )
)
_ALWAYS = {
    "content-security-policy": content_policy(),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": _PERMISSIONS,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_SECURE = {"strict-transport-security": "max-age=31536000"}


_OF_FILES = ("x-content-type-options", "cross-origin-resource-policy", "cache-control")
_FILES = (b"text/css", b"text/javascript")
"""What no browser shows as a page: a policy for pages says nothing of it, and a page has two dozen of them."""


class SecurityHeaders:
    """The headers, made once; what an answer says by itself is left as it says."""

    def __init__(self, *, is_secure: bool) -> None:
        said = _ALWAYS | (_SECURE if is_secure else {})
        self._lines: list[Header] = [(name.encode(), value.encode()) for name, value in said.items()]
        self._of_files = [line for line in self._lines if line[0].decode() in _OF_FILES]
        self._names = frozenset(name for name, _ in self._lines)

    def added(self, headers: Sequence[Header]) -> list[Header]:
        """The headers of an answer, with ours."""
        own = {name for name, _ in headers}
        if any(name == b"content-type" and value.startswith(_FILES) for name, value in headers):
            return [*headers, *(line for line in self._of_files if line[0] not in own)]
        if self._names.isdisjoint(own):
            return [*headers, *self._lines]
        return [*headers, *(line for line in self._lines if line[0] not in own)]
