"""Downloading a page within limits: few redirections, bounded bytes, and no address that is not public.

It is run in the sandbox, which ends what takes too long: a server that sends a byte a second, or a name that is never
found.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from math import ceil
from typing import NamedTuple
from urllib.parse import urljoin

import urllib3
from urllib3.exceptions import HTTPError
from urllib3.util import Timeout, Url, parse_url

import hansang
from hansang.apps.news.addresses import resolved
from hansang.errors import InvalidInput, Unavailable
from hansang.parts.retry import Sleep

LARGEST_PAGE = 20 * 1024 * 1024
MOST_REDIRECTS = 5
_CHUNK = 64 * 1024
_TIMES = Timeout(connect=10, read=30)
_PAUSES = (0.0, 0.5, 1.0, 2.0)
"""How long a server that is busy, or not there, is left alone before it is asked again."""
_LONGEST_PAUSE = 10.0
"""How long is waited at most when a server says when to come back; all tries fit into the time of a page."""
_BUSY = (429, 500, 502, 503, 504)
_LONGEST_NUMBER = 9
_MOVED = (301, 302, 303, 307, 308)
_GZIP = 31
"""What zlib calls gzip."""


class Answered(NamedTuple):
    """What a server has answered."""

    status: int
    content: bytes
    location: str
    wait: float = 0.0
    """For how many seconds the server asks to be left alone."""


def download(
    url: str, private: Sequence[str] = (), pauses: Sequence[float] = _PAUSES, sleep: Sleep = time.sleep
) -> tuple[bytes, str]:
    """What is at a URL, and the address that it came from in the end; `private` are networks that may be asked."""
    place = url
    for _ in range(MOST_REDIRECTS + 1):
        answer = _asked(place, private, pauses, sleep)
        if answer.status not in _MOVED or not answer.location:
            break
        place = urljoin(place, answer.location)
    else:
        raise Unavailable(
            "{url} redirects more than {most} times. Look at it in a browser.",
            code="news.page-redirects",
            values={"url": url, "most": MOST_REDIRECTS},
        )
    if answer.status != 200:
        raise Unavailable(
            "{url} answered {status}. Look at it in a browser, then try again.",
            code="news.page-refused",
            values={"url": place, "status": answer.status},
        )
    return answer.content, place


def _asked(url: str, private: Sequence[str], pauses: Sequence[float], sleep: Sleep) -> Answered:
    """The answer to a request, which is sent again while the server is busy or not there."""
    for pause in (*pauses, None):
        wait = 0.0
        try:
            answer = _answer(url, private)
        except (HTTPError, OSError, UnicodeError) as reason:
            if pause is None or isinstance(reason, ValueError):  # What is no address will never be one.
                raise Unavailable(
                    "{url} could not be read: {reason}. Try again later.",
                    code="news.page-unreachable",
                    values={"url": url, "reason": _plain(reason)},
                ) from reason
        else:
            if pause is None or answer.status not in _BUSY:
                return answer
            wait = answer.wait
            if wait > _LONGEST_PAUSE:
                raise Unavailable(
                    "{url} answered {status} and asks to be left alone for {seconds:,} seconds. Try again after that.",
                    code="news.page-wait",
                    values={"url": url, "status": answer.status, "seconds": ceil(wait)},
                )
        sleep(max(pause, wait))
    raise AssertionError("The last try returns or raises.")


def _plain(reason: Exception) -> str:
    """What went wrong, without the names of urllib3's own objects."""
    text = str(reason)
    return (text.partition("): ")[2] or text).rstrip(".")


def _answer(url: str, private: Sequence[str]) -> Answered:
    asked = parse_url(url)
    if asked.scheme not in ("http", "https") or not asked.host:
        raise InvalidInput(
            "{url} is not an address of the web.", code="news.no-web-address", values={"url": url[:200]}
        )
    port = asked.port or (443 if asked.scheme == "https" else 80)
    [address, *_] = resolved(asked.host.strip("[]"), port, private)
    with _pool(asked, address, port) as pool:
        response = pool.request(
            "GET",
            asked.request_uri,
            headers={
                "Host": asked.host if asked.port is None else f"{asked.host}:{asked.port}",
                "User-Agent": f"hansang/{hansang.__version__}",
                "Accept": "text/html, application/xml;q=0.9, */*;q=0.5",
                "Accept-Encoding": "gzip",
            },
            retries=False,
            redirect=False,
            preload_content=False,
            decode_content=False,
        )
        try:
            content = _content(response, url) if response.status == 200 else b""
            headers = response.headers
            return Answered(response.status, content, headers.get("Location", ""), _wait(headers))
        finally:
            response.close()


def _wait(headers: Mapping[str, str]) -> float:
    """What `Retry-After` asks for: a number of seconds, or a moment beside the server's own `Date`."""
    told = headers.get("Retry-After", "").strip()
    if told.isdecimal() and told.isascii():
        return float(told[:_LONGEST_NUMBER])
    try:
        pause = parsedate_to_datetime(told) - parsedate_to_datetime(headers.get("Date", ""))
    except (TypeError, ValueError):
        return 0.0
    return max(0.0, pause.total_seconds())


def _pool(asked: Url, address: str, port: int) -> urllib3.HTTPConnectionPool:
    """A connection to that very address, which has to prove the name that was asked for."""
    if asked.scheme == "http":
        return urllib3.HTTPConnectionPool(address, port, timeout=_TIMES)
    name = (asked.host or "").strip("[]")
    return urllib3.HTTPSConnectionPool(
        address, port, timeout=_TIMES, server_hostname=name, assert_hostname=name
    )


def _content(response: urllib3.BaseHTTPResponse, url: str) -> bytes:
    content = bytearray()
    for chunk in response.stream(_CHUNK, decode_content=False):
        content += chunk
        expect_page_size(len(content), url)
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return bytes(content)
    if encoding not in ("gzip", "x-gzip"):
        raise InvalidInput(
            "{url} is compressed in a form that was not asked for: {encoding}.",
            code="news.page-compressed",
            values={"url": url, "encoding": encoding[:100]},
        )
    try:
        found = zlib.decompressobj(_GZIP).decompress(content, LARGEST_PAGE + 1)
    except zlib.error as reason:
        raise HTTPError(f"The page is not compressed as it says: {reason}") from reason
    expect_page_size(len(found), url)
    return found


def expect_page_size(size: int, place: str) -> None:
    """Refuse what is too large for a list page."""
    if size > LARGEST_PAGE:
        raise InvalidInput(
            "{place} is larger than 20 MB, so it is not a list page.",
            code="news.large-page",
            values={"place": place},
        )
