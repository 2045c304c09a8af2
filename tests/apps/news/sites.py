"""A small site with list pages and feeds, for what fetches them."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import unquote

STORY = """<li class="stream-item"><section>
<a href="/news/story-{0:09d}.html"><h3>Headline <b>{0}</b>
 &amp; more</h3></a><p>text</p>
<a href="/quote/NVDA/">NVIDIA</a> <a href="/quote/%5EGSPC?p=1">S&amp;P</a><a href="/quote/NVDA">again</a>
</section></li>"""


def page(count: int) -> str:
    stories = "".join(STORY.format(number) for number in range(count))
    return (
        f"<!DOCTYPE html><html><body><nav><li><a href='/'>Home</a></li></nav><ul>{stories}</ul></body></html>"
    )


RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>
<item><title>One &amp; two</title><link>https://a.example/1</link><category domain="ticker">NVDA</category>
<category>Tech</category></item>
<item><title><![CDATA[Three <b>]]></title><link>https://a.example/2</link></item></channel></rss>"""


MOVED = {
    "/moved": "/section/latest",
    "/round": "/round",
    "/to-private": "http://10.1.2.3/latest",
    "/to-file": "file:///etc/hosts",
}
PACKED = {
    "/gzip": ("gzip", gzip.compress(page(5).encode())),
    "/bomb": ("gzip", gzip.compress(bytes(25_000_000), 1)),
    "/layers": ("gzip, gzip", gzip.compress(gzip.compress(page(5).encode()))),
    "/not-gzip": ("gzip", b"not compressed"),
}


class Site(BaseHTTPRequestHandler):
    """A small site: a page, a feed, one that moved, one that is busy at first, one that is gone."""

    tries = 0
    hosts: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        Site.hosts.append(self.headers["Host"])
        if self.path in MOVED:
            self._answer(302, b"", {"Location": MOVED[self.path]})
        elif self.path in PACKED:
            encoding, content = PACKED[self.path]
            self._answer(200, content, {"Content-Encoding": encoding})
        elif self.path in ("/drip", "/drip-head"):
            self._drip()
        elif self.path == "/busy":
            Site.tries += 1
            self._answer(200 if Site.tries > 1 else 503, page(5).encode())
        elif self.path.startswith("/wait"):
            self._answer_later()
        elif self.path == "/huge":
            self._answer(200, b"<html>" + b" " * (21 * 1024 * 1024))
        else:
            known = {"/section/latest": page(5), "/feed": RSS, "/empty": page(0)}
            self._answer(200 if self.path in known else 404, known.get(self.path, "gone").encode())

    def _answer_later(self) -> None:
        """Once 429, with the Retry-After that the path asks for, then a page."""
        Site.tries += 1
        told = unquote(self.path.partition("?")[2])
        self._answer(200 if Site.tries > 1 else 429, page(5).encode(), {"Retry-After": told})

    def _drip(self) -> None:
        """Send a byte now and then, without end, until nobody listens."""
        head = b"HTTP/1.1 200 OK\r\nX: " if self.path == "/drip-head" else b"HTTP/1.1 200 OK\r\n\r\n"
        with suppress(OSError):
            self.wfile.write(head)
            while True:
                self.wfile.write(b" ")
                time.sleep(0.05)

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own word
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """The address of the site."""
    Site.tries = 0
    Site.hosts.clear()
    with answering(Site) as address:
        yield address


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server whose requests are answered so."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
