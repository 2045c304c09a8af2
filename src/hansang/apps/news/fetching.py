"""Getting a list page: over the network, with limits, or from a file."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urljoin

import urllib3
from urllib3.exceptions import HTTPError, MaxRetryError
from urllib3.util import Retry, Timeout

import hansang
from hansang.apps.news.pages import Adapter, Listing, read_page
from hansang.errors import InvalidInput, Unavailable

_LARGEST_PAGE = 20 * 1024 * 1024
_CHUNK = 64 * 1024
_TIMES = Timeout(connect=10, read=30)
_AGAIN = Retry(total=4, redirect=5, backoff_factor=0.5, status_forcelist=(429, 500, 502, 503, 504))


def fetch(place: str, adapter: Adapter | None = None, address: str = "") -> Listing:
    """The links of a page or feed at a URL, or in a file that was saved from an address."""
    if place.startswith(("http://", "https://")):
        content, found = _downloaded(place)
        return read_page(content, address=address or found, adapter=adapter)
    return read_page(_saved(place), address=address, adapter=adapter)


def _saved(place: str) -> bytes:
    try:
        content = Path(place).read_bytes()
    except OSError as reason:
        raise InvalidInput(
            "{file} cannot be read: {reason}.",
            code="news.unreadable-file",
            values={"file": place, "reason": reason.strerror},
        ) from None
    _expect_page_size(len(content), place)
    return content


def _downloaded(url: str) -> tuple[bytes, str]:
    """What is there, and the address that it came from in the end."""
    headers = {
        "User-Agent": f"hansang/{hansang.__version__}",
        "Accept": "text/html, application/xml;q=0.9, */*;q=0.5",
    }
    with urllib3.PoolManager(headers=headers, timeout=_TIMES, retries=_AGAIN) as pool:
        try:
            response = pool.request("GET", url, preload_content=False)
            try:
                return _answered(response, url)
            finally:
                response.close()
        except HTTPError as reason:
            raise Unavailable(
                "{url} could not be read: {reason}. Try again later.",
                code="news.page-unreachable",
                values={"url": url, "reason": _plain(reason)},
            ) from reason


def _plain(reason: HTTPError) -> str:
    """What went wrong in the end, without the names of urllib3's own objects."""
    text = str(reason.reason if isinstance(reason, MaxRetryError) and reason.reason else reason)
    return (text.partition("): ")[2] or text).rstrip(".")


def _answered(response: urllib3.BaseHTTPResponse, url: str) -> tuple[bytes, str]:
    if response.status != 200:
        raise Unavailable(
            "{url} answered {status}. Look at it in a browser, then try again.",
            code="news.page-refused",
            values={"url": url, "status": response.status},
        )
    content = bytearray()
    for chunk in response.stream(_CHUNK):
        content += chunk
        _expect_page_size(len(content), url)
    return bytes(content), urljoin(url, response.geturl() or "")


def _expect_page_size(size: int, place: str) -> None:
    if size > _LARGEST_PAGE:
        raise InvalidInput(
            "{place} is larger than 20 MB, so it is not a list page.",
            code="news.large-page",
            values={"place": place},
        )
