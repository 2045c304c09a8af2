"""A walk over everything that the product answers: every GET route of the API and of the console, and every link."""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import product as combinations
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from fastapi import FastAPI
from starlette.routing import BaseRoute

from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.apps.rankings.design import BOARDS
from hansang.design import Database, Entity, Table
from hansang.design.query import patterns
from hansang.design.requests import shape_of
from hansang.design.seen import entity_of
from hansang.surfaces.addresses import item_path, table_path
from hansang.surfaces.api.routes import Routes
from hansang.surfaces.application_settings import copied_databases
from hansang.surfaces.console.app import PAGES
from hansang.surfaces.console.plugged import Plugged
from hansang.surfaces.http.frame import Frame
from hansang.surfaces.shell import Shell
from tests.surfaces.console.browsers import Browser

_MOST = 3_000
_ALIKE = 3
"""How many links of one form are followed."""
_WHOLE_PATHS = ("/api/codex/", "/api/platform/")
_OF_A_KIND = 2
"""How many items of a kind are taken for what can stand in the places of a path."""
_WHOLE = "codex"
"""The application whose every item is looked at, since most of what is hidden is there."""
_VALUES = re.compile(r"[^/]*[0-9#][^/]*")
_PLACE = re.compile(r"\{(\w+)(?::\w+)?\}")
_PACKED = re.compile(r"[A-Za-z0-9_-]{16,}")
_LINK = re.compile(r'<a [^>]*?href="(/[^/"][^"]*)"')
_READ_PAGES = ("item", "raw")
_ITEM_PAGES = (*_READ_PAGES, "edit", "repair")
_LEFT_ALONE = ("lang", "theme", "per_day", "region")


@dataclass(frozen=True)
class Reply:
    """One answer: where it was asked for, and all that it says, in its headers too."""

    address: str
    status: int
    said: str

    def tells(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts is in it, also where it is packed, as in a cursor."""
        return any(text in self.said or text in self._packed for text in texts)

    @cached_property
    def _packed(self) -> str:
        return "".join(map(_unpacked, _PACKED.findall(self.said)))


def _unpacked(text: str) -> str:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode(errors="ignore")
    except binascii.Error:
        return ""


class Walk:
    """Everything that somebody is answered who asks for all that there is."""

    def __init__(self, frame: Frame, shell: Shell, browser: Browser) -> None:
        self._frame, self._shell, self._browser = frame, shell, browser
        self._followed: Counter[tuple[str, ...]] = Counter()

    def replies(self, *within: str) -> list[Reply]:
        """The answers, of addresses that the routes have and that pages lead to; of those with one of these texts."""
        waiting = deque[str]()
        met: set[str] = set()
        found: list[Reply] = []

        def add(addresses: Iterable[str]) -> None:
            wanted = (each for each in dict.fromkeys(addresses) if not within or any(map(each.count, within)))
            new = [each for each in wanted if each not in met]
            met.update(new)
            waiting.extend(new)

        add([*self.api_addresses, *self.page_addresses()])
        while waiting:
            found.append(self.ask(waiting.popleft()))
            assert len(found) < _MOST, "The walk does not end."
            add(each for each in _links(found[-1].said) if self._is_followed(each))
        return found

    def _is_followed(self, link: str) -> bool:
        """Whether a link leads to something new: a calendar has pages without end, all of them alike."""
        parts = urlsplit(link)
        kind = (_VALUES.sub("*", unquote(parts.path)), *sorted(name for name, _ in parse_qsl(parts.query)))
        self._followed[kind] += 1
        return self._followed[kind] <= _ALIKE

    def ask(self, address: str) -> Reply:
        answer = self._browser.client.get(address)
        headers = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        return Reply(address, answer.status_code, f"{headers}\n\n{answer.text}")

    # ── addresses ─────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def api_addresses(self) -> list[str]:
        """Every GET of the OpenAPI document with its examples; where most is hidden, in every format."""
        return list(self._api_addresses())

    def _api_addresses(self) -> Iterator[str]:
        for path, operations in self._document()["paths"].items():
            if "get" not in operations:
                continue
            asked = [each for each in operations["get"].get("parameters", ()) if each["in"] == "query"]
            given = {each["name"]: str(_example(each)) for each in asked if _example(each) is not None}
            variants = _variants(asked) if path.startswith(_WHOLE_PATHS) else [{}]
            for filled, variant in combinations(self._filled(path), variants):
                query = urlencode(given | variant)
                yield f"{filled}?{query}" if query else filled

    def page_addresses(self) -> Iterator[str]:
        """Every page of the console, of every item that is stored and every question with its examples."""
        for page in pages():
            if page.method == "GET":
                yield from self._filled(page.path)
        for application in self._shell.applications:
            yield from self._table_addresses(application, self._shell.database)
            chosen = self._shell.chosen.get(application.name)
            for copy, database in copied_databases(application, self._shell.database, chosen).items():
                yield from self._table_addresses(application, database, copy)
        yield from (_as_page(each) for each in self.api_addresses if "/patterns/" in each)

    def _table_addresses(self, application: Application, database: Database, copy: str = "") -> Iterator[str]:
        """The pages of the tables of an application, or of a further copy of them, and of their items."""
        for table in application.tables:
            items = self._items(table, database)
            opened = items if application.name == _WHOLE else items[:1]
            for item, verb in combinations(opened, _READ_PAGES if copy else _ITEM_PAGES):
                yield item_path(application, table, item, verb, copy)
            for shown in ("items", "entities"):
                yield from (
                    f"{table_path(application, table, copy)}?as={shown}&index={name}&limit=100"
                    for name in ("", *(index.name for index in table.indexes))
                )

    def _filled(self, path: str) -> Iterator[str]:
        """A path with everything that could stand in its places."""
        names = _PLACE.findall(path)
        if "app" not in names:
            yield from self._placed(path, {name: self._candidates.get(name, []) for name in names})
            return
        for each in self._shell.applications:
            shapes = [shape for table in each.tables for shape in (*table.shapes, *table.views)]
            known = {
                "app": [each.name],
                "table": [table.name for table in each.tables],
                "kind": [*each.entities],
                "label": [f"{one.cls.__name__}.{two.label}" for one in shapes for two in patterns(one.cls)],
            }
            yield from self._placed(path, {name: known.get(name, []) for name in names})

    def _placed(self, path: str, given: Mapping[str, list[str]]) -> Iterator[str]:
        for values in combinations(*given.values()):
            texts = dict(zip(given, values, strict=True))
            yield _PLACE.sub(lambda found, texts=texts: quote(texts[found[1]]), path)  # type: ignore[misc]

    @cached_property
    def _candidates(self) -> dict[str, list[str]]:
        """What can stand in a place of a path: whatever stored keys have under that name."""
        found: dict[str, list[str]] = {
            "section": ["codex", "platform"],
            "code": ["not-found"],
            "page": ["4-codex"],
            "name": [*self._shell.jobs.jobs],
        }
        for table in (table for each in self._shell.plugged for table in each.tables):
            taken: Counter[type[Entity]] = Counter()
            for entity in (entity_of(table, item) for item in self._items(table)):
                if not isinstance(entity, Entity) or taken[type(entity)] == _OF_A_KIND:
                    continue
                taken[type(entity)] += 1
                for name in shape_of(entity).key_fields:
                    found.setdefault(name, []).append(str(getattr(entity, name)))
        found["run"] = found["id"]
        found["ym"] = found["month"] = found["year_month"]
        found["year"] = [each[:4] for each in found["ym"]]
        found["board"], found["week"] = [*BOARDS], ["current"]
        found["type"] = ["NAME", "ContactInquiry", "User", "Post"]
        found.setdefault("date", found.get("day", []))
        return {name: list(dict.fromkeys(texts)) for name, texts in found.items()}

    def _items(self, table: type[Table], database: Database | None = None) -> list[Any]:
        name = (database or self._shell.database).name(table)
        found: list[Any] = self._shell.database.call("Scan", {"TableName": name}, "")["Items"]
        return found

    def _document(self) -> dict[str, Any]:
        found: dict[str, Any] = self._browser.client.get("/api/openapi.json").json()
        return found


def pages() -> list[Any]:
    """Every page of the console, of the kit and of the applications."""
    plugged = Plugged([PLATFORM, *APPLICATIONS]).pages.values()
    return [*PAGES, *(page for each in plugged for page in each.routes)]


def get_routes(frame: Frame) -> Iterator[Any]:
    """Every route of the product that answers to GET."""
    assert isinstance(frame._app, FastAPI)
    for each in _flat(frame._app.routes):
        if "GET" in (getattr(each, "methods", None) or ()):
            yield each


def _flat(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    for each in routes:
        yield from each.routes if isinstance(each, Routes) else [each]


def _example(parameter: Mapping[str, Any]) -> Any:
    return next(iter(parameter["schema"].get("examples", ())), None)


def _variants(parameters: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The same question in every format, and for a page of one item, which has a cursor."""
    schemas = {each["name"]: each["schema"] for each in parameters}
    formats = [{"format": str(each)} for each in schemas.get("format", {}).get("enum", ())]
    return [{}, *formats, *([{"limit": "1"}] if "limit" in schemas else [])]


def _as_page(address: str) -> str:
    """The page of the console for a question of the API."""
    parts = urlsplit(address)
    _, _, app, _, label = parts.path.split("/")
    given = [each for each in parts.query.split("&") if each and not each.startswith(("format=", "limit="))]
    return f"/data/{app}/patterns/{label}?{'&'.join(f'arg-{each}' for each in given)}"


def _links(said: str) -> list[str]:
    """Where a page leads, without the links that change its language and such."""
    found = _LINK.findall(said) if "content-type: text/html" in said else ()
    links = [unescape(each).partition("#")[0] for each in found]
    return [each for each in links if not any(f"{name}=" in each for name in _LEFT_ALONE)]
