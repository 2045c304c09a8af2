"""Keys, entities and views: what a design's items are in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, dataclass_transform, overload

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic import Field as PydanticField

from hansang.design.codec import Codec, Value, to_python, to_value
from hansang.design.expressions import Condition
from hansang.design.fields import Field
from hansang.design.kinds import expect_views_apart, tell_apart
from hansang.design.marks import mark_of
from hansang.design.paths import reachable
from hansang.design.planner import lean, plan, shape_of_kind
from hansang.design.query import Pattern, Query, indexes_named, patterns
from hansang.design.reasons import reason_of
from hansang.design.scans import Scan
from hansang.design.shape import IndexKeys, Shape
from hansang.design.slots import guard_of
from hansang.design.table import Index, Table
from hansang.design.templates import Template
from hansang.errors import DesignError, InvalidInput

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)

T = TypeVar("T")
E = TypeVar("E", bound="Entity", covariant=True)


@dataclass(frozen=True)
class Derived(Generic[T]):
    """An attribute that is worked out from a field and follows it: `Name_Lower` from `Name`."""

    attribute: str
    of: str
    by: Callable[[Any], T]
    codec: Codec | None = None

    def encode(self, values: Mapping[str, Any]) -> Value | None:
        return self.encode_from(values[self.of])

    def encode_from(self, source: Any) -> Value | None:
        """The attribute that follows from a value of the field."""
        found = None if source is None else self.by(source)
        return None if found is None else to_value(found)

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> T: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> T: ...
    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        if instance is None:
            references = owner.__dict__.get("__references__", {})
            return next((each for each in references.values() if each.attribute == self.attribute), self)
        source = instance.__dict__[self.of]
        return None if source is None else self.by(source)


def derived(attribute: str, *, of: str, by: Callable[[Any], T]) -> Derived[T]:
    """An attribute that is worked out from the field `of`, and written whenever that is."""
    return Derived(attribute, of, by)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(PydanticField,))
class Meta(ModelMetaclass):
    """Makes `Post.title` a field that conditions are written with."""

    if not TYPE_CHECKING:  # A checker that saw these would take every name for an attribute.

        def __getattr__(cls, name: str) -> Any:  # noqa: N805
            fields = cls.__dict__.get("__references__")
            if fields is not None and name in fields:
                return reachable(fields[name])
            if name.startswith("_"):
                return super().__getattr__(name)
            if fields is None and name in getattr(cls, "__pydantic_fields__", {}):
                raise AttributeError(
                    f"{cls.__name__} belongs to no entity yet, so {cls.__name__}.{name} cannot be asked for. Derive an "
                    "Entity from it, with its table."
                )
            raise AttributeError(f"{cls.__name__} has no field {name}. It has {', '.join(fields or ())}.")


class Model(BaseModel, metaclass=Meta):
    """What keys, entities and views have in common: they do not change once they are made."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        ignored_types=(Derived, Pattern),
        arbitrary_types_allowed=True,
        validate_default=False,
        hide_input_in_errors=True,
    )

    __derived__: ClassVar[Mapping[str, Derived[Any]]] = {}
    __shape__: ClassVar[Shape | None] = None
    __templates__: ClassVar[tuple[Template, Template | None] | None] = None

    if not TYPE_CHECKING:  # A checker that saw this would take every name for an attribute.

        def __getattr__(self, name: str) -> Any:
            # What was read from a table has its fields alone; the rest of a model is the same for all of them.
            if name in ("__pydantic_extra__", "__pydantic_private__"):
                return None
            if name == "__pydantic_fields_set__":
                return set(type(self).model_fields)
            return super().__getattr__(name)

    @classmethod
    def __pydantic_init_subclass__(cls, **rest: Any) -> None:
        """Have pydantic refuse what it would otherwise turn into a day or a number without a word.

        What is marked is not in the `repr` of an entity, which may come into a log.
        """
        for info in cls.model_fields.values():
            info.repr = info.repr and mark_of(info) is None
        guarded = [(info, guard) for info in cls.model_fields.values() if (guard := guard_of(info))]
        for info, guard in guarded:
            info.metadata.append(guard)
        if guarded:
            cls.model_rebuild(force=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The same with other values for some fields, which are checked as when it was made."""
        shape = type(self).__shape__
        if not update or shape is None:
            return super().model_copy(update=update, deep=deep)
        slots = {name: slot for name, slot in shape.slots.items() if name in type(self).model_fields}
        for name in update:
            if name not in slots:
                raise InvalidInput(f"{type(self).__name__} has no field {name}.", name)
        decorators = type(self).__pydantic_decorators__
        if decorators.model_validators or decorators.field_validators:
            # Validators may look at several fields.
            checked = self._checked({**self.__dict__, **update})
            return super().model_copy(update={name: checked[name] for name in update}, deep=deep)
        return super().model_copy(
            update={name: slots[name].check(value) for name, value in update.items()}, deep=deep
        )

    def _checked(self, values: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return type(self)(**values).__dict__
        except ValidationError as fault:
            first = fault.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            marked = [name for name, info in type(self).model_fields.items() if mark_of(info) is not None]
            is_told = field.partition(".")[0] not in ("", *marked) if marked else True
            message = reason_of(first) if is_told else "the value is not valid"
            raise InvalidInput(f"{type(self).__name__}.{field or 'as a whole'}: {message}.", field) from fault


class Key(Model, Generic[E]):
    """The key of an entity: the fields that its partition key and its sort key are made of."""

    __entity__: ClassVar[Any] = None

    def __class_getitem__(cls, entity: Any) -> Any:
        # Which entity a key belongs to matters to type checkers; here the entity says so itself.
        return cls

    def __init_subclass__(cls, *, pk: str | None = None, sk: str | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if pk is not None:
            cls.__templates__ = (Template.parse(pk), None if sk is None else Template.parse(sk))
            cls.__entity__ = None


class Entity(Model):
    """A kind of item of a table: its key, and its attributes."""

    def __init_subclass__(
        cls,
        *,
        table: type[Table] | None = None,
        type: str | None = None,  # noqa: A002 - the document's own word
        index_keys: Mapping[Index, tuple[str, str | None]] | None = None,
        **rest: Any,
    ) -> None:
        super().__init_subclass__(**rest)

    @classmethod
    def __pydantic_init_subclass__(
        cls,
        *,
        table: type[Table] | None = None,
        type: str | None = None,  # noqa: A002
        index_keys: Mapping[Index, tuple[str, str | None]] | None = None,
        **rest: Any,
    ) -> None:
        super().__pydantic_init_subclass__(**rest)
        if table is None:
            return
        _expect_no_parent(cls)
        keys = _own_keys(cls)
        for key in keys:
            if key.__entity__ is not None:
                raise DesignError(
                    f"{key.__name__} is the key of {key.__entity__.__name__} already. Give {cls.__name__} a key of its own."
                )
        shape = _shaped(cls, table, type, index_keys=index_keys or {})
        tell_apart(shape, table.shapes)
        for each in patterns(cls):
            for index in indexes_named(each.function, table):
                if not shape.is_whole_in(index):
                    raise lean(shape, index)
        for view in table.views:
            expect_views_apart(view, [shape])
        table.shapes.append(shape)
        for key in keys:
            key.__entity__ = cls
            key.__shape__ = shape
            _refer(key, shape)

    @classmethod
    def query(cls, *conditions: Condition | bool, index: Index | None = None) -> Query[Self]:
        """The items of this kind that the conditions on key fields name, in the order of the sort key."""
        return plan((cls,), conditions, index)

    @classmethod
    def scan(cls) -> Scan[Self]:
        """Every item of this kind, in no order. The whole table is read and paid for."""
        return Scan.of(shape_of_kind(cls))


class View(Model):
    """What an index holds of an entity, exactly what it projects; or, `of` an entity, some of its fields."""

    __index__: ClassVar[Index | None] = None

    def __init_subclass__(
        cls, *, index: Index | None = None, of: type[Entity] | None = None, **rest: Any
    ) -> None:
        super().__init_subclass__(**rest)

    @classmethod
    def __pydantic_init_subclass__(
        cls, *, index: Index | None = None, of: type[Entity] | None = None, **rest: Any
    ) -> None:
        super().__pydantic_init_subclass__(**rest)
        if of is not None:
            _project(cls, of, index)
            return
        if index is None:
            return
        cls.__index__ = index
        shape = _shaped(cls, index.table, None, index=index)
        for slot in shape.slots.values():
            if slot.attribute is not None and not index.projects(slot.attribute):
                raise DesignError(
                    f"{cls.__name__}.{slot.name} is the attribute {slot.attribute}, which the index {index.name} "
                    "does not project. Leave the field out, or project the attribute.",
                    rule="H004",
                )
        expect_views_apart(shape, index.table.shapes)
        index.table.views.append(shape)

    @classmethod
    def query(cls, *conditions: Condition | bool) -> Query[Self]:
        """The entries of the view's index that the conditions on its key name."""
        _expect_index(cls)
        return plan((cls,), conditions, cls.__index__)

    @classmethod
    def scan(cls) -> Scan[Self]:
        """Every entry of the view's index, in no order. The whole index is read and paid for."""
        _expect_index(cls)
        return Scan.of(shape_of_kind(cls))


def _expect_index(view: type[View]) -> None:
    shape = view.__shape__
    if shape is not None and shape.entity is not None and shape.is_projection:
        kind = shape.entity.cls.__name__
        raise DesignError(
            f"{view.__name__} is some fields of {kind}. Ask for {kind}, and .select({view.__name__})."
        )


def _project(view: type[View], of: type[Entity], index: Index | None) -> None:
    """Make a view some of the fields of an entity."""
    entity = shape_of_kind(of)
    if index is not None:
        raise DesignError(
            f"{view.__name__} is of {of.__name__} or of the index {index.name}. Give one of them."
        )
    if view.__templates__ != of.__templates__:
        raise DesignError(f"{view.__name__} has another key than {of.__name__}. Derive it from the same Key.")
    _shaped(view, entity.table, None, entity=entity)


def _expect_no_parent(cls: type[Model]) -> None:
    """Refuse an entity of an entity: their items could not be told apart, nor their keys."""
    for base in cls.__mro__[1:]:
        if issubclass(base, Entity) and base.__dict__.get("__shape__") is not None:
            raise DesignError(
                f"{cls.__name__} is derived from {base.__name__}, which has items of its own. Put what both have into an "
                "Entity without a table, and derive both from that."
            )


def _own_keys(cls: type[Model]) -> list[type[Key[Any]]]:
    return [
        base
        for base in cls.__mro__[1:]
        if issubclass(base, Key) and base.__dict__.get("__templates__") is not None
    ]


def _shaped(
    cls: type[Model],
    table: type[Table],
    type_name: str | None,
    *,
    index_keys: IndexKeys | None = None,
    index: Index | None = None,
    entity: Shape | None = None,
) -> Shape:
    templates = cls.__templates__
    if templates is None:
        raise DesignError(f"{cls.__name__} has no key. Derive it from a Key with pk=… and sk=….")
    cls.__derived__ = {
        name: each
        for base in reversed(cls.__mro__)
        for name, each in vars(base).items()
        if isinstance(each, Derived)
    }
    if index is not None:
        entity = _entity_of(cls, table)
    shape = Shape(
        cls,
        table,
        *templates,
        type_name=type_name if entity is None else entity.type_name,
        index_keys=index_keys,
        index=index,
        entity=entity,
    )
    cls.__shape__ = shape
    _refer(cls, shape)
    return shape


def _entity_of(view: type[Model], table: type[Table]) -> Shape | None:
    """The shape of the entity whose key a view has, if that is of the same table."""
    for key in _own_keys(view):
        if key.__shape__ is not None and key.__shape__.table is table:
            return key.__shape__
    return None


def _refer(cls: type[Any], shape: Shape) -> None:
    """Give the class its fields, for conditions."""
    references = {
        slot.name: Field(
            cls,
            slot.name,
            slot.attribute,
            slot.codec,
            slot,
            key=shape.table.pk if slot.name in shape.key_fields else None,
        )
        for slot in shape.slots.values()
        if slot.name in cls.model_fields
    }
    for name, each in shape.derived.items() if cls is shape.cls else ():
        is_key = any(each.attribute in index.keys for index in shape.table.indexes)
        references[name] = Field(
            cls,
            name,
            each.attribute,
            Codec(None, to_value, to_python),
            normalizes=is_key,
            source=shape.slots.get(each.of),
        )
    cls.__references__ = references
