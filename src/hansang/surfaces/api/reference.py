"""The reference, read off the OpenAPI document: what each operation takes and answers, ready to be shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pprint import pformat
from typing import Any
from urllib.parse import quote, urlencode

from hansang.surfaces.api.examples import example_of

Node = Mapping[str, Any]

_DEEPEST = 3
_BOUNDS = {"minimum": "≥", "maximum": "≤", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}
_LENGTHS = {"minLength": "≥", "maxLength": "≤", "minItems": "≥", "maxItems": "≤"}


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """A parameter or a field: its name, its type in words, whether it has to be there."""

    name: str
    type: str
    is_needed: bool
    about: str
    place: str = ""
    depth: int = 0
    example: str = ""
    choices: tuple[str, ...] = ()
    """The only values that there are."""


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """What comes back with one status."""

    status: str
    about: str
    kind: str
    is_problem: bool
    codes: tuple[tuple[str, str], ...] = ()
    """The problems that it may be, each with its title."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address."""

    id: str
    method: str
    path: str
    summary: str
    scope: str | None
    is_public: bool
    parameters: tuple[ReferenceRow, ...]
    body: tuple[ReferenceRow, ...]
    body_kind: str
    answers: tuple[ReferenceAnswer, ...]
    answer_kind: str
    answer_rows: tuple[ReferenceRow, ...]
    """Empty when the answer is what the body was."""
    request: str
    """A command that sends it."""
    program: str
    """The same in Python."""
    body_example: str
    answer_example: str


class Reference:
    """The operations of a document; `base` is where the server is."""

    def __init__(self, document: Node, base: str) -> None:
        self._schemas: Node = document["components"]["schemas"]
        self._paths: Node = document["paths"]
        self._base = base

    def section(self, name: str) -> list[Operation]:
        """The operations of one section, in the order of the document."""
        return [
            self._operation(path, method.upper(), node)
            for path, methods in self._paths.items()
            for method, node in methods.items()
            if node["tags"] == [name]
        ]

    def search(self, words: str) -> list[tuple[str, Operation]]:
        """The operations whose address or summary has all of these words, each with its section."""
        wanted = words.lower().split()
        return [
            (node["tags"][0], self._operation(path, method.upper(), node))
            for path, methods in self._paths.items()
            for method, node in methods.items()
            if all(word in f"{method} {path} {node['summary']}".lower() for word in wanted)
        ]

    def _operation(self, path: str, method: str, node: Node) -> Operation:
        body, answer = _content(node.get("requestBody")), _content(_success(node))
        is_same = bool(body) and body == answer
        return Operation(
            id=node["operationId"],
            method=method,
            path=path,
            summary=node["summary"],
            scope=node.get("x-scope"),
            is_public=not node["security"],
            parameters=tuple(self._parameter(each) for each in node.get("parameters", ())),
            body=tuple(self._rows(body)),
            body_kind=kind_of(body) if body else "",
            answers=tuple(_answer(status, each) for status, each in node["responses"].items()),
            answer_kind=kind_of(answer) if answer else "",
            answer_rows=() if is_same else tuple(self._rows(answer)),
            request=curl(self._base, path, method, node),
            program=python(self._base, path, method, node),
            body_example=_json(_body_example(node)),
            answer_example=_json(example_of(answer, self._schemas)) if answer and not is_same else "",
        )

    def _parameter(self, node: Node) -> ReferenceRow:
        about, example = node.get("description", ""), _example(node)
        return ReferenceRow(
            node["name"],
            type_of(node["schema"]),
            node["required"],
            about,
            node["in"],
            example="" if example is None else str(example),
            choices=tuple(map(str, self._resolved(_held(node["schema"])).get("enum", ()))),
        )

    # ── fields ────────────────────────────────────────────────────────────────────────────────────

    def _rows(self, schema: Node, depth: int = 0) -> Iterator[ReferenceRow]:
        """The fields of a schema, those of what it holds below them."""
        found = self._resolved(schema)
        for name, each in found.get("properties", {}).items():
            needed = name in found.get("required", ())
            yield ReferenceRow(name, type_of(each), needed, self._about(each), depth=depth)
            if depth < _DEEPEST:
                yield from self._rows(_held(each), depth + 1)

    def _about(self, schema: Node) -> str:
        return str(schema.get("description") or self._resolved(_held(schema)).get("description", ""))

    def _resolved(self, schema: Node) -> Node:
        name = schema.get("$ref", "").rpartition("/")[2]
        return self._schemas[name] if name else schema


def _success(node: Node) -> Node:
    return next((each for status, each in node["responses"].items() if status.startswith("2")), {})


def _content(node: Node | None) -> Node:
    found: Node = (node or {}).get("content", {}).get("application/json", {}).get("schema", {})
    return found


def _held(schema: Node) -> Node:
    """What a list holds, or what an optional value is when it is there."""
    choices = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(choices) == 1:
        return _held(choices[0])
    return _held(schema["items"]) if isinstance(schema.get("items"), dict) else schema


def _answer(status: str, node: Node) -> ReferenceAnswer:
    schema, is_problem = _content(node), "application/problem+json" in node.get("content", {})
    kind = "Problem" if is_problem else kind_of(schema) if schema else ""
    return ReferenceAnswer(
        status, node["description"], kind, is_problem, tuple(node.get("x-codes", {}).items())
    )


# ── types in words ────────────────────────────────────────────────────────────────────────────────


def kind_of(schema: Node) -> str:
    """The name of what a schema describes, or its type."""
    return schema["$ref"].rpartition("/")[2] if "$ref" in schema else type_of(schema)


def type_of(schema: Node) -> str:
    """A type as people read it: `integer ≥ 0`, `date`, `ko | en`, `[Detail]`."""
    if "$ref" in schema:
        return kind_of(schema)
    if "enum" in schema or "const" in schema:
        return " | ".join(map(str, schema.get("enum", [schema.get("const")])))
    for name in ("anyOf", "oneOf"):
        if name in schema:
            return " | ".join(dict.fromkeys(type_of(each) for each in schema[name]))
    if "prefixItems" in schema:
        return f"[{', '.join(map(type_of, schema['prefixItems']))}]"
    if schema.get("type") == "array":
        return f"[{type_of(schema.get('items', {}))}]{_bounds(schema, _LENGTHS)}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"{{name: {type_of(schema['additionalProperties'])}}}"
    return f"{schema.get('format', schema.get('type', 'any'))}{_bounds(schema, _BOUNDS | _LENGTHS)}"


def _bounds(schema: Node, known: Mapping[str, str]) -> str:
    return "".join(f" {sign}{schema[name]}" for name, sign in known.items() if name in schema)


# ── examples ──────────────────────────────────────────────────────────────────────────────────────


def curl(base: str, path: str, method: str, node: Node) -> str:
    """A command that sends the request."""
    lines = [f"curl{'' if method == 'GET' else f' -X {method}'} '{base}{_address(path, node)}'"]
    lines += [f"-H {_quoted(each)}" for each in _headers(node, method)]
    example = _body_example(node)
    lines += [] if example is None else [f"-d {_quoted(_json(example))}"]
    return " \\\n  ".join(lines)


def python(base: str, path: str, method: str, node: Node) -> str:
    """A program that sends the request, with the library that most people have."""
    headers = dict(each.split(": ", 1) for each in _headers(node, method) if not each.startswith("Content-"))
    arguments = [json.dumps(f"{base}{_address(path, node)}", ensure_ascii=False)]
    arguments += [f"headers={headers!r}"] if headers else []
    example = _body_example(node)
    arguments += [] if example is None else [f"json={pformat(example, sort_dicts=False, width=76)}"]
    given = ",\n    ".join(each.replace("\n", "\n    ") for each in arguments)
    said = "print(answer.json())" if any(_content(each) for each in node["responses"].values()) else ""
    lines = ["import requests", "", f"answer = requests.{method.lower()}(\n    {given},\n)"]
    return "\n".join([*lines, "answer.raise_for_status()", *([said] if said else [])])


def _address(path: str, node: Node) -> str:
    """The path with the values of examples in it."""
    given = {each["name"]: _example(each) for each in node.get("parameters", ()) if each["in"] != "header"}
    for name in [name for name in given if f"{{{name}}}" in path]:
        path = path.replace(f"{{{name}}}", quote(str(given.pop(name) or name), safe=""))
    asked = urlencode({name: value for name, value in given.items() if value is not None})
    return f"{path}{'?' if asked else ''}{asked}"


def _body_example(node: Node) -> Any:
    return (node.get("requestBody") or {}).get("content", {}).get("application/json", {}).get("example")


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


def _headers(node: Node, method: str) -> Iterator[str]:
    if node["security"]:
        yield "Authorization: Bearer hsk_…"
    if "requestBody" in node:
        yield "Content-Type: application/json"
    if method in ("PUT", "DELETE") and any(each["name"] == "If-Match" for each in node.get("parameters", ())):
        yield 'If-Match: "…"'


def _example(parameter: Node) -> Any:
    examples = parameter["schema"].get("examples", ())
    return examples[0] if examples else None


def _quoted(text: str) -> str:
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"
