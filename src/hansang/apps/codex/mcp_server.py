"""The tools over the Model Context Protocol, with the official SDK: over HTTP below the API, and over stdio."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from hansang import __version__
from hansang.apps.codex.agents import AgentTool, AgentTools
from hansang.apps.codex.registry import TYPE
from hansang.errors import Conflict, HansangError

ABOUT = (
    "The content of a company site. Items have the attributes of their design document. A writing tool is a dry run "
    "unless dry_run is false. Read an item to get its tag, and give the tag to change it."
)


def server_of(tools: AgentTools) -> Server[Any]:
    """A server with the tools of one caller."""

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(each) for each in tools.listed()])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            found = await asyncio.to_thread(tools.call, params.name, params.arguments or {})
        except HansangError as refused:
            return _result(_refusal(refused), is_error=True)
        return _result(found)

    return Server(
        "hansang-codex",
        version=__version__,
        instructions=ABOUT,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _tool(tool: AgentTool) -> types.Tool:
    return types.Tool(name=tool.name, description=tool.about, input_schema=tool.schema)


def _refusal(refused: HansangError) -> dict[str, Any]:
    """Why a tool was refused; of a change that came late, that there is another version."""
    told: dict[str, Any] = {"error": str(refused), "code": refused.code}
    return told | (
        {"retry": f"Read it again for its tag and its {TYPE}."} if isinstance(refused, Conflict) else {}
    )


def _result(found: dict[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    text = json.dumps(found, ensure_ascii=False, default=str)
    content = types.TextContent(type="text", text=text)
    return types.CallToolResult(content=[content], structured_content=json.loads(text), is_error=is_error)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What one message is answered with over HTTP."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


async def answer(tools: AgentTools, scope: Any, receive: Any) -> HttpAnswer:
    """The answer to one message over HTTP; nothing is remembered between two."""
    manager = StreamableHTTPSessionManager(server_of(tools), json_response=True, stateless=True)
    started: list[dict[str, Any]] = []
    body = bytearray()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            started.append(message)
        else:
            body.extend(message.get("body", b""))

    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return HttpAnswer(started[0]["status"], [*started[0].get("headers", [])], bytes(body))


async def serve_stdio(tools: AgentTools) -> None:
    """Serve whoever has started this process, until the input ends."""
    server = server_of(tools)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
