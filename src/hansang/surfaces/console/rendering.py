"""What turns templates into pages: one Jinja environment a language, and the files beside them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from jinja2.bccache import Bucket, BytecodeCache
from markupsafe import Markup

from hansang.apps.application import Application
from hansang.blueprint.explorer.counting import KindCounting
from hansang.parts.words import LANGUAGES, Language
from hansang.surfaces.console.form_texts import grouped, pairs
from hansang.surfaces.console.frame import hue
from hansang.surfaces.console.icons import icon
from hansang.surfaces.console.places import Places
from hansang.surfaces.console.plugged import Plugged
from hansang.surfaces.console.statics import Statics
from hansang.surfaces.console.today import TodayBoard
from hansang.surfaces.http.export_formats import FORMATS
from hansang.surfaces.http.live import Streams
from hansang.surfaces.shell import Shell
from hansang.surfaces.wording import Wording

TEMPLATES = Path(__file__).parent / "templates"


class _Compiled(BytecodeCache):
    """Templates that this process has compiled, which the languages share."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._code[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _Compiled()


class Rendering:
    """Templates with their words and their files, the kit's and those of applications.

    It knows nothing of what they show.
    """

    def __init__(self, applications: Iterable[Application]) -> None:
        applications = tuple(applications)
        self.plugged = Plugged(applications)
        self.wording = Wording.load(applications)
        self.statics = Statics(self.plugged.folders)
        theirs = {name: FileSystemLoader(each) for name, each in self.plugged.templates.items()}
        loader = ChoiceLoader([FileSystemLoader(TEMPLATES), PrefixLoader(theirs)])
        self._environments = {each: self._environment(loader, each) for each in LANGUAGES}

    def render(self, template: str, language: Language, context: Mapping[str, Any]) -> str:
        """The text of a page."""
        return self._environments[language].get_template(template).render(context)

    def _environment(self, loader: BaseLoader, language: Language) -> Environment:
        environment = Environment(
            loader=loader,
            autoescape=True,
            auto_reload=False,
            undefined=StrictUndefined,
            bytecode_cache=_COMPILED,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals |= {
            "t": partial(self._text, language),
            "language": language,
            "icon": icon,
            "hue": hue,
            "grouped": grouped,
            "pairs": pairs,
            "export_formats": FORMATS.values(),
            "home_of": self.plugged.home_of,
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
        streams: Streams | None = None,
    ) -> None:
        self.shell, self.random_bytes = shell, random_bytes
        self.streams = streams or Streams(shell.topics)
        self.rendering = rendering or Rendering(shell.plugged)
        self.wording, self.statics = self.rendering.wording, self.rendering.statics
        self.plugged = self.rendering.plugged
        self.places = Places()
        """Filled when the routes are made."""
        self.today = TodayBoard(shell)
        self.counting = KindCounting(shell.database, shell.clock)

    def render(self, template: str, language: Language, context: Mapping[str, Any]) -> str:
        """The text of a page."""
        return self.rendering.render(template, language, context)
