"""The OpenAPI document of the API, in either language: made by FastAPI from the routes, then finished here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from fastapi.openapi.utils import get_openapi

from hansang import __version__
from hansang.parts.words import Language, Words
from hansang.surfaces.api.answers import SUFFIX
from hansang.surfaces.api.endpoints import JSON
from hansang.surfaces.api.examples import example_of
from hansang.surfaces.api.meanings import CLAUSE
from hansang.surfaces.api.problems import ProblemDocument, kinds
from hansang.surfaces.api.repeats import REPLAYED
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Allow, rule_of
from hansang.surfaces.api.schemas import own_schemas, type_everything
from hansang.surfaces.api.texts import DocumentTexts
from hansang.surfaces.http.cookies import SESSION
from hansang.surfaces.http.export_formats import FORMATS
from hansang.surfaces.http.problems import PROBLEM_TYPE, HttpProblem
from hansang.surfaces.wording import Wording

_REFERENCE = "#/components/schemas/{model}"
_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_SECURITY = {
    "key": {"type": "http", "scheme": "bearer"},
    "session": {"type": "apiKey", "in": "cookie", "name": SESSION.name},
}
_LAST = ("limit", "cursor", "format", "lang")
_ONLY_WITH = {
    "invalid-cursor": "cursor",
    "idempotency-key-used": "Idempotency-Key",
    "kept-for-ever": "If-Match",
}
"""Problems that only operations with a certain parameter have."""
_OF_SIGN_IN = frozenset({"sign-in-refused", "locked-out"})
"""Those of the console alone."""

Node = dict[str, Any]


@dataclass(frozen=True, slots=True)
class About:
    """What an entity means, and the attributes that its fields are stored as; None for what is in the key alone."""

    meaning: Words
    attributes: Mapping[str, str | None]


def _openapi(
    bare: Node, routes: Sequence[ApiRoute], entities: Mapping[str, About], wording: Wording, spoken: Language
) -> Node:
    """The document that FastAPI made of these routes, with its texts in a language."""
    texts, document = DocumentTexts(wording, spoken), deepcopy(bare)
    document["info"]["summary"] = texts.own("summary")
    by_name = {route.operation_id: route for route in routes}
    for operation in operations(document):
        _finish(operation, by_name[operation["operationId"]], texts, spoken)
    _finish_components(document["components"], entities, texts, spoken)
    texts.fill(document)
    _tidy(document)
    type_everything(document)
    _give_examples(document)
    return document


class OpenApi:
    """The document of the API in each language, made when it is first asked for."""

    def __init__(self, routes: Sequence[ApiRoute], entities: Mapping[str, About], wording: Wording) -> None:
        self._routes, self._entities, self._wording = routes, entities, wording
        self._made: dict[Language, Node] = {}
        self._lock = Lock()

    def document(self, spoken: Language) -> Node:
        """The document in a language."""
        with self._lock:
            if spoken not in self._made:
                self._made[spoken] = _openapi(self._bare, self._shown, self._entities, self._wording, spoken)
            return self._made[spoken]

    @cached_property
    def _shown(self) -> list[ApiRoute]:
        return [route for route in self._routes if route.include_in_schema]

    @cached_property
    def _bare(self) -> Node:
        """What is the same in every language: FastAPI takes seconds to make it."""
        return get_openapi(
            title="Hansang",
            version=__version__,
            summary="Said in each language.",
            routes=self._shown,
            separate_input_output_schemas=False,
        )


def operations(document: Node) -> Iterator[Node]:
    """Every operation of a document."""
    for path in document["paths"].values():
        yield from path.values()


# ── operations ────────────────────────────────────────────────────────────────────────────────────


def _finish(operation: Node, route: ApiRoute, texts: DocumentTexts, spoken: Language) -> None:
    rule, words = rule_of(route), operation.pop("x-words", None)
    operation["summary"] = words[spoken] if words else operation.pop("description", operation["summary"])
    operation.pop("description", None)
    operation["security"] = [{"key": []}, {"session": []}] if isinstance(rule, Allow) else []
    if isinstance(rule, Allow):
        operation["x-scope"] = f"{rule.area}:{rule.action}" if rule.action else None
    if "parameters" in operation:
        operation["parameters"] = sorted(map(_parameter, operation["parameters"]), key=_order)
    responses = operation["responses"]
    for answer in responses.values():
        if answer["description"] == "Successful Response":
            answer["description"] = texts.own("answer")
    if "304" in responses:
        responses["304"] = responses["304"] | {"description": texts.own("same")}
    if _takes(operation, "Idempotency-Key"):
        first = responses[str(route.status_code or 200)]
        first["headers"] = first.get("headers", {}) | {REPLAYED: {"schema": {"type": "string"}}}
    if kinds := operation.pop("x-files", None):
        responses["200"]["content"] = {each: {"schema": {"type": "string"}} for each in kinds}
    if _takes(operation, "format"):
        files = {each.bare_type: {"schema": {"type": "string"}} for each in FORMATS.values()}
        responses["200"]["content"] |= files
    responses |= _problems(operation, route, spoken)
    operation["responses"] = dict(sorted(responses.items())) | {"default": _problem(texts.own("unknown"))}


def _takes(operation: Node, name: str) -> bool:
    return any(each["name"] == name for each in operation.get("parameters", ()))


def _parameter(parameter: Node) -> Node:
    """A parameter without what is said twice, and without null, which an address cannot say."""
    schema = {
        name: each for name, each in parameter["schema"].items() if name not in ("title", "description")
    }
    choices = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(choices) == 1:
        del schema["anyOf"]
        schema = choices[0] | schema
    # A signature cannot say so, since its absence has a problem of its own (428).
    is_needed = parameter["name"] == "If-Match" and not schema.pop("x-at-will", False)
    return parameter | {"schema": schema} | ({"required": True} if is_needed else {})


def _order(parameter: Node) -> tuple[int, int]:
    """The design's own parameters first, then those of pages, then headers."""
    name = parameter["name"]
    return ("path", "query", "header").index(parameter["in"]), _LAST.index(name) + 1 if name in _LAST else 0


def _problems(operation: Node, route: ApiRoute, spoken: Language) -> Node:
    """The problems that an operation is answered with, beside those that any may have."""
    statuses = set(operation.pop("x-problems", ()))
    statuses |= {401, 403} if operation["security"] else set()
    statuses |= {404} if route.param_convertors else set()
    statuses |= {409} if "POST" in (route.methods or ()) or _takes(operation, "Idempotency-Key") else set()
    statuses |= {422} if operation.get("parameters") else set()
    statuses |= {400} if _takes(operation, "cursor") else set()
    statuses |= {412, 428} if _takes(operation, "If-Match") else set()
    statuses |= {400, 413, 415, 422} if "requestBody" in operation else set()
    told = [each for each in kinds().values() if _may_have(operation, each.code)]
    return {
        str(status): _problem(_titles(told, status, spoken))
        | {"x-codes": {each.code: each.title.text(spoken) for each in told if each.status == status}}
        for status in sorted(statuses)
    }


def _may_have(operation: Node, code: str) -> bool:
    """Whether an operation can be answered with a problem, as far as its parameters tell."""
    if code in _ONLY_WITH:
        return _takes(operation, _ONLY_WITH[code])
    return code not in _OF_SIGN_IN and (code != "invalid-json" or "requestBody" in operation)


def _titles(told: Sequence[HttpProblem], status: int, spoken: Language) -> str:
    return " / ".join(f"{each.code}: {each.title.text(spoken)}" for each in told if each.status == status)


def _problem(description: str) -> Node:
    return {"description": description, "content": {PROBLEM_TYPE: {"schema": _PROBLEM}}}


def _give_examples(document: Node) -> None:
    """Let every body have an example; that of an entity is an example of the entity everywhere."""
    schemas, bodies = document["components"]["schemas"], list[tuple[Node, Node]]()
    for operation in operations(document):
        body = operation.get("requestBody", {}).get("content", {}).get(JSON)
        if body is not None:
            bodies.append((body, body["schema"]))
    for body, schema in bodies:
        name = schema.get("$ref", "").rpartition("/")[2]
        if name and "example" in body:
            # An example of a document may lack what its own design wants, such as UpdatedAt of a user.
            made = example_of(schemas[name] | {"example": None}, schemas)
            needed = {each: made[each] for each in schemas[name].get("required", ())}
            body["example"] = needed | body["example"]
            schemas[name].setdefault("example", body["example"])
    for body, schema in bodies:
        body.setdefault("example", example_of(schema, schemas))


# ── schemas ───────────────────────────────────────────────────────────────────────────────────────


def _finish_components(
    components: Node, entities: Mapping[str, About], texts: DocumentTexts, spoken: Language
) -> None:
    schemas = components["schemas"]
    for name, schema in schemas.items():
        about = entities.get(name.removesuffix("Named").removesuffix(SUFFIX))
        if about is not None:
            schema["description"] = about.meaning.text(spoken)
            _name_attributes(schema["properties"], about.attributes, texts)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    problem = ProblemDocument.model_json_schema(ref_template=_REFERENCE)
    schemas |= problem.pop("$defs")
    schemas["Problem"] = problem
    schemas |= own_schemas()
    components["securitySchemes"] = {
        name: {**scheme, "description": texts.own(name)} for name, scheme in _SECURITY.items()
    }


def _name_attributes(fields: Node, attributes: Mapping[str, str | None], texts: DocumentTexts) -> None:
    """Say of every field how it is stored."""
    for name, attribute in attributes.items():
        told = texts.own("in_key") if attribute is None else texts.own("stored", attribute=attribute)
        fields.get(name, {}).setdefault("description", told)


def _tidy(node: Any) -> None:
    """Take out the titles that pydantic makes of names and what clauses say, and tell how bytes are written."""
    if isinstance(node, dict):
        if isinstance(node.get("title"), str) and ("type" in node or "anyOf" in node or "oneOf" in node):
            del node["title"]
        if isinstance(node.get("description"), str):
            node["description"] = CLAUSE.sub("", node["description"])
        if node.get("format") == "binary":
            node |= {"format": "byte", "contentEncoding": "base64"}
        for each in node.values():
            _tidy(each)
    elif isinstance(node, list):
        for each in node:
            _tidy(each)
