"""Agents: how they connect, which tools there are and what these take, and what was called last."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from hansang.apps.codex.agent_calls import AgentCalls
from hansang.apps.codex.agents import AgentTool, AgentTools
from hansang.apps.codex.console.links import codex_of, page
from hansang.apps.codex.entities import AREA
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

PLACE = "/codex/agents"
_CALLS = 50
TONES = {
    "read": "quiet",
    "done": "good",
    "dry_run": "c-violet",
    "refused": "bad",
    "not_allowed": "bad",
    "conflict": "warn",
}


def show(visit: Visit) -> Response:
    """The page; the calls are for administrators."""
    codex = codex_of(visit)
    desk, tools = codex.desk, AgentTools(codex.desk.database, lambda database: codex, visit.asking)
    server = visit.shell.settings.public_url or f"{visit.request.url.scheme}://{visit.request.url.netloc}"
    wanted = visit.query("show")
    calls = AgentCalls(desk.database, desk.pipeline).latest(_CALLS) if visit.may(AREA, "admin") else []
    context: dict[str, Any] = {
        "address": f"{server.rstrip('/')}/api/codex/mcp",
        "groups": _groups(tools.every),
        "count": len(tools.every),
        "calls": [each for each in calls if _is_wanted(each.outcome, wanted)],
        "shown": wanted if wanted in ("writes", "refused") else "all",
        "tones": TONES,
    }
    return page(visit, "agents.html", **context)


def _groups(tools: list[AgentTool]) -> list[tuple[str, list[AgentTool]]]:
    """The tools by what they do."""
    groups: dict[str, list[AgentTool]] = {"reads": [], "writes": [], "admin": []}
    for each in tools:
        groups["admin" if each.action == "admin" else "writes" if each.writes else "reads"].append(each)
    return list(groups.items())


def _is_wanted(outcome: str, wanted: str) -> bool:
    if wanted == "writes":
        return outcome in ("done", "dry_run")
    return wanted != "refused" or outcome in ("refused", "not_allowed", "conflict")


PAGES = (PageRoute(PLACE, show, allowed(AREA, "read")),)
