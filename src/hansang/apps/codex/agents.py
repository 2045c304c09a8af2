"""The types as tools for agents: typed input, a dry run with its cost, tags against lost changes, the caller's scopes.

Everything goes through the same verbs as the API (4-38). A writing tool writes nothing unless it is told to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hansang.apps.codex.agent_calls import AgentCalls
from hansang.apps.codex.design import FMWebApp
from hansang.apps.codex.entities import AREA, EditedBy
from hansang.apps.codex.registry import EntityType, given_model
from hansang.apps.codex.service import Codex
from hansang.backends.base import Backend
from hansang.design import Database, Table
from hansang.design.meter import WRITING
from hansang.design.visibility import hidden_fields
from hansang.engine.capacity import write_units
from hansang.engine.values import item_size
from hansang.errors import InvalidInput, NotAllowed, NotFound
from hansang.parts.editing import Edit
from hansang.parts.history import Actor
from hansang.parts.permissions import Action, Principal
from hansang.parts.platform import Platform

Arguments = Mapping[str, Any]
Run = Callable[[Codex, EditedBy, Arguments], dict[str, Any]]
_TABLES: tuple[type[Table], ...] = (FMWebApp, Platform)
_ID = {"type": "string", "description": "The id of the item."}
_TAG = {"type": "string", "description": "The tag that was read; a change of anything else is refused."}
_DRY_RUN = {
    "type": "boolean",
    "default": True,
    "description": "Check everything and say what it would cost, and write nothing. False to write.",
}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
_CURSOR = {"type": "string", "description": "The cursor of the page before."}


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool, what it takes, and the scope that it takes."""

    name: str
    about: str
    schema: dict[str, Any]
    action: Action
    run: Run

    @property
    def writes(self) -> bool:
        return "dry_run" in self.schema["properties"]


class _Rehearsed(Exception):
    """A write that was about to happen, with what it would cost."""

    def __init__(self, units: float, actions: int) -> None:
        super().__init__("rehearsed")
        self.units, self.actions = units, actions


class Rehearsal:
    """A backend that reads and does not write: the first transaction ends it."""

    def __init__(self, database: Database) -> None:
        self._backend = database.backend
        self._tables: dict[str, type[Table]] = {database.name(each): each for each in _TABLES}

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a read; of a write, tell the cost."""
        if operation not in WRITING:
            return self._backend.call(operation, request)
        if operation != "TransactWriteItems":
            return {}
        raise _Rehearsed(*self._cost(request["TransactItems"]))

    def _cost(self, actions: list[Mapping[str, Any]]) -> tuple[float, int]:
        """The units of a transaction, which pays twice, and each index once more."""
        units = 0.0
        for action in actions:
            [(_, given)] = action.items()
            item = given.get("Item") or given["Key"]
            indexes = self._tables[given["TableName"]].indexes
            held = sum(1 for index in indexes if all(key in item for key in index.keys))
            units += write_units(item_size(item)) * (2 + held)
        return units, len(actions)


class AgentTools:
    """The tools that one caller may use."""

    def __init__(self, database: Database, make: Callable[[Database], Codex], by: Principal) -> None:
        self._database, self._make, self._by = database, make, by
        self._codex = make(database)
        self._calls = AgentCalls(database, self._codex.desk.pipeline)
        every = {each.name: each for entity_type in self._codex.registry for each in tools_of(entity_type)}
        self._tools = every | {each.name: each for each in _OWN}

    @property
    def every(self) -> list[AgentTool]:
        """All tools, whoever asks."""
        return [*self._tools.values()]

    def listed(self) -> list[AgentTool]:
        """The tools that this caller may use."""
        return [each for each in self._tools.values() if self._by.may(AREA, each.action)]

    def call(self, name: str, arguments: Arguments) -> dict[str, Any]:
        """What a tool leads to; an error of ours if it is refused. Either is written down."""
        with self._calls.noted(Actor.of(self._by).shown, name, arguments) as noted:
            tool = self._allowed(name)
            _check_arguments(tool, arguments)
            is_dry = tool.writes and arguments.get("dry_run", True) is not False
            found = self._rehearsed(tool, arguments) if is_dry else self._done(tool, arguments)
            noted.outcome = "dry_run" if is_dry else "done" if tool.writes else "read"
            noted.units = sum(found["units"].values())
        return found

    def _allowed(self, name: str) -> AgentTool:
        tool = self._tools.get(name)
        if tool is None:
            raise NotFound("Tool {name} not found.", code="codex.no-tool", values={"name": name})
        if not self._by.may(AREA, tool.action):
            raise NotAllowed(
                "The tool {name} takes the scope {scope}.",
                code="codex.tool-scope",
                values={"name": name, "scope": f"{AREA}:{tool.action}"},
            )
        return tool

    def _done(self, tool: AgentTool, arguments: Arguments) -> dict[str, Any]:
        with self._database.meter() as cost:
            found = tool.run(self._codex, EditedBy(Actor.of(self._by)), arguments)
        return {**found, "units": {"read": cost.read, "write": cost.write}}

    def _rehearsed(self, tool: AgentTool, arguments: Arguments) -> dict[str, Any]:
        """Everything but the write, and what that would cost."""
        rehearsing = self._make(_on(Rehearsal(self._database), self._database))
        with self._database.meter() as cost:
            try:
                tool.run(rehearsing, EditedBy(Actor.of(self._by)), arguments)
                units, actions = 0.0, 0
            except _Rehearsed as told:
                units, actions = told.units, told.actions
        return {"dry_run": True, "writes": actions, "units": {"read": cost.read, "write": units}}


def _check_arguments(tool: AgentTool, arguments: Arguments) -> None:
    """Refuse arguments that a tool does not take, and those that lack something."""
    unknown = sorted(set(arguments) - set(tool.schema["properties"]))
    missing = [each for each in tool.schema.get("required", ()) if each not in arguments]
    if unknown or missing:
        raise InvalidInput(
            "The tool {name} does not take these arguments: unknown {unknown}, missing {missing}.",
            code="codex.tool-arguments",
            values={
                "name": tool.name,
                "unknown": ", ".join(unknown) or "none",
                "missing": ", ".join(missing) or "none",
            },
        )


def _on(backend: Backend, database: Database) -> Database:
    return Database(backend, names={each: database.name(each) for each in _TABLES})


# ── the tools of a type ───────────────────────────────────────────────────────────────────────────


def tools_of(entity_type: EntityType) -> list[AgentTool]:
    """List, get, create, replace and delete one type; of what there is one, those that make sense."""
    name, word = entity_type.name, _word(entity_type.name)
    is_personal = bool(hidden_fields(entity_type.shape, "viewer"))
    reads: Action = "admin" if is_personal else "read"
    writes: Action = "admin" if is_personal or name == "User" else "write"
    item, at = given_model(entity_type).model_json_schema(), {} if entity_type.is_single else {"id": _ID}
    single = [
        AgentTool(f"get_{word}", f"One {name} with its tag.", _object(at), reads, _getting(entity_type)),
        _writing(
            f"create_{word}", f"Create a {name}.", {"item": item}, ["item"], writes, _creating(entity_type)
        ),
        _writing(
            f"replace_{word}",
            f"Replace the {name} with this tag.",
            {**at, "item": item, "tag": _TAG},
            [*at, "item", "tag"],
            writes,
            _replacing(entity_type),
        ),
    ]
    if entity_type.is_single:
        return single
    about = f"{name} items, the newest first, without long contents."
    listing = _object({"limit": _LIMIT, "cursor": _CURSOR})
    delete, needs = f"Delete the {name} with this tag.", ["id", "tag"]
    return [
        AgentTool(f"list_{word}", about, listing, reads, _listing(entity_type)),
        *single,
        _writing(f"delete_{word}", delete, {**at, "tag": _TAG}, needs, writes, _deleting(entity_type)),
    ]


def _writing(
    name: str, about: str, takes: dict[str, Any], needs: list[str], action: Action, run: Run
) -> AgentTool:
    """A tool that writes, and does not unless it is told to."""
    schema = _object({**takes, "dry_run": _DRY_RUN}, *needs)
    return AgentTool(name, f"{about} A dry run unless dry_run is false.", schema, action, run)


def _listing(entity_type: EntityType) -> Run:
    def run(codex: Codex, by: EditedBy, given: Arguments) -> dict[str, Any]:
        page = codex.verbs(entity_type.name).page(int(given.get("limit", 20)), given.get("cursor"))
        items = [entity_type.document(each) for each in page]
        short = [{name: value for name, value in each.items() if name != "contents"} for each in items]
        return {"items": short, "cursor": page.cursor}

    return run


def _getting(entity_type: EntityType) -> Run:
    def run(codex: Codex, by: EditedBy, given: Arguments) -> dict[str, Any]:
        entity, tag = codex.verbs(entity_type.name).get(str(given.get("id", "")))
        return {"item": entity_type.document(entity), "tag": tag}

    return run


def _creating(entity_type: EntityType) -> Run:
    def run(codex: Codex, by: EditedBy, given: Arguments) -> dict[str, Any]:
        return _edited(entity_type, codex.verbs(entity_type.name).create(_item(given), by))

    return run


def _replacing(entity_type: EntityType) -> Run:
    def run(codex: Codex, by: EditedBy, given: Arguments) -> dict[str, Any]:
        verbs, entity_id = codex.verbs(entity_type.name), str(given.get("id", ""))
        return _edited(entity_type, verbs.replace(entity_id, _item(given), str(given["tag"]), by))

    return run


def _deleting(entity_type: EntityType) -> Run:
    def run(codex: Codex, by: EditedBy, given: Arguments) -> dict[str, Any]:
        verbs = codex.verbs(entity_type.name)
        return _edited(entity_type, verbs.delete(str(given["id"]), str(given["tag"]), by))

    return run


def _word(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """The schema of arguments; definitions of a part belong to the whole."""
    definitions: dict[str, Any] = {}
    for name, each in properties.items():
        inner = each.get("$defs", {})
        definitions |= inner
        properties = properties | {name: {key: value for key, value in each.items() if key != "$defs"}}
    found: dict[str, Any] = {"type": "object", "properties": properties, "required": list(required)}
    return found | {"additionalProperties": False} | ({"$defs": definitions} if definitions else {})


def _item(given: Arguments) -> Mapping[str, Any]:
    item = given["item"]
    if not isinstance(item, Mapping):
        raise InvalidInput("An item is a JSON object.", "item", code="codex.not-an-object")
    return item


def _edited(entity_type: EntityType, edit: Edit[Any]) -> dict[str, Any]:
    return {"item": entity_type.document(edit.subject), "tag": edit.etag}


# ── further tools ─────────────────────────────────────────────────────────────────────────────────


def _search(codex: Codex, by: EditedBy, given: Arguments) -> dict[str, Any]:
    page = codex.reading.search(str(given["q"]), int(given.get("limit", 20)), given.get("cursor"))
    found = [{"id": each.post.id, "title": each.post.title, "snippet": each.snippet} for each in page.found]
    return {"items": found, "looked": page.looked, "cursor": page.cursor}


def _draft(codex: Codex, by: EditedBy, given: Arguments) -> dict[str, Any]:
    return _edited(codex.drafts.type, codex.drafts.create(dict(_item(given)), by))


def _publish(codex: Codex, by: EditedBy, given: Arguments) -> dict[str, Any]:
    return _edited(codex.posts.type, codex.drafts.publish(str(given["id"]), by))


_OWN = (
    AgentTool(
        "search",
        "Published posts that have every word, from the newest on; the cursor goes on with older posts.",
        _object({"q": {"type": "string"}, "limit": _LIMIT, "cursor": _CURSOR}, "q"),
        "read",
        _search,
    ),
    _writing(
        "create_draft",
        "Create a draft, which nobody sees until it is published.",
        {"item": {"type": "object"}},
        ["item"],
        "write",
        _draft,
    ),
    _writing("publish_draft", "Publish a draft.", {"id": _ID}, ["id"], "write", _publish),
)
