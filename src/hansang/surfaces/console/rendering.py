"""What turns templates into pages: one Jinja environment a language, and the files beside them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hansang.parts.words import LANGUAGES, Language
from hansang.surfaces.console.frame import hue
from hansang.surfaces.console.i18n import Wording
from hansang.surfaces.console.icons import icon
from hansang.surfaces.console.sections import home_of
from hansang.surfaces.console.statics import Statics
from hansang.surfaces.shell import Shell

TEMPLATES = Path(__file__).parent / "templates"


class Rendering:
    """Templates with their words and their files; it knows nothing of what they show."""

    def __init__(self) -> None:
        self.wording = Wording.load()
        self.statics = Statics()
        loader = FileSystemLoader(TEMPLATES)
        self._environments = {each: self._environment(loader, each) for each in LANGUAGES}

    def render(self, template: str, language: Language, context: Mapping[str, Any]) -> str:
        """The text of a page."""
        return self._environments[language].get_template(template).render(context)

    def _environment(self, loader: FileSystemLoader, language: Language) -> Environment:
        environment = Environment(
            loader=loader,
            autoescape=True,
            auto_reload=False,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals |= {
            "t": partial(self._text, language),
            "language": language,
            "icon": icon,
            "hue": hue,
            "home_of": home_of,
            "static": self.statics.url,
            "script": self._script,
        }
        return environment

    def _text(self, language: Language, key: str, **values: object) -> str:
        return self.wording.text(key, language, **values)

    def _script(self, name: str) -> Markup:
        ahead = [
            Markup('<link rel="modulepreload" href="{}">').format(url) for url in self.statics.modules(name)
        ]
        tag = Markup('<script type="module" src="{}"></script>').format(self.statics.url(name))
        return Markup("\n  ").join([*ahead, tag])


class Console:
    """Everything that pages are made with; built once at start."""

    def __init__(
        self,
        shell: Shell,
        rendering: Rendering | None = None,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self.shell, self.random_bytes = shell, random_bytes
        self.rendering = rendering or Rendering()
        self.wording, self.statics = self.rendering.wording, self.rendering.statics

    def render(self, template: str, language: Language, context: Mapping[str, Any]) -> str:
        """The text of a page."""
        return self.rendering.render(template, language, context)
