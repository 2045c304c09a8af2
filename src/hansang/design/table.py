"""Tables and indexes, as a design names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from hansang.design.index_key import IndexKey
from hansang.design.table_options import Capacity, Encryption, TableClass, TableOptions
from hansang.errors import DesignError

if TYPE_CHECKING:
    from hansang.design.shape import Shape

Kind = Literal["S", "N", "B"]
StreamView = Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]


class _Projection:
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return self.kind


_MOST_ATTRIBUTES = 4
"""How many attributes a half of an index key may have."""
ALL = _Projection("ALL")
KEYS_ONLY = _Projection("KEYS_ONLY")


@dataclass(eq=False)
class Index(IndexKey):
    """A secondary index: the attributes of its key, and what it projects."""

    name: str
    pk: str
    sk: str | None = None
    project: _Projection | Sequence[str] = ALL
    is_global: bool = True
    more_pk: tuple[str, ...] = ()
    """Further attributes of its partition key, all of which a question names."""
    more_sk: tuple[str, ...] = ()
    """Further attributes of its sort key, in their order."""
    capacity: Capacity | None = None
    """What a global index has of its own; without it, as much as its table."""
    table: type[Table] = field(init=False)
    label: str = field(init=False, default="")

    def __post_init__(self) -> None:
        if isinstance(self.project, str):
            raise DesignError(
                f"The index {self.name} projects {self.project!r}, a text. Give ALL, KEYS_ONLY, or a list of attributes."
            )

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.label = name

    def __repr__(self) -> str:
        return f"{self.table.__name__}.{self.label}" if hasattr(self, "table") else self.name

    def projects(self, attribute: str) -> bool:
        """Whether the index holds this attribute."""
        if self.project is ALL or attribute in self.keys or attribute in self.table.key_attributes():
            return True
        return not isinstance(self.project, _Projection) and attribute in self.project

    def definition(self) -> dict[str, Any]:
        """The index in the form of CreateTable."""
        if isinstance(self.project, _Projection):
            projection: dict[str, Any] = {"ProjectionType": self.project.kind}
        else:
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(self.project)}
        keys = [{"AttributeName": each, "KeyType": "HASH"} for each in self.partition_keys]
        keys += [{"AttributeName": each, "KeyType": "RANGE"} for each in self.sort_keys]
        found: dict[str, Any] = {"IndexName": self.name, "KeySchema": keys, "Projection": projection}
        capacity = self.capacity or self.table.options.capacity
        if capacity is not None and self.is_global:
            found["ProvisionedThroughput"] = capacity.definition()
        return found


def GSI(  # noqa: N802 - DynamoDB's own word
    name: str,
    *,
    pk: str | Sequence[str],
    sk: str | Sequence[str] | None = None,
    project: _Projection | Sequence[str] = ALL,
    capacity: Capacity | None = None,
) -> Index:
    """A global secondary index; each half of its key may be of up to four attributes."""
    first, *more_pk = _attributes(name, pk)
    second, *more_sk = _attributes(name, sk) if sk is not None else (None,)
    if len({first, *more_pk, second, *more_sk}) != 2 + len(more_pk) + len(more_sk):
        raise DesignError(f"The key of the index {name} has an attribute twice.")
    return Index(
        name,
        first,
        second,
        project,
        more_pk=tuple(more_pk),
        more_sk=tuple(filter(None, more_sk)),
        capacity=capacity,
    )


def _attributes(name: str, given: str | Sequence[str]) -> tuple[str, ...]:
    found = (given,) if isinstance(given, str) else tuple(given)
    if not 1 <= len(found) <= _MOST_ATTRIBUTES:
        raise DesignError(
            f"A half of the key of the index {name} has {len(found)} attributes; DynamoDB takes 1 to {_MOST_ATTRIBUTES}."
        )
    return found


def LSI(name: str, *, sk: str, project: _Projection | Sequence[str] = ALL) -> Index:  # noqa: N802
    """A local secondary index: the table's partition key, and another sort key."""
    return Index(name, "", sk, project, is_global=False)


def key_schema(pk: str, sk: str | None) -> list[dict[str, str]]:
    schema = [{"AttributeName": pk, "KeyType": "HASH"}]
    if sk is not None:
        schema.append({"AttributeName": sk, "KeyType": "RANGE"})
    return schema


class Table:
    """One DynamoDB table of a design. Its entities say what is in it."""

    name: ClassVar[str]
    pk: ClassVar[str]
    sk: ClassVar[str | None]
    type_attribute: ClassVar[str | None]
    stream: ClassVar[StreamView | None]
    expires: ClassVar[bool]
    options: ClassVar[TableOptions]
    """How it is run."""
    indexes: ClassVar[tuple[Index, ...]]
    shapes: ClassVar[list[Shape]]
    """The entities of the table."""
    views: ClassVar[list[Shape]]
    """What its indexes hold of them."""

    def __init_subclass__(
        cls,
        *,
        name: str,
        pk: str = "PK",
        sk: str | None = "SK",
        type_attribute: str | None = None,
        stream: StreamView | None = None,
        expires: bool = True,
        capacity: Capacity | None = None,
        point_in_time_recovery: bool | None = None,
        deletion_protection: bool = False,
        encryption: Encryption | None = None,
        table_class: TableClass = "STANDARD",
    ) -> None:
        """`expires=False` leaves the time to live off, though an entity has an attribute for it."""
        cls.name, cls.pk, cls.sk = name, pk, sk
        cls.type_attribute, cls.stream, cls.expires = type_attribute, stream, expires
        cls.indexes = tuple(each for each in vars(cls).values() if isinstance(each, Index))
        cls.shapes, cls.views = [], []
        cls.options = TableOptions(
            capacity, point_in_time_recovery, deletion_protection, encryption, table_class
        )
        for index in cls.indexes:
            index.table = cls
            if index.capacity is not None and capacity is None:
                raise DesignError(
                    f"The index {index.name} has a capacity of its own, and {cls.__name__} is paid for by request. Give the "
                    "table a capacity too."
                )
            if not index.is_global:
                if sk is None:
                    raise DesignError(
                        f"{cls.__name__} has no sort key, and a local index {index.name} needs one."
                    )
                index.pk = pk

    @classmethod
    def key_attributes(cls) -> tuple[str, ...]:
        return (cls.pk,) if cls.sk is None else (cls.pk, cls.sk)

    @classmethod
    def _stored_hint(cls, attribute: str) -> str:
        """What to do about a key attribute that is a field in a key alone."""
        owner = next((shape for shape in cls.shapes if attribute in shape.slots), None)
        if owner is None:
            return ""
        name = owner.cls.__name__
        return (
            f" {name}.{attribute} stands in the key of {name} alone. Store it as an attribute too: "
            f'Annotated[…, Attr("{attribute}")].'
        )

    @classmethod
    def kind_of(cls, attribute: str) -> Kind:
        """The type of a key attribute, as the entities of the table have it."""
        kinds = {kind for shape in cls.shapes if (kind := shape.kind_of(attribute)) is not None}
        if attribute == cls.type_attribute:
            kinds.add("S")
        if len(kinds) > 1:
            raise DesignError(
                f"The key attribute {attribute} of {cls.__name__} is {' and '.join(sorted(kinds))} in different "
                "entities. A key attribute has one type."
            )
        if not kinds:
            raise DesignError(
                f"No entity of {cls.__name__} has the key attribute {attribute}.{cls._stored_hint(attribute)}"
            )
        found = kinds.pop()
        if found not in ("S", "N", "B"):
            raise DesignError(
                f"The key attribute {attribute} of {cls.__name__} is of type {found}; a key is S, N or B."
            )
        return cast(Kind, found)

    @classmethod
    def definition(cls, name: str | None = None) -> dict[str, Any]:
        """The request that creates the table."""
        names = dict.fromkeys([*cls.key_attributes(), *(key for index in cls.indexes for key in index.keys)])
        request: dict[str, Any] = {
            "TableName": name or cls.name,
            "AttributeDefinitions": [
                {"AttributeName": each, "AttributeType": cls.kind_of(each)} for each in names
            ],
            "KeySchema": key_schema(cls.pk, cls.sk),
            **cls.options.definition(),
        }
        for title, is_global in (("GlobalSecondaryIndexes", True), ("LocalSecondaryIndexes", False)):
            found = [index.definition() for index in cls.indexes if index.is_global is is_global]
            if found:
                request[title] = found
        if cls.stream is not None:
            request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": cls.stream}
        return request

    @classmethod
    def time_to_live(cls) -> str | None:
        """The attribute by which items expire, unless the table leaves that off."""
        return cls.expiry_attribute() if cls.expires else None

    @classmethod
    def expiry_attribute(cls) -> str | None:
        """The attribute of the table's time to live, if an entity has one."""
        found = {shape.expiry for shape in cls.shapes if shape.expiry is not None}
        if len(found) > 1:
            raise DesignError(f"{cls.__name__} has several attributes of expiry: {', '.join(sorted(found))}.")
        return found.pop() if found else None
