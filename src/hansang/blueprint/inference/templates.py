"""The tables of a CloudFormation or SAM template, as far as they can be known without deploying it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hansang.errors import SettingsError, not_installed

try:
    import yaml
except ModuleNotFoundError as missing:
    raise not_installed(missing, "server") from missing

from hansang.blueprint.inference.facts import TableFacts, facts_of

_TABLES = ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
_SIMPLE = "AWS::Serverless::SimpleTable"
_KINDS = {"String": "S", "Number": "N", "Binary": "B"}
_PART = re.compile(r"\$\{(!?)([^${}]+)\}")
_PSEUDO = {"AWS::Region": "us-east-1", "AWS::Partition": "aws", "AWS::URLSuffix": "amazonaws.com"}


class _Unknown:
    """What is known only when the template is deployed."""


class _Absent:
    """What `AWS::NoValue` leaves out."""


UNKNOWN, ABSENT = _Unknown(), _Absent()


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


class _Loader(yaml.SafeLoader):
    """Plain YAML, and the short forms of CloudFormation's functions: `!Sub …` as `Fn::Sub`."""


def _function(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        content: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        content = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        content = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(content, str):
        content = content.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": content}


_Loader.add_multi_constructor("!", _function)


def read_document(path: Path) -> Any:
    """A file of JSON or YAML as plain data."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        raise SettingsError(f"{path} is not text in UTF-8: {fault}.") from fault
    try:
        if path.suffix.lower() == ".json":
            return json.loads(text)
        return yaml.load(text, _Loader)  # noqa: S506 - it is a SafeLoader
    except (ValueError, yaml.YAMLError, RecursionError) as fault:
        reason = " ".join(str(fault).split())
        raise SettingsError(f"{path} cannot be read: {reason}") from fault


def is_template(document: Any) -> bool:
    return isinstance(document, Mapping) and isinstance(document.get("Resources"), Mapping)


# ── tables ────────────────────────────────────────────────────────────────────────────────────────


def template_tables(document: Mapping[str, Any]) -> list[TableFacts]:
    """The tables of a template, with the names that its parameters have by default."""
    template = _Template(document)
    found = []
    for logical, resource in document["Resources"].items():
        kind = resource.get("Type") if isinstance(resource, Mapping) else None
        if kind not in (*_TABLES, _SIMPLE):
            continue
        properties = template.resolved(resource.get("Properties") or {})
        make = _simple if kind == _SIMPLE else _table
        try:
            found.append(make(str(logical), properties))
        except (KeyError, TypeError, AttributeError, ValueError) as fault:
            raise SettingsError(
                f"The table {logical} cannot be read from the template: {fault!r}. Its KeySchema, "
                "AttributeDefinitions and indexes have to be written out."
            ) from fault
    return found


def _table(logical: str, properties: Mapping[str, Any]) -> TableFacts:
    expiry = properties.get("TimeToLiveSpecification") or {}
    is_on = str(expiry.get("Enabled", True)).lower() == "true" if isinstance(expiry, Mapping) else False
    stream = properties.get("StreamSpecification")
    definition = {
        **properties,
        "TableName": _name(logical, properties.get("TableName")),
        "StreamSpecification": stream if isinstance(stream, Mapping) else None,
    }
    attribute = expiry.get("AttributeName") if is_on else None
    return facts_of(definition, expiry=attribute if isinstance(attribute, str) else None)


def _simple(logical: str, properties: Mapping[str, Any]) -> TableFacts:
    key = properties.get("PrimaryKey") or {"Name": "id", "Type": "String"}
    return facts_of(
        {
            "TableName": _name(logical, properties.get("TableName")),
            "KeySchema": [{"AttributeName": key["Name"], "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": key["Name"], "AttributeType": _KINDS[key["Type"]]}],
        }
    )


def _name(logical: str, given: Any) -> str:
    """The name of a table; CloudFormation makes one from the logical name where there is none."""
    return given if isinstance(given, str) and given else logical


# ── functions ─────────────────────────────────────────────────────────────────────────────────────


class _Template:
    """Works out what functions say, with the defaults of the parameters."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._conditions: Mapping[str, Any] = document.get("Conditions") or {}
        self._mappings: Mapping[str, Any] = document.get("Mappings") or {}
        given: Mapping[str, Any] = document.get("Parameters") or {}
        self._parameters: dict[str, Any] = {
            str(name): each["Default"]
            for name, each in given.items()
            if isinstance(each, Mapping) and "Default" in each
        }
        self._asked: list[str] = []
        self._functions: dict[str, Callable[[Any], Any]] = {
            "Ref": self._ref,
            "Fn::Sub": self._sub,
            "Fn::Join": self._join,
            "Fn::If": self._if,
            "Fn::FindInMap": self._find,
            "Fn::Select": self._select,
            "Fn::Equals": lambda pair: (
                UNKNOWN if UNKNOWN in (both := self.resolved(pair)) else both[0] == both[1]
            ),
            "Fn::Not": lambda one: self._not(self.resolved(one[0])),
            "Fn::And": lambda all_: self._every([self.resolved(each) for each in all_], decisive=False),
            "Fn::Or": lambda any_: self._every([self.resolved(each) for each in any_], decisive=True),
            "Condition": lambda name: self._condition(str(name)),
        }

    def resolved(self, value: Any) -> Any:
        """Plain data; what cannot be known is UNKNOWN, what is left out is gone."""
        if isinstance(value, list):
            return [found for each in value if (found := self.resolved(each)) is not ABSENT]
        if not isinstance(value, Mapping):
            return value
        if len(value) == 1:
            [(name, content)] = value.items()
            if name in self._functions:
                return self._functions[name](content)
            if str(name).startswith("Fn::"):
                return UNKNOWN
        found = {str(name): self.resolved(each) for name, each in value.items()}
        return {name: each for name, each in found.items() if each is not ABSENT}

    def _ref(self, name: Any) -> Any:
        if name == "AWS::NoValue":
            return ABSENT
        return self._parameters.get(str(name), _PSEUDO.get(str(name), UNKNOWN))

    def _sub(self, content: Any) -> Any:
        text, own = (content, {}) if isinstance(content, str) else (content[0], content[1])
        values = {name: self.resolved(each) for name, each in own.items()}
        unknown = False

        def replaced(match: re.Match[str]) -> str:
            nonlocal unknown
            if match[1]:
                return f"${{{match[2]}}}"
            found = values.get(match[2], self._ref(match[2]))
            if isinstance(found, _Unknown | _Absent):
                unknown = True
                return ""
            return str(found)

        found = _PART.sub(replaced, str(text))
        # What is left of a name is still the name that people know: `Orders` of `Orders-${AWS::StackName}`.
        return (found.strip("-_.") or UNKNOWN) if unknown else found

    def _join(self, content: Any) -> Any:
        parts = [self.resolved(each) for each in content[1]] if isinstance(content[1], list) else [UNKNOWN]
        known = [str(each) for each in parts if not isinstance(each, _Unknown | _Absent)]
        if len(known) == len(parts):
            return str(content[0]).join(known)
        return "".join(known).strip("-_.") or UNKNOWN

    def _if(self, content: Any) -> Any:
        name, yes, no = content
        is_so = self._condition(str(name))
        return UNKNOWN if is_so is UNKNOWN else self.resolved(yes if is_so else no)

    def _condition(self, name: str) -> Any:
        if name not in self._conditions or name in self._asked:
            return UNKNOWN
        self._asked.append(name)
        try:
            return self.resolved(self._conditions[name])
        finally:
            self._asked.pop()

    def _find(self, content: Any) -> Any:
        names = [self.resolved(each) for each in content]
        found: Any = self._mappings
        for name in names:
            found = found.get(name, UNKNOWN) if isinstance(found, Mapping) else UNKNOWN
        return found

    def _select(self, content: Any) -> Any:
        number, several = self.resolved(content[0]), self.resolved(content[1])
        is_known = isinstance(several, list) and str(number).isdigit() and int(number) < len(several)
        return several[int(number)] if is_known else UNKNOWN

    def _not(self, value: Any) -> Any:
        return UNKNOWN if value is UNKNOWN else not value

    def _every(self, values: list[Any], *, decisive: bool) -> Any:
        if any(each is decisive for each in values):
            return decisive
        return UNKNOWN if UNKNOWN in values else not decisive
