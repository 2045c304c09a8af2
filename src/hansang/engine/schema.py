"""A table as the engine works with it: its key, its indexes, and the rules for the keys of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hansang.engine import key_order
from hansang.engine.faults import NOT_VALID_PARAMETER, invalid, invalid_parameter
from hansang.engine.values import Item, Value, kind
from hansang.errors import WireError

EXPIRY = "(time to live)"
"""What the order of expiry is called where indexes are named."""
_LONGEST_HASH = 2048
_LONGEST_RANGE = 1024
# So many characters in each of four attributes stay below both limits, whatever the characters are.
_SURELY_SHORT = _LONGEST_RANGE // 4 // 4


@dataclass(frozen=True, slots=True)
class KeyAttribute:
    """A key attribute and its type: S, N or B."""

    name: str
    kind: str

    def fits(self, value: Value) -> bool:
        return self.kind in value

    def empty(self, value: Value) -> bool:
        return self.kind != "N" and not value[self.kind]

    @property
    def noun(self) -> str:
        return "string" if self.kind == "S" else "binary"


@dataclass(frozen=True)
class KeySchema:
    """The attributes of a partition key and of a sort key; an index may have several of each."""

    hash: tuple[KeyAttribute, ...]
    range: tuple[KeyAttribute, ...]
    attributes: tuple[KeyAttribute, ...] = field(init=False)
    names: tuple[str, ...] = field(init=False)
    kinds: tuple[tuple[str, str], ...] = field(init=False)
    """Its attributes as pairs of name and type."""
    _hashed: tuple[str, str, Callable[[str], bytes]] | None = field(init=False)
    """The partition key, if it is one attribute, with what makes bytes of it; likewise the attributes of the sort key."""
    _ordered: tuple[tuple[str, str, Callable[[str], bytes]], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", self.hash + self.range)
        object.__setattr__(self, "names", tuple(attribute.name for attribute in self.attributes))
        object.__setattr__(self, "kinds", tuple((a.name, a.kind) for a in self.attributes))
        hashed = [(a.name, a.kind, key_order.RAW[a.kind]) for a in self.hash]
        object.__setattr__(self, "_hashed", hashed[0] if len(hashed) == 1 else None)
        ordered = tuple((a.name, a.kind, key_order.ORDERED[a.kind]) for a in self.range)
        object.__setattr__(self, "_ordered", ordered)

    @classmethod
    def of(cls, elements: Iterable[Mapping[str, str]], kinds: Mapping[str, str]) -> KeySchema:
        """From DynamoDB's KeySchema and the types of the attributes."""
        hashed: list[KeyAttribute] = []
        ranged: list[KeyAttribute] = []
        for element in elements:
            name = element["AttributeName"]
            (hashed if element["KeyType"] == "HASH" else ranged).append(KeyAttribute(name, kinds[name]))
        return cls(tuple(hashed), tuple(ranged))

    def encode(self, item: Mapping[str, Value]) -> bytes:
        """The bytes under which an item with these (valid) key attributes sorts."""
        if self._hashed is None:
            key = self.partition(item)
        else:
            name, tag, raw = self._hashed
            key = key_order.partition_of(raw(item[name][tag]))
        for name, tag, encoded in self._ordered:
            key += encoded(item[name][tag])
        return key

    def is_same(self, left: Mapping[str, Value], right: Mapping[str, Value]) -> bool:
        """Whether two items have the same values, or none, for every attribute of the key."""
        for name in self.names:  # noqa: SIM110 - a generator takes longer
            if left.get(name) != right.get(name):
                return False
        return True

    def find(self, item: Mapping[str, Value]) -> bytes | None:
        """The same for any item; None when it lacks a usable value for an attribute of the key."""
        for name, tag in self.kinds:
            value = item.get(name)
            if value is None:
                return None
            content = value.get(tag)
            if not content:
                return None
            if len(content) > _SURELY_SHORT and not self.short(item):
                return None
        return self.encode(item)

    def partition(self, item: Mapping[str, Value]) -> bytes:
        if self._hashed is not None:
            name, tag, raw = self._hashed
            return key_order.partition_of(raw(item[name][tag]))
        return key_order.partition([(a.kind, item[a.name][a.kind]) for a in self.hash])

    def plain_partition(self, name: str, ref: str, values: Mapping[str, object]) -> bytes | None:
        """The partition that a short string names, if that alone is given for the key; None leaves it to the rules."""
        value = values.get(ref)
        if (
            self._hashed is None
            or self._hashed[:2] != (name, "S")
            or type(value) is not dict
            or len(value) != 1
        ):
            return None
        content = value.get("S")
        if type(content) is not str or not 0 < len(content) <= _SURELY_SHORT:
            return None
        return key_order.partition_of(content.encode())

    def pick(self, item: Mapping[str, Value]) -> Item:
        return {name: item[name] for name in self.names}

    def check_lengths(self, item: Mapping[str, Value]) -> None:
        if not _within(self.hash, item, _LONGEST_HASH):
            raise invalid_parameter("Size of hashkey has exceeded the maximum size limit of2048 bytes")
        if self.range and not _within(self.range, item, _LONGEST_RANGE):
            raise invalid_parameter(
                "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
            )

    def short(self, item: Mapping[str, Value]) -> bool:
        """Whether the values of the key keep the limits on length; an item without the key does."""
        if not all(attribute.fits(item.get(attribute.name, {})) for attribute in self.attributes):
            return True
        return _within(self.hash, item, _LONGEST_HASH) and _within(self.range, item, _LONGEST_RANGE)


def _within(attributes: tuple[KeyAttribute, ...], item: Mapping[str, Value], limit: int) -> bool:
    contents = [item[attribute.name][attribute.kind] for attribute in attributes]
    if sum(map(len, contents)) * 4 <= limit:
        return True
    return sum(len(key_order.raw(a.kind, c)) for a, c in zip(attributes, contents, strict=True)) <= limit


@dataclass(frozen=True)
class IndexSchema:
    """A secondary index: its key, what it projects, and where its rows are."""

    name: str
    is_global: bool
    key: KeySchema
    projection: str
    included: frozenset[str]
    rows: int
    """The number of the SQL table that holds the rows."""
    names: frozenset[str] | None = field(default=None)
    """All attributes that the index holds; None when it holds every one."""
    filling: bool = False
    """Whether items that were there before the index may not be in it yet."""

    def project(self, item: Item) -> Item:
        if self.names is None:
            return item
        return {name: value for name, value in item.items() if name in self.names}

    def projects(self, name: str) -> bool:
        return self.names is None or name in self.names


@dataclass(frozen=True)
class Stream:
    """Where a table's changes are written, and which images of an item they carry."""

    number: int
    label: str
    view: str


@dataclass(frozen=True)
class TableSchema:
    """A table, ready for use. `definition` is its entry in the catalog, as stored."""

    name: str
    key: KeySchema
    indexes: tuple[IndexSchema, ...]
    rows: int
    stream: Stream | None
    expiry: str | None
    """The attribute that says when an item expires."""
    expiry_rows: int | None
    definition: Mapping[str, Any]
    log: int | None = None
    """Where changes are noted for recovery."""
    has_local: bool = field(init=False)
    _others: tuple[tuple[str, str], ...] = field(init=False)

    def __post_init__(self) -> None:
        others = {pair: None for index in self.indexes for pair in index.key.kinds}
        object.__setattr__(self, "has_local", any(not index.is_global for index in self.indexes))
        object.__setattr__(self, "_others", tuple(pair for pair in others if pair not in self.key.kinds))

    def index(self, name: str) -> IndexSchema:
        for index in self.indexes:
            if index.name == name:
                return index
        raise invalid(f"The table does not have the specified index: {name}")

    @property
    def places(self) -> dict[int, str | None]:
        """The name of the index that each of its rows belong to; None for those of the table itself."""
        found: dict[int, str | None] = {self.rows: None, **{each.rows: each.name for each in self.indexes}}
        return found if self.expiry_rows is None else {**found, self.expiry_rows: EXPIRY}

    # ── the rules for keys ────────────────────────────────────────────────────────────────────────

    def key_of(self, key: Mapping[str, Value]) -> bytes:
        """The row key of a `Key` parameter; refused unless it is exactly a key of this table."""
        if len(key) == len(self.key.kinds) and self.is_plainly_keyed(key):
            return self.key.encode(key)
        if len(key) != len(self.key.attributes):
            raise invalid("The provided key element does not match the schema")
        for attribute in self.key.attributes:
            value = key.get(attribute.name)
            if value is None or not attribute.fits(value):
                raise invalid("The provided key element does not match the schema")
        self._check_filled(key)
        self.key.check_lengths(key)
        return self.key.encode(key)

    def plain_key(self, key: object) -> bytes | None:
        """The same for a key that is plainly all right: short strings and nothing else. None leaves it to the rules."""
        if type(key) is not dict or len(key) != len(self.key.kinds):
            return None
        for name, tag in self.key.kinds:
            value = key.get(name)
            if tag != "S" or type(value) is not dict or len(value) != 1:
                return None
            content = value.get("S")
            if type(content) is not str or not 0 < len(content) <= _SURELY_SHORT:
                return None
        return self.key.encode(key)

    def check_item(self, item: Item) -> bytes:
        """The row key of an item that is to be stored; refused if a key attribute is not as it must be."""
        if self.is_plainly_keyed(item) and self._plainly_indexed(item):
            return self.key.encode(item)
        for attribute in self.key.attributes:
            value = item.get(attribute.name)
            if value is None:
                raise invalid_parameter(f"Missing the key {attribute.name} in the item")
            if not attribute.fits(value):
                raise invalid_parameter(
                    f"Type mismatch for key {attribute.name} expected: {attribute.kind} actual: {kind(value)}"
                )
        self._check_filled(item)
        self.key.check_lengths(item)
        self.check_index_keys(item)
        return self.key.encode(item)

    def is_plainly_keyed(self, item: Mapping[str, Value]) -> bool:
        """Whether the key is surely all right; if not so plainly, the rules are gone through one by one."""
        for name, tag in self.key.kinds:
            value = item.get(name)
            content = None if value is None else value.get(tag)
            if not content or len(content) > _SURELY_SHORT:
                return False
        return True

    def _plainly_indexed(self, item: Mapping[str, Value]) -> bool:
        for name, tag in self._others:
            value = item.get(name)
            if value is not None:
                content = value.get(tag)
                if not content or len(content) > _SURELY_SHORT:
                    return False
        return True

    def _check_filled(self, item: Mapping[str, Value]) -> None:
        for attribute in self.key.attributes:
            if attribute.empty(item[attribute.name]):
                raise invalid(
                    NOT_VALID_PARAMETER + "The AttributeValue for a key attribute cannot contain an empty "
                    f"{attribute.noun} value. Key: {attribute.name}"
                )

    def refuse_nested(self, names: frozenset[str]) -> None:
        """A key attribute has no inside to look into."""
        for name in names:
            indexed = any(name in index.key.names for index in self.indexes)
            if name in self.key.names or indexed:
                raise invalid(
                    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
                    f"allowed: {'Key' if name in self.key.names else 'IndexKey'}: {name}"
                )

    def check_index_key_type(self, name: str, tag: str) -> None:
        """Refuse a value of this type for this attribute, if an index has the attribute in its key."""
        for index in self.indexes:
            for attribute in index.key.attributes:
                if attribute.name == name and attribute.kind != tag:
                    raise _mismatch(index, attribute, tag)

    def check_index_keys(self, item: Item) -> None:
        for index in self.indexes:
            for attribute in index.key.attributes:
                value = item.get(attribute.name)
                if value is not None:
                    _check_index_key(index, attribute, value)
            if all(name in item for name in index.key.names):
                index.key.check_lengths(item)

    def check_updated_index_keys(self, item: Item, changed: Iterable[str]) -> None:
        """The same for what an update has changed, in the words that an update gets."""
        roots = set(changed)
        for index in self.indexes:
            for attribute in index.key.attributes:
                value = item.get(attribute.name) if attribute.name in roots else None
                if value is None:
                    continue
                if not attribute.fits(value):
                    raise invalid(
                        "The update expression attempted to update the secondary index key to unsupported type"
                    )
                if attribute.empty(value):
                    raise invalid(
                        NOT_VALID_PARAMETER
                        + "The update expression attempted to update a secondary index key "
                        "to a value that is not supported. The AttributeValue for a key attribute cannot "
                        f"contain an empty {attribute.noun} value."
                    )
            if roots.intersection(index.key.names) and not index.key.short(item):
                raise invalid(
                    "The update expression attempted to update the secondary index key beyond allowed size limits"
                )


def _check_index_key(index: IndexSchema, attribute: KeyAttribute, value: Value) -> None:
    if not attribute.fits(value):
        raise _mismatch(index, attribute, kind(value))
    if attribute.empty(value):
        raise invalid(
            NOT_VALID_PARAMETER + "A value specified for a secondary index key is not supported. "
            f"The AttributeValue for a key attribute cannot contain an empty {attribute.noun} value. "
            f"IndexName: {index.name}, IndexKey: {attribute.name}"
        )


def _mismatch(index: IndexSchema, attribute: KeyAttribute, tag: str) -> WireError:
    return invalid_parameter(
        f"Type mismatch for Index Key {attribute.name} Expected: {attribute.kind} "
        f"Actual: {tag} IndexName: {index.name}"
    )


def compiled(definition: Mapping[str, Any]) -> TableSchema:
    """A table from its entry in the catalog."""
    kinds = {each["AttributeName"]: each["AttributeType"] for each in definition["AttributeDefinitions"]}
    key = KeySchema.of(definition["KeySchema"], kinds)
    indexes = [_index(each, kinds, key, is_global=False) for each in definition["LocalSecondaryIndexes"]]
    indexes += [_index(each, kinds, key, is_global=True) for each in definition["GlobalSecondaryIndexes"]]
    stream, expiry = definition.get("stream"), definition.get("expiry")
    recovery = definition.get("recovery")
    return TableSchema(
        name=definition["TableName"],
        key=key,
        indexes=tuple(indexes),
        rows=definition["rows"],
        stream=Stream(**stream) if stream else None,
        expiry=expiry["attribute"] if expiry else None,
        expiry_rows=expiry["rows"] if expiry else None,
        definition=definition,
        log=recovery["log"] if recovery else None,
    )


def _index(
    description: Mapping[str, Any], kinds: Mapping[str, str], base: KeySchema, *, is_global: bool
) -> IndexSchema:
    key = KeySchema.of(description["KeySchema"], kinds)
    projection = description["Projection"]["ProjectionType"]
    included = frozenset(description["Projection"].get("NonKeyAttributes", ()))
    names = None if projection == "ALL" else included | {*key.names, *base.names}
    filling = bool(description.get("Backfilling"))
    return IndexSchema(
        description["IndexName"], is_global, key, projection, included, description["rows"], names, filling
    )
