"""The tools for agents, used by the official client over HTTP and over stdio."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from httpx2 import ASGITransport, AsyncClient
from starlette.exceptions import HTTPException

from hansang.apps.codex.agent_calls import AgentCalls
from hansang.apps.codex.api.agents import AgentRoutes
from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.design import Category, ContactInquiry
from hansang.apps.codex.entities import Desk
from hansang.apps.codex.registry import REGISTRY
from hansang.surfaces.api.routes import Routes, http_problem
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell
from tests.apps.codex.site import category, inquiry, user
from tests.clauses import clause
from tests.surfaces.shells import SetClock, new_key, opened

URL = "http://hansang.test/api/codex/mcp"


@pytest.fixture
def shell() -> Iterator[Shell]:
    with opened(SetClock(), applications=(APPLICATION,)) as found:
        found.database.batch_write([category(), user(), inquiry()])
        yield found


class Agent:
    """The official client with a key, one conversation at a time."""

    def __init__(self, shell: Shell, *scopes: str) -> None:
        app = FastAPI(exception_handlers={HTTPException: http_problem})
        app.router.routes.append(Routes(AgentRoutes(shell, Gate(shell)).all()))
        self._app, self._key = app, new_key(shell, *scopes)

    def do(self, *calls: tuple[str, dict[str, Any]]) -> tuple[list[str], list[Any]]:
        """The tools that there are, and what the calls lead to."""
        return asyncio.run(self._do(calls))

    async def _do(self, calls: Any) -> tuple[list[str], list[Any]]:
        # Every process of a run reads this file, and importing mcp takes longer than most tests.
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        headers = {"Authorization": f"Bearer {self._key}"}
        async with (
            AsyncClient(transport=ASGITransport(self._app), headers=headers) as http,
            Client(streamable_http_client(URL, http_client=http)) as client,
        ):
            names = [each.name for each in (await client.list_tools()).tools]
            return names, [await client.call_tool(name, given) for name, given in calls]

    def call(self, name: str, **given: Any) -> dict[str, Any]:
        _, [found] = self.do((name, given))
        assert found.structured_content is not None
        return dict(found.structured_content) | {"is_error": found.is_error}


@clause("4-38", "4-39")
def test_every_type_of_the_registry_is_a_set_of_tools(shell: Shell) -> None:
    names, _ = Agent(shell, "codex:admin").do()
    for verb in ("get", "create", "replace"):
        assert {
            f"{verb}_{word}"
            for word in ("user", "category", "post", "banner", "corp_info", "contact_inquiry")
        } <= {*names}
    assert len(list(REGISTRY)) == 6
    assert {"search", "create_draft", "publish_draft"} <= {*names}


@clause("4-38")
def test_a_dry_run_writes_nothing_and_costs_what_it_says(shell: Shell) -> None:
    agent = Agent(shell, "codex:write")
    item = {"title": "에이전트", "desc": "x" * 1500}
    tried = agent.call("create_category", item=item)
    assert (tried["dry_run"], len(shell.database.all(Category.latest()))) == (True, 1)
    done = agent.call("create_category", item=item, dry_run=False)
    assert len(shell.database.all(Category.latest())) == 2
    assert tried["units"]["write"] == pytest.approx(done["units"]["write"], abs=1)
    assert agent.call("get_category", id=done["item"]["id"])["item"] == done["item"]


@clause("4-38", "X4-34")
def test_a_change_needs_the_tag_that_was_read(shell: Shell) -> None:
    agent = Agent(shell, "codex:write")
    read = agent.call("get_category", id="c001")
    item = {"title": "새 이름", "desc": ""}
    assert (
        agent.call("replace_category", id="c001", item=item, tag="old")["code"] == "codex.changed-meanwhile"
    )
    assert agent.call("replace_category", id="c001", item=item)["code"] == "codex.tool-arguments"
    saved = agent.call("replace_category", id="c001", item=item, tag=read["tag"], dry_run=False)
    assert (saved["item"]["title"], saved["is_error"]) == ("새 이름", False)
    wrong = agent.call(
        "create_post", item={"categoryId": "c009", "authorId": "u001", "title": "t", "contents": ""}
    )
    assert (wrong["is_error"], wrong["code"]) == (True, "codex.no-reference")


@clause("4-38", "X4-29")
def test_tools_and_answers_are_those_of_the_callers_scopes(shell: Shell) -> None:
    names, [refused, hidden] = Agent(shell, "codex:read").do(
        ("create_category", {"item": {}}), ("list_contact_inquiry", {})
    )
    assert not [each for each in names if each.startswith(("create", "replace", "delete"))]
    assert not [each for each in names if "inquiry" in each]
    assert (refused.is_error, hidden.is_error) == (True, True)
    assert shell.database.all(ContactInquiry.latest())[0].name not in str(hidden)


def test_over_stdio_the_same_tools_are_there(tmp_path: Path) -> None:
    from mcp import Client, StdioServerParameters

    async def talk() -> tuple[list[str], Any]:
        command = ["-m", "hansang", "codex", "mcp", "--data", str(tmp_path / "site.db")]
        server = StdioServerParameters(
            command=sys.executable, args=command, env={"PYTHONPATH": ":".join(sys.path)}
        )
        async with Client(server) as client:
            names = [each.name for each in (await client.list_tools()).tools]
            made = await client.call_tool(
                "create_category", {"item": {"title": "t", "desc": ""}, "dry_run": False}
            )
            return names, made

    names, made = asyncio.run(asyncio.wait_for(talk(), 60))
    assert "create_category" in names
    assert made.structured_content["item"]["title"] == "t"


def test_every_call_is_written_down_without_contents(shell: Shell) -> None:
    agent = Agent(shell, "codex:write")
    agent.do(
        ("get_category", {"id": "c001"}),
        ("create_category", {"item": {"title": "비밀 계획", "desc": ""}}),
        ("create_category", {"item": {"title": "비밀 계획", "desc": ""}, "dry_run": False}),
        (
            "replace_category",
            {"id": "c001", "item": {"title": "x", "desc": ""}, "tag": "old", "dry_run": False},
        ),
        ("list_contact_inquiry", {}),
        ("no_such_tool", {}),
    )
    desk = Desk(shell.database, shell.clock)
    found = AgentCalls(shell.database, desk.pipeline).latest(20)
    assert sorted((each.tool, each.outcome) for each in found) == sorted(
        [
            ("get_category", "read"),
            ("create_category", "dry_run"),
            ("create_category", "done"),
            ("replace_category", "conflict"),
            ("list_contact_inquiry", "not_allowed"),
            ("no_such_tool", "refused"),
        ]
    )
    assert {each.target for each in found} == {"c001", None}
    assert all(each.units for each in found if each.outcome in ("done", "dry_run"))
    assert "비밀" not in repr(found)
