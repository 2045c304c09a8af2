"""Getting a list page, over the network or from a file: downloaded and read in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hansang.apps.news.downloading import LARGEST_PAGE, download, expect_page_size
from hansang.apps.news.pages import Adapter, Listing, read_page
from hansang.apps.news.reasons import Reason
from hansang.errors import Exceeded, InvalidInput, Unavailable
from hansang.parts.sandbox import Sandbox, SandboxLimits

_READING = SandboxLimits(cpu_seconds=1, seconds=10, megabytes=768)
_DOWNLOADING = SandboxLimits(cpu_seconds=1, seconds=60, megabytes=768)
"""In all: every redirection, every retry, and reading what came."""


def fetch(
    place: str,
    sandbox: Sandbox,
    adapter: Adapter | None = None,
    address: str = "",
    private: Sequence[str] = (),
    limits: SandboxLimits = _DOWNLOADING,
) -> Listing:
    """The links of a page or feed at a URL, or in a file that was saved from an address.

    `private` are networks that may be asked although they are not public.
    """
    if not place.startswith(("http://", "https://")):
        return _listing(
            sandbox.run(saved_page, _saved(place), limits=_READING, address=address, adapter=adapter)
        )
    asked: dict[str, Any] = {"url": place, "address": address, "adapter": adapter, "private": list(private)}
    try:
        return _listing(sandbox.run(downloaded_page, limits=limits, **asked))
    except Exceeded as reason:
        raise Unavailable(
            "{url} could not be read within {seconds} seconds and {megabytes} MB. Look at it in a browser.",
            code="news.page-exceeded",
            values={"url": place, "seconds": limits.seconds, "megabytes": limits.megabytes},
        ) from reason


def _saved(place: str) -> bytes:
    try:
        with Path(place).open("rb") as file:
            content = file.read(LARGEST_PAGE + 1)
    except OSError as reason:
        raise InvalidInput(
            "{file} cannot be read: {reason}.",
            code="news.unreadable-file",
            values={"file": place, "reason": reason.strerror},
        ) from None
    expect_page_size(len(content), place)
    return content


def _listing(told: dict[str, Any]) -> Listing:
    return Listing(told["adapter"], told["links"], [Reason(**each) for each in told["alarms"]])


# ── in the sandbox ────────────────────────────────────────────────────────────────────────────────


def saved_page(content: bytes, address: str, adapter: Adapter | None) -> dict[str, Any]:
    """The links of a page."""
    found = read_page(content, address=address, adapter=adapter)
    alarms = [{"text": each.text, "code": each.code, "values": each.values} for each in found.alarms]
    return {"adapter": found.adapter, "links": found.links, "alarms": alarms}


def downloaded_page(
    content: bytes, url: str, address: str, adapter: Adapter | None, private: list[str]
) -> dict[str, Any]:
    """The links of a page at a URL."""
    found, place = download(url, private)
    return saved_page(found, address or place, adapter)
