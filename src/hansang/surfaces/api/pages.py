"""The pages of the reference: templates, words, and the files that they load."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from hansang.parts.words import Language, Words
from hansang.surfaces.http.cookies import LANGUAGE, THEME
from hansang.surfaces.http.languages import known, language
from hansang.surfaces.shell import Shell
from hansang.surfaces.wording import kit

FILES = "/api/docs/files"

_HERE = Path(__file__).parent
_THEMES = ("light", "dark")
_INDENT = re.compile(r"\n\s+(?=<)")
_OWN = ("platform", "general")
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class ReferenceSection:
    """A part of the reference: an application, the platform, or what is everyone's."""

    name: str
    title: str
    about: str
    count: int


class ReferencePages:
    """Renders pages in the language and the theme of whoever looks."""

    def __init__(self, shell: Shell) -> None:
        self._shell, self.files = shell, _files()
        self.counts: Mapping[str, int] = {}
        """How many operations each section has."""
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals["file"] = self._address

    def page(self, request: Request, template: str, *, here: str, **context: Any) -> Response:
        """A page; `here` is the place in the navigation."""
        spoken, theme = language(request), THEME.of(request) or ""
        body = self._templates.get_template(template).render(
            language=spoken,
            theme=theme if theme in _THEMES else "system",
            t=lambda key, **values: kit().text(key, spoken, **values),
            sections=self.sections(spoken),
            here=here,
            **context,
        )
        # Hundreds of operations are on one page, and half of what it weighs is how its template is indented.
        body = _INDENT.sub("\n", body)
        return self._kept(request, HTMLResponse(body, headers={"Content-Language": spoken}))

    def _kept(self, request: Request, response: Response) -> Response:
        """The response, with a language that was chosen in the address kept for the next page."""
        chosen = known(request.query_params.get("lang"))
        if chosen is not None:
            LANGUAGE.keep(response, self._shell.settings, chosen)
        return response

    def sections(self, spoken: Language) -> list[ReferenceSection]:
        """The parts of the reference that have something in them."""
        return [
            ReferenceSection(name, title.text(spoken), about.text(spoken), self.counts[name])
            for name, title, about in self._named()
            if name in self.counts
        ]

    def _named(self) -> list[tuple[str, Words, Words]]:
        applications = [(each.name, each.title, each.summary) for each in self._shell.applications]
        own = [(each, kit().words(f"docs.{each}"), kit().words(f"docs.{each}_about")) for each in _OWN]
        return [*applications, *own]

    def file(self, name: str) -> Response | None:
        """A file that pages load, or None; its address changes with its content."""
        if name not in self.files:
            return None
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(self.files[name], headers=headers, media_type=_TYPES[name.rpartition(".")[2]])

    def _address(self, name: str) -> str:
        return f"{FILES}/{name}?v={sha256(self.files[name]).hexdigest()[:12]}"


def _files() -> dict[str, bytes]:
    """The style sheet with the tokens of the console before it, the script, the icon."""
    shared, own = _HERE.parent / "console" / "static", _HERE / "static"
    return {
        "docs.css": (shared / "tokens.css").read_bytes() + b"\n" + (own / "docs.css").read_bytes(),
        "docs.js": (own / "docs.js").read_bytes(),
        "icon.svg": (shared / "icon.svg").read_bytes(),
    }
