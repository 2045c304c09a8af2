"""How the items of an old table become those of the one: a file that says which attribute comes from where (X4-09)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from hansang.apps.codex.design import CategoryKey, CorpInfoKey, PostKey
from hansang.design.codec import Value
from hansang.design.requests import key_of
from hansang.design.shape import Item
from hansang.design.timestamps import seconds_text
from hansang.errors import SettingsError

Transform = Literal["keep", "text", "time"]
TargetType = Literal["Post", "Category", "CorpInfo"]
UNCATEGORIZED = "uncategorized"
ESTIMATED = "createdAtIsEstimated"
"""Says of an item that its source had no time, so that the oldest known one stands in its place (X4-10)."""
_MILLISECONDS = 100_000_000_000
_KEYS = frozenset({"PK", "SK", "Type"})
_SECONDS = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")

SAMPLE = """\
# How the old tables become the one. A target attribute is on the left, where it comes from on the right.
# What is not named here is kept under its own name.

[PostsTable]
type = "Post"
id = "postId"
categoryId = { from = "categoryId", default = "uncategorized" }
authorId = { from = "authorId", default = "unknown" }
title = { from = "title", default = "" }
contents = { from = "contents", default = "" }
CreatedAt = { from = "createdAt", transform = "time" }
UpdatedAt = { from = "updatedAt", transform = "time" }

[CategoriesTable]
type = "Category"
id = "categoryId"
title = { from = "title", default = "" }
desc = { from = "desc", default = "" }
CreatedAt = { from = "createdAt", transform = "time" }
UpdatedAt = { from = "updatedAt", transform = "time" }

[CorpMetaTable]
type = "CorpInfo"
# Rows of a name and a value; without these two, each row has attributes of its own.
key = "metaKey"
value = "metaValue"
name = { from = "name", default = "" }
address = { from = "address", default = "" }
email = { from = "email", default = "" }
fax = { from = "fax", default = "" }
corpNum = { from = "corpNum", default = "" }
CreatedAt = { from = "createdAt", transform = "time" }
UpdatedAt = { from = "updatedAt", transform = "time" }
"""


@dataclass(frozen=True, slots=True)
class AttributeSource:
    """Where one attribute comes from."""

    source: str
    default: str | None = None
    transform: Transform = "keep"


@dataclass(frozen=True, slots=True)
class TableMapping:
    """How the items of one old table are read."""

    source: str
    type: TargetType
    attributes: Mapping[str, AttributeSource]
    row_key: str | None = None
    row_value: str | None = None

    @property
    def known(self) -> frozenset[str]:
        """The attributes of the old table that have a place."""
        rows = {each for each in (self.row_key, self.row_value) if each is not None}
        return frozenset({each.source for each in self.attributes.values()} | rows)

    def source_of(self, name: str) -> str | None:
        """The attribute of the old table that an attribute comes from."""
        return self.attributes[name].source if name in self.attributes else None


@dataclass(slots=True)
class Findings:
    """What was noticed on the way, for the report."""

    unmapped: dict[str, int] = field(default_factory=dict)
    normalised: int = 0
    """Times that had another form, such as milliseconds."""
    uncategorized: int = 0
    estimated: int = 0
    """Items without a time."""
    conflicts: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def read_mapping(path: Path | None) -> list[TableMapping]:
    """The mapping of a file, or the sample one."""
    try:
        text = SAMPLE if path is None else path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except (OSError, ValueError) as fault:
        raise SettingsError(f"{path} cannot be read as a mapping: {fault}") from fault
    return [_table(name, given) for name, given in document.items()]


def _table(name: str, given: Any) -> TableMapping:
    if not isinstance(given, dict) or given.get("type") not in get_args(TargetType):
        raise SettingsError(f"[{name}] of the mapping needs type = one of {', '.join(get_args(TargetType))}.")
    rest = {each: value for each, value in given.items() if each not in ("type", "key", "value")}
    attributes = {each: _source(name, each, value) for each, value in rest.items()}
    if given["type"] != "CorpInfo" and "id" not in attributes:
        raise SettingsError(f"[{name}] of the mapping needs id: the attribute that the id comes from.")
    return TableMapping(name, given["type"], attributes, given.get("key"), given.get("value"))


def _source(table: str, name: str, given: Any) -> AttributeSource:
    if isinstance(given, str):
        return AttributeSource(given)
    unknown = set(given) - {"from", "default", "transform"} if isinstance(given, dict) else {"?"}
    if unknown or given.get("transform", "keep") not in get_args(Transform):
        raise SettingsError(
            f'{table}.{name} of the mapping is not valid. Write "attribute" or '
            '{ from = "attribute", default = "…", transform = "time" }.'
        )
    return AttributeSource(given.get("from", name), given.get("default"), given.get("transform", "keep"))


# ── items ─────────────────────────────────────────────────────────────────────────────────────────


class Transformer:
    """Makes target items of source items; never gives one the time of now (X4-10)."""

    def __init__(self, mapping: TableMapping, oldest: str) -> None:
        self.mapping, self._oldest = mapping, oldest

    def target(self, source: Item, findings: Findings) -> Item:
        """The one item that an item of the old table becomes."""
        found = self.attributes(source, findings)
        entity_id = found.get("id", {}).get("S", "")
        if not _is_id(entity_id):
            raise ValueError(f"the id {entity_id!r} cannot be in a key")
        if self.mapping.type == "Category":
            key = key_of(CategoryKey(id=entity_id))
        else:
            category = found["categoryId"]["S"]
            findings.uncategorized += category == UNCATEGORIZED
            key = key_of(PostKey(category_id=category, id=entity_id))
        return {**found, **key, "Type": {"S": self.mapping.type}}

    def attributes(self, source: Item, findings: Findings) -> Item:
        """The attributes under their new names, with those that nobody has named (X4-09), and with both times."""
        named = {name: _value(each, source, findings) for name, each in self.mapping.attributes.items()}
        found = {name: value for name, value in named.items() if value is not None}
        for name in source.keys() - self.mapping.known:
            findings.unmapped[name] = findings.unmapped.get(name, 0) + 1
            if name not in found and name not in _KEYS:
                found[name] = source[name]
        if "CreatedAt" not in found:
            findings.estimated += 1
            found |= {"CreatedAt": {"S": self._oldest}, ESTIMATED: {"BOOL": True}}
        return {"UpdatedAt": found["CreatedAt"], **found}


def ids_of(mapping: TableMapping, sources: Iterable[Item]) -> set[str]:
    """The ids that items of the old table have in the new one; keys alone are enough where the id is of the key."""
    source = mapping.attributes.get("id")
    values = [] if source is None else [_value(source, each, Findings()) for each in sources]
    return {each["S"] for each in values if each is not None and _is_id(each.get("S", ""))}


def category_of(mapping: TableMapping, source: Item) -> str | None:
    """The category that a post of the old table is in."""
    value = _value(mapping.attributes["categoryId"], source, Findings())
    return None if value is None else value.get("S")


def _is_id(text: str) -> bool:
    return bool(text) and "#" not in text


def _value(each: AttributeSource, source: Item, findings: Findings) -> Value | None:
    value = source.get(each.source)
    if value is None or value == {"NULL": True} or (value == {"S": ""} and each.default):
        return None if each.default is None else {"S": each.default}
    if each.transform == "time":
        return normalised(value, findings)
    return {"S": _text(value)} if each.transform == "text" else value


def normalised(value: Value, findings: Findings) -> Value:
    """A time of any usual form as `YYYY-MM-DDTHH:mm:ssZ`, so that no list breaks on an old item."""
    text = _text(value)
    if "S" in value and _SECONDS.fullmatch(text):
        return value
    findings.normalised += 1
    if "N" in value or text.replace(".", "", 1).isdigit():
        number = float(text)
        moment = datetime.fromtimestamp(number / 1000 if number >= _MILLISECONDS else number, UTC)
    else:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return {"S": seconds_text(moment.replace(microsecond=0))}


def merged_company(mapping: TableMapping, rows: list[Item], oldest: str, findings: Findings) -> Item | None:
    """The one item of the company, of all the rows that say something of it; conflicts are told (X4-08)."""
    if not rows:
        return None
    created, updated = (mapping.source_of(name) for name in ("CreatedAt", "UpdatedAt"))
    merged: Item = {}
    for row in sorted(
        rows, key=lambda row: max(_text(row.get(name or "", {"S": ""})) for name in (created, updated))
    ):
        for name, value in _said(mapping, row).items():
            before = merged.get(name, value)
            if before != value and name not in (created, updated):
                findings.conflicts.append(
                    f"{mapping.source}.{name}: {_text(before)} and {_text(value)}; the later one is kept"
                )
            merged[name] = before if name == created else value
    found = Transformer(replace(mapping, row_key=None, row_value=None), oldest).attributes(merged, findings)
    return {**found, **key_of(CorpInfoKey()), "Type": {"S": "CorpInfo"}, "id": {"S": "corp-info"}}


def _said(mapping: TableMapping, row: Item) -> Item:
    """What a row says: the value that it names, with its times, or its own attributes."""
    key, value = mapping.row_key, mapping.row_value
    if key is None or value is None or key not in row:
        return row
    times = {mapping.source_of(name) for name in ("CreatedAt", "UpdatedAt")}
    named = {_text(row[key]): row[value]} if value in row else {}
    return {**{name: each for name, each in row.items() if name in times}, **named}


def _text(value: Value) -> str:
    return str(next(iter(value.values())))
