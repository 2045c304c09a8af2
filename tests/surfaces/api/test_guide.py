"""The page about the API: its examples run as they stand, and its table has every code."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from string import Template
from typing import Any

import pytest
from fastapi import FastAPI
from httpx2 import Response

from hansang.apps.samples import fill
from hansang.parts.timestamps import to_datetime
from hansang.surfaces.api.problems import kinds
from hansang.surfaces.shell import Shell
from tests.documents import ROOT
from tests.surfaces.api.callers import ADDRESS, Caller
from tests.surfaces.shells import SetClock, new_key

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(curl .*?)\s+# (\d{3})$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `([a-z-]+)` \| (\d{3}) \| (.+) \|$", re.MULTILINE)
OPTIONS = {"-H": "header", "-d": "body", "-X": "method"}


@dataclass
class Reader:
    """Someone who tries the examples in their order, and keeps what later ones need."""

    app: FastAPI
    names: dict[str, str] = field(default_factory=dict)

    def run(self, command: str) -> Response:
        """Send what curl would send."""
        words = shlex.split(Template(command.replace("\\\n", " ")).substitute(_quoted(self.names)))
        url, given = words[1], iter(words[2:])
        if url in OPTIONS:
            given = iter([url, words[2], *words[4:]])
            url = words[3]
        options = [(OPTIONS[name], value) for name, value in zip(given, given, strict=True)]
        answer = self._send(url, options)
        self._keep(answer)
        return answer

    def _send(self, url: str, options: list[tuple[str, str]]) -> Response:
        headers = dict(value.split(": ", 1) for name, value in options if name == "header")
        body = next((value for name, value in options if name == "body"), None)
        method = next(
            (value for name, value in options if name == "method"), "GET" if body is None else "POST"
        )
        content: dict[str, Any] = {} if body is None else {"content": body.encode()}
        return Caller(self.app).send(method, url.removeprefix(ADDRESS), headers=headers, **content)

    def _keep(self, answer: Response) -> None:
        is_json = answer.headers.get("content-type") == "application/json"
        cursor = answer.json().get("cursor") if is_json else None
        found = {
            "ETAG": answer.headers.get("etag"),
            "CHANGE": answer.headers.get("x-change-id"),
            "CURSOR": cursor,
        }
        self.names |= {name: value for name, value in found.items() if value}


def _quoted(names: dict[str, str]) -> dict[str, str]:
    """Values as they stand between the quotation marks of a shell."""
    return {name: value.replace('"', '\\"') for name, value in names.items()}


def examples() -> Iterator[tuple[str, int]]:
    for block in BLOCK.findall(PAGE):
        yield from ((command, int(status)) for command, status in COMMAND.findall(block))


@pytest.mark.parametrize("served", [("codex", "news", "assets")])
def test_every_example_is_answered_as_the_page_says(api: FastAPI, shell: Shell, clock: SetClock) -> None:
    fill(shell.database, shell.application("codex"), to_datetime(int(clock())), lambda _: None)
    reader = Reader(api, {"API": f"{ADDRESS}/api", "KEY": new_key(shell, "codex:write", "news:write")})
    told = []
    for command, status in examples():
        clock.advance(1)
        told.append((command, status, reader.run(command).status_code))
    assert [each for each in told if each[1] != each[2]] == []
    assert len(told) == PAGE.count("\ncurl ") >= 20


def test_the_table_has_every_problem_with_its_status() -> None:
    rows = {code: int(status) for code, status, _ in ROW.findall(PAGE)}
    assert rows == {code: kind.status for code, kind in kinds().items()}


def test_the_table_says_what_the_api_says() -> None:
    for code, _, said in ROW.findall(PAGE):
        assert said == f"{kinds()[code].title.en}. {kinds()[code].remedy.en}"
