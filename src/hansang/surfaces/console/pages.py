"""A visit to a page: who looks, in which language, at what; and the answers that a page can give."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from hansang.design import Unreadable
from hansang.errors import NotFound
from hansang.parts.history import Actor
from hansang.parts.permissions import Action, Principal, Role
from hansang.parts.themes import THEMES
from hansang.parts.words import Language
from hansang.surfaces.console import notices
from hansang.surfaces.console.formats import DEFAULT_ZONE, Formats
from hansang.surfaces.console.frame import navigation, role_name
from hansang.surfaces.console.notices import Notice, Undo
from hansang.surfaces.console.paging import pager_links
from hansang.surfaces.console.rendering import Console
from hansang.surfaces.http import cookies, request_ids
from hansang.surfaces.http.cookies import Cookie
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.principals import find_principal
from hansang.surfaces.identity import OpenSession, SignedInPerson
from hansang.surfaces.labels import Labels
from hansang.surfaces.naming import NamedItem, Naming
from hansang.surfaces.shell import Shell

_IN_PATHS = "/?&=%#:+,.;@!$'()*~-_"


@dataclass(frozen=True, slots=True)
class SentForm:
    """The form that a page was made of, for switches that have to send it again: its id, and where it goes."""

    form: str
    action: str


@dataclass(frozen=True, slots=True)
class Visit:
    """One request to the console, with everything that a page needs to answer it."""

    console: Console
    request: Request
    language: Language
    form: FormData
    person: SignedInPerson | None = None
    session: OpenSession | None = None
    principal: Principal | None = None
    public: str = ""
    """The application that everyone may read, if this page is one that it shows to everyone."""
    with_form: bool = False
    """Whether it is a page with a form that everyone may send."""

    @classmethod
    def of(cls, console: Console, request: Request, form: FormData) -> Visit:
        """The visit of whoever sent a request; it reads tables, so it is called in a thread."""
        principal = find_principal(console.shell, request)
        person: SignedInPerson | None = getattr(request.state, "person", None)
        session: OpenSession | None = getattr(request.state, "session", None)
        return cls(console, request, language(request), form, person, session, principal)

    def at_public(self, area: str, *, with_form: bool = False) -> Visit:
        """The same visit to a page that everyone may read; whoever has not signed in is nobody there, key or not."""
        principal = None if self.person is None else self.principal
        return replace(self, public=area, with_form=with_form, principal=principal)

    # ── what is known ─────────────────────────────────────────────────────────────────────────────

    @property
    def shell(self) -> Shell:
        return self.console.shell

    @property
    def is_guest(self) -> bool:
        """Whether nobody has signed in, on a page that everyone may read."""
        return bool(self.public) and self.person is None

    @property
    def me(self) -> SignedInPerson:
        """The person who looks; only on pages that nobody sees without signing in."""
        if self.person is None:
            raise NotFound("Nobody has signed in.", code="surfaces.not-signed-in")
        return self.person

    @property
    def asking(self) -> Principal:
        """The same one as the rules of rights know it."""
        if self.principal is None:
            raise NotFound("Nobody has signed in.", code="surfaces.not-signed-in")
        return self.principal

    @property
    def request_id(self) -> str | None:
        """The id of the request, for the history."""
        return request_ids.current.get()

    @property
    def actor(self) -> Actor:
        """Who changes something, as the history has it."""
        return Actor("person", self.me.name, self.me.shown_name)

    def actor_name(self, actor: Actor) -> str:
        """What people call whoever made a change; an operator is not mistaken for a person of the same name."""
        if actor.kind == "server":
            return self.t("changes.server")
        return self.t("changes.operator", name=actor.shown) if actor.kind == "operator" else actor.shown

    def may(self, area: str, action: Action) -> bool:
        """Whether whoever looks may do that there."""
        if area == self.public and action == "read":
            return True
        return self.principal is not None and self.principal.may(area, action)

    def role(self, area: str) -> Role | None:
        """What whoever looks is there."""
        return None if self.principal is None else self.principal.role(area)

    def param(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    def query(self, name: str, default: str = "") -> str:
        """A parameter behind the question mark."""
        return self.request.query_params.get(name, default)

    def given(self, name: str, default: str = "") -> str:
        """A field of the form that was sent, without the space around it."""
        value = self.form.get(name, default)
        return value.strip() if isinstance(value, str) else default

    def every(self, name: str) -> list[str]:
        """All values of a field that may come more than once."""
        return [each for each in self.form.getlist(name) if isinstance(each, str)]

    def t(self, key: str, **values: object) -> str:
        """Words of the console in the language of whoever looks."""
        return self.console.wording.text(key, self.language, **values)

    def labels(self, area: str) -> Labels:
        """What the kinds, fields and choices of an application are called in that language."""
        return Labels(self.console.wording, area, self.language)

    def worded(self, text: str, code: str | None, values: Mapping[str, object] | None = None) -> str:
        """What a code says in the language of whoever looks; without words for it, the text itself."""
        found = self.console.wording.said(code, self.language, values or {}) if code else None
        return found or text

    def named(self, found: Iterable[Unreadable]) -> list[NamedItem]:
        """Items that cannot be read, for the notice that a page gets as `unreadable`."""
        return self.naming.each(found)

    @property
    def naming(self) -> Naming:
        return Naming(self.shell, self.principal)

    @property
    def theme(self) -> str:
        preferred = self.person.theme if self.person is not None else None
        wanted = cookies.THEME.of(self.request) or preferred
        return wanted if wanted in THEMES else "system"

    @property
    def formats(self) -> Formats:
        return Formats(self.language, _zone(cookies.ZONE.of(self.request)), self.shell.clock())

    @property
    def page_path(self) -> str:
        """The address of this page; of a form that was sent, of the page that it is on."""
        path = self.request.url.path
        return self.console.places.nearest(path) if self.request.method == "POST" else path

    @property
    def here(self) -> str:
        """The page with its parameters, to come back to."""
        return self.page_path + self._parameters({}).removesuffix("?")

    def link(self, **changed: str | None) -> str:
        """This page with some parameters changed; None removes one."""
        path = self.page_path if self.request.method == "POST" else ""
        return path + self._parameters(changed)

    def _parameters(self, changed: Mapping[str, str | None]) -> str:
        own = self.request.query_params if self.page_path == self.request.url.path else {}
        kept = {**own, "lang": None, **changed}
        return f"?{urlencode({name: value for name, value in kept.items() if value is not None})}"

    # ── what can be answered ──────────────────────────────────────────────────────────────────────

    def page(self, template: str, status: int = 200, **context: Any) -> Response:
        """A page made of a template; what every page needs is there beside the context."""
        fresh = urlsafe_b64encode(self.console.random_bytes(24)).decode()
        form_cookie = cookies.FORM.of(self.request) or fresh
        is_bare = self.is_guest and not self.with_form
        frame = self._frame("" if is_bare else self.shell.identity.csrf(self.session or form_cookie))
        shown = self.console.render(template, self.language, frame | {"failed": status >= 400} | context)
        is_part = status == 200 and self.request.headers.get("x-part") == "main"
        response = self._part(shown) if is_part else HTMLResponse(shown, status)
        response.headers["Content-Language"] = self.language
        if self.session is None and not is_bare:
            self.keep(response, cookies.FORM, form_cookie)
        if frame["notice"] is not None:
            cookies.NOTICE.drop(response, self.shell.settings)
        if self.query("lang") == self.language:
            self.keep(response, cookies.LANGUAGE, self.language)
        return response

    def _part(self, shown: str) -> Response:
        """The main part of a page for a live one that asks for no more, if it is another one than it has."""
        main, age = _between(shown, "<main", "</main>"), _between(shown, '<div class="stale', "</div>")
        tag = f'"{sha256(main.encode()).hexdigest()[:20]}"'
        is_same = self.request.headers.get("if-none-match", "").removeprefix("W/") == tag
        headers = {"etag": tag, "vary": "X-Part"}
        return (
            Response(status_code=304, headers=headers)
            if is_same
            else HTMLResponse(main + age, headers=headers)
        )

    def go(
        self,
        to: str,
        said: str = "",
        link: tuple[str, str] | None = None,
        undo: Undo | None = None,
        **values: object,
    ) -> Response:
        """Lead on with a GET; the page there says the words `said`. A link is an address and the key of its words.

        What can be undone is undone from there with one click.
        """
        response = RedirectResponse(safe_path(to), 303)
        if said:
            href, label = link or ("", "")
            label = undo.key if undo is not None else label
            undoing = ("", {}) if undo is None else (undo.path, dict(undo.fields))
            notice = Notice(self.t(said, **values), href, self.t(label) if label else "", *undoing)
            self.keep(response, cookies.NOTICE, notice.packed())
        return response

    def keep(self, response: Response, cookie: Cookie, value: str) -> None:
        """Keep a value in the browser."""
        cookie.keep(response, self.shell.settings, value)

    def is_genuine(self) -> bool:
        """Whether the form that was sent is one of our own pages'."""
        bound_to = self.session or cookies.FORM.of(self.request)
        token = self.given("csrf") or self.request.headers.get("x-csrf-token", "")
        return bound_to is not None and self.shell.identity.check_csrf(bound_to, token)

    def _may_hear(self, topics: Iterable[str]) -> bool:
        """Whether a page follows its topics: a guest's only those that are for everyone."""
        return self.person is not None or all(map(self.shell.is_public_topic, topics))

    def _frame(self, csrf: str) -> dict[str, Any]:
        return {
            "theme": self.theme,
            "person": self.person,
            "role": "" if self.person is None else role_name(self, dict(self.person.roles)),
            "nav": None if self.person is None else navigation(self),
            "alone": self.person is None,
            "guest_of": self.public if self.person is None else "",
            "csrf": csrf,
            "notice": notices.unpacked(cookies.NOTICE.of(self.request)),
            "path": self.request.url.path,
            "here": self.here,
            "sent_form": None,
            "may": self.may,
            "actor_name": self.actor_name,
            "f": self.formats,
            "link": self.link,
            "paging": partial(pager_links, self),
            "unreadable": [],
            "live": [],
            "may_hear": self._may_hear,
            "command_key": "⌘" if "Mac" in self.request.headers.get("user-agent", "") else "Ctrl ",
        }


def _between(text: str, start: str, end: str) -> str:
    """The part of a page from where it starts to where it ends; empty if it is not there."""
    first = text.find(start)
    return "" if first < 0 else text[first : text.index(end, first) + len(end)]


def safe_path(to: str) -> str:
    """The path itself when it is one of this server, else the home page."""
    is_ours = to.startswith("/") and not to.startswith(("//", "/\\"))
    return quote(to, safe=_IN_PATHS) if is_ours else "/"


def _zone(name: str | None) -> ZoneInfo:
    try:
        return ZoneInfo(name or DEFAULT_ZONE)
    except (ValueError, OSError, KeyError):
        return ZoneInfo(DEFAULT_ZONE)
