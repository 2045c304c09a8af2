"""The texts of the OpenAPI document, found by what they are of: an operation, a parameter, a schema, a field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hansang.parts.words import Language
from hansang.surfaces.api.answers import SUFFIX
from hansang.surfaces.labels import Labels
from hansang.surfaces.wording import Wording

Node = dict[str, Any]

_VERBS = ("read", "create", "replace", "delete")


class DocumentTexts:
    """Puts the words of one language into a document; what has none keeps what its code says of itself."""

    def __init__(self, wording: Wording, spoken: Language) -> None:
        self._wording, self._spoken = wording, spoken
        self._areas = sorted({key.partition(".")[0] for key in wording.entries if ".schema." in key})
        self._designs = sorted(
            {key.partition(".")[0] for key in wording.entries if ".kind." in key} - {"data"}
        )

    def own(self, key: str, **values: object) -> str:
        """A text of the document itself."""
        return self._wording.text(f"api.{key}", self._spoken, **values)

    def fill(self, document: Node) -> None:
        """Put all texts into their places."""
        for path in document["paths"].values():
            for operation in path.values():
                self._operation(operation)
        for name, schema in document["components"]["schemas"].items():
            self._describe(schema, *self._schema_keys(name, "self"), *_page_keys(name))
            for field, each in schema.get("properties", {}).items():
                self._describe(each, *self._schema_keys(name, field), f"property.{field}")
                self._help(name, field, each)

    def _operation(self, operation: Node) -> None:
        area, _, rest = operation["operationId"].partition(".")
        entity, verb = operation.pop("x-entity", ""), rest.rpartition(".")[2]
        if entity and verb in _VERBS:
            operation["summary"] = self.own(verb, name=entity)
        elif rest == "overview":
            operation["summary"] = self.own("overview")
        else:
            found = self._found(f"{area}.api.{rest}.self", f"all.api.{rest}.self")
            operation["summary"] = found or operation["summary"]
        for each in operation.get("parameters", ()):
            name = each["name"]
            own = (f"{place}.api.{rest}.{name}" for place in (area, "all"))
            self._describe(each, *own, f"{area}.parameter.{name}", f"parameter.{name}")
        if "requestBody" in operation:
            self._describe(operation["requestBody"], f"{area}.api.{rest}.body")
        for status, answer in operation["responses"].items():
            self._describe(answer, f"{area}.api.{rest}.{status}")
            for name, header in answer.get("headers", {}).items():
                self._describe(header, f"header.{name}")

    def _help(self, name: str, field: str, node: Node) -> None:
        """Put the help text of a field of a design before how it is stored."""
        kind = name.removesuffix("Named").removesuffix(SUFFIX)
        for area in self._designs if "const" not in node else ():
            if f"{area}.kind.{kind}" in self._wording.entries:
                said = Labels(self._wording, area, self._spoken).help(kind, field)
                node |= {"description": f"{said} {node.get('description', '')}".strip()} if said else {}

    def _schema_keys(self, name: str, part: str) -> Iterator[str]:
        yield f"schema.{name}.{part}"
        yield from (f"{area}.schema.{name}.{part}" for area in self._areas)

    def _describe(self, node: Node, *keys: str) -> None:
        text = self._found(*keys)
        if text is not None:
            node["description"] = text

    def _found(self, *keys: str) -> str | None:
        return next((found for key in keys if (found := self._wording.find(key, self._spoken))), None)


def _page_keys(name: str) -> tuple[str, ...]:
    """Pages of access patterns are made from designs, and are all alike."""
    return ("schema.AnswersPage.self",) if name.endswith("Page") else ()
