"""A browser without a screen: it keeps cookies, reads pages and sends their forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from html.parser import HTMLParser
from typing import Any

import httpx2
from lxml import html
from starlette.types import ASGIApp

from hansang.apps.platform.accounts import accounts_of
from hansang.surfaces.http.cookies import SESSION
from hansang.surfaces.shell import Shell
from tests.surfaces.asking import client_of
from tests.surfaces.shells import PASSWORD

_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

_AGENT = "Mozilla/5.0 Firefox/140.0"


class _Nesting(HTMLParser):
    """Whether everything in a page is closed, in its order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.faults += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """An element that closes itself leaves nothing open."""

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")


def _words(element: Any) -> Iterator[str]:
    """What is written in an element, in the order of the page."""
    if isinstance(element.tag, str) and element.tag not in ("script", "style"):
        yield element.text or ""
        for child in element:
            yield from _words(child)
            yield child.tail or ""


class Page:
    """One answer, with what its markup holds; most are read by nobody."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self.status = response.status_code
        self.text = response.text

    @cached_property
    def _elements(self) -> list[Any]:
        if not self.text.strip():
            return []
        return [each for each in html.document_fromstring(self.text).iter() if isinstance(each.tag, str)]

    @cached_property
    def tags(self) -> list[tuple[str, dict[str, str]]]:
        return [(each.tag, dict(each.attrib)) for each in self._elements]

    @property
    def faults(self) -> list[str]:
        return _Nesting(self.text).faults

    @cached_property
    def shown(self) -> str:
        """The words that a person reads, with single spaces."""
        return " ".join(" ".join(_words(self._elements[0])).split()) if self._elements else ""

    @property
    def location(self) -> str:
        return self.response.headers["location"]

    def all(self, tag: str, **attributes: str) -> list[dict[str, str]]:
        """The attributes of every element of this kind that has these values."""
        found = [own for name, own in self.tags if name == tag]
        return [own for own in found if all(own.get(key) == value for key, value in attributes.items())]

    def hidden(self, name: str) -> str:
        """What a form of the page remembers under a name; empty if it does not."""
        return next((own.get("value") or "" for own in self.all("input", type="hidden", name=name)), "")

    @property
    def links(self) -> list[str]:
        return [own["href"] or "" for own in self.all("a") if "href" in own]

    @property
    def actions(self) -> list[str]:
        """Where the forms of the page are sent."""
        return [own.get("action") or "" for own in self.all("form", method="post")]

    @property
    def csrf(self) -> str:
        return self.all("input", name="csrf")[0]["value"] or ""

    @property
    def doubled_ids(self) -> list[str]:
        counts = Counter(own["id"] for _, own in self.tags if own.get("id"))
        return [str(name) for name, count in counts.items() if count > 1]


class Browser:
    """Somebody at a browser."""

    def __init__(self, app: ASGIApp, language: str = "ko", *, raises: bool = True) -> None:
        headers = {
            "Accept-Language": language,
            "Accept": "text/html",
            "User-Agent": _AGENT,
        }
        self.client = client_of(app, headers, raises=raises)
        self.page: Page | None = None

    def get(self, path: str) -> Page:
        self.page = Page(self.client.get(path))
        return self.page

    def follow(self) -> Page:
        """Go where the last answer leads."""
        assert self.page is not None
        return self.get(self.page.location)

    def send(self, path: str, **fields: Any) -> Page:
        """Send a form with the token of the last page; a dot in a name is written as two underscores."""
        token = self.page.csrf if self.page is not None and self.page.all("input", name="csrf") else ""
        named = {name.replace("__", "."): value for name, value in fields.items()}
        self.page = Page(self.client.post(path, data={"csrf": token} | named))
        return self.page

    def enter(self, shell: Shell, name: str) -> Browser:
        """Be somebody who signed in before, which takes a fraction of the time."""
        accounts = accounts_of(shell.identity)
        cookie = accounts.sessions.start(accounts.people.get(name), "testclient", _AGENT)
        self.client.cookies.set(SESSION.name, cookie, domain="testserver.local", path="/")
        return self

    def sign_in(self, name: str, password: str = PASSWORD) -> Browser:
        self.get("/sign-in")
        answer = self.send("/sign-in", name=name, password=password)
        assert answer.status == 303, answer.shown
        return self
