"""Where one field is stored, what it may be, and what its absence means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, NewType, get_args, get_origin

from pydantic import (
    AfterValidator,
    BeforeValidator,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    WrapValidator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, SchemaValidator, core_schema

from hansang.design.codec import (
    Attr,
    Codec,
    Value,
    codec_for,
    marks,
    nullable,
    optional,
    plain,
    said_of,
    unmarked,
)
from hansang.design.guards import DAY, DECIMAL, InputGuard
from hansang.design.inputs import example_of
from hansang.design.marks import Mark, mark_of
from hansang.design.normalize import normalize_nfc
from hansang.design.reasons import reason_of
from hansang.design.templates import shown
from hansang.design.timestamps import Touched
from hansang.errors import DesignError, InvalidInput, InvalidKey


class Counted:
    """Marks a number that the database raises with every write, and checks."""


Version = Annotated[int, Counted()]
"""How often an item was written: `version: Version = 0`. The database raises and checks it."""


UNTOLD = "a value that is not told"
"""What a message says in place of a secret or of personal data."""

_GUARDS: dict[Any, InputGuard] = {date: DAY, Decimal: DECIMAL}


def guard_of(info: FieldInfo) -> InputGuard | None:
    """What a field still needs, so that pydantic does not turn something else into its value."""
    kind = unmarked(info.annotation)
    found = _GUARDS.get(kind) if isinstance(kind, type) else None
    return None if found in info.metadata else found


@dataclass(frozen=True)
class Slot:
    """Where a field is stored. A field that is in a key alone has no attribute of its own."""

    owner: type[Any]
    name: str
    info: FieldInfo
    attribute: str | None
    codec: Codec
    normalizes: bool = False
    """Whether its text is part of a key, and so is normalized to NFC."""
    is_key: bool = False
    """Whether its attribute is the key of an index by itself, and so is never empty."""

    @classmethod
    def of(
        cls,
        owner: type[Any],
        name: str,
        info: FieldInfo,
        attribute: str | None,
        *,
        normalizes: bool,
        is_key: bool,
    ) -> Slot:
        try:
            codec = codec_for(plain(info.annotation), said_of(info))
        except DesignError as fault:
            raise DesignError(f"{owner.__name__}.{name}: {fault}") from fault
        found = cls(owner, name, info, attribute, codec, normalizes, is_key)
        return replace(found, codec=nullable(codec)) if found.keeps_null else found

    def __repr__(self) -> str:
        return f"{self.owner.__name__}.{self.name}"

    # ── what it is ────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def annotation(self) -> Any:
        return unmarked(self.info.annotation)

    @cached_property
    def optional(self) -> bool:
        return optional(self.info.annotation)

    @property
    def default(self) -> Any:
        return self.info.default

    @property
    def default_factory(self) -> Any:
        return self.info.default_factory

    @cached_property
    def is_set(self) -> bool:
        return self.codec.kind in ("SS", "NS", "BS")

    @cached_property
    def is_version(self) -> bool:
        return any(isinstance(each, Counted) for each in marks(self.info))

    @cached_property
    def is_touched(self) -> bool:
        return any(isinstance(each, Touched) for each in marks(self.info))

    @cached_property
    def mark(self) -> Mark | None:
        """Whether it is a secret, or personal and whose eyes it is for."""
        return mark_of(self.info)

    @cached_property
    def keeps_null(self) -> bool:
        """Whether None has to be stored, because an absent attribute means something else."""
        return self.optional and not self.is_required and self.absent() is not None

    @cached_property
    def is_required(self) -> bool:
        """Whether an item without the attribute cannot be read."""
        has_default = self.default is not PydanticUndefined or self.default_factory is not None
        return not (has_default or self.optional or (self.is_set and not self.lengths[0]))

    @cached_property
    def bounds(self) -> tuple[tuple[str, Any], ...]:
        """What the field's values are compared with by its annotation: `(">=", 0)`."""
        found: list[tuple[str, Any]] = []
        for each in _constraints(self.info):
            for sign, name in ((">=", "ge"), (">", "gt"), ("<=", "le"), ("<", "lt")):
                bound = getattr(each, name, None)
                if bound is not None:
                    exact = Decimal(str(bound)) if isinstance(bound, float) else bound
                    found.append((sign, exact))
        digits, places = self._limit("max_digits"), self._limit("decimal_places")
        if digits is not None and places is not None:
            found += [("<", 10 ** (digits - places)), (">", -(10 ** (digits - places)))]
        return tuple(found)

    def _limit(self, name: str) -> Any:
        """What a constraint of the field says, None where it has none of this name."""
        return next(
            (found for each in _constraints(self.info) if (found := getattr(each, name, None)) is not None),
            None,
        )

    @cached_property
    def lengths(self) -> tuple[int, int | None]:
        """The least and the greatest number of members."""
        least, most = 0, None
        for each in _constraints(self.info):
            least = getattr(each, "min_length", None) or least
            most = getattr(each, "max_length", None) or most
        return least, most

    @cached_property
    def is_counted(self) -> bool:
        """Whether it is a plain number, whose values can be added up and looked at without asking Python."""
        kind = self.annotation.__supertype__ if isinstance(self.annotation, NewType) else self.annotation
        if not (isinstance(kind, type) and issubclass(kind, int | Decimal)) or issubclass(kind, bool | Enum):
            return False
        has_digits = self._limit("max_digits") is not None
        return self.is_plain and (not has_digits or self._limit("decimal_places") is not None)

    @cached_property
    def is_plain(self) -> bool:
        """Whether no function looks at its values, which would not see a part of one."""
        functions = (AfterValidator, BeforeValidator, WrapValidator, PlainValidator)
        decorated = self.owner.__pydantic_decorators__.field_validators.values()
        return not any(isinstance(each, functions) for each in _constraints(self.info)) and not any(
            self.name in each.info.fields for each in decorated
        )

    def absent(self) -> Any:
        """What the field is when the item lacks the attribute; ask only where it is not required."""
        if self.default is not PydanticUndefined or self.default_factory is not None:
            return self.info.get_default(call_default_factory=True, validated_data={})
        return None if self.optional else (get_origin(self.annotation) or self.annotation)()

    def forms(self, value: Any) -> tuple[Value | None, ...]:
        """How a value can be stored: as it is, and by its absence where that means the same; None is absence."""
        encoded = self.encode(value)
        if encoded is not None and not self.is_required and self.absent() == value:
            return encoded, None
        return (encoded,)

    # ── values ────────────────────────────────────────────────────────────────────────────────────

    def encode(self, value: Any) -> Value | None:
        """The attribute of a value, None where its absence says the same."""
        if value is None and not self.keeps_null:
            if self.optional:
                return None
            raise InvalidInput(
                "{field} cannot be None.", self.name, code="design.no-value", values={"field": repr(self)}
            )
        if self.is_set and not value and value is not None:
            self._expect_empty()
            return None
        if self.is_key and value in ("", b""):
            raise InvalidKey(
                "{field} is empty, and it is the key of an index.",
                code="design.empty-index-key",
                values={"field": repr(self)},
            )
        if self.normalizes and isinstance(value, str):
            value = normalize_nfc(value) if type(value) is str else type(value)(normalize_nfc(value))
        try:
            return self.codec.encode(value)
        except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as reason:
            raise self._misfit(value, str(reason)) from reason

    def _expect_empty(self) -> None:
        """An empty set is no attribute, and that must not mean anything else."""
        if self.absent():
            raise InvalidInput(
                "{field} cannot be empty: without it, it would be {absent!r}.",
                self.name,
                code="design.empty-value",
                values={"field": repr(self), "absent": self.absent()},
            )
        if self.absent() is None:
            raise InvalidInput(
                "{field} cannot be an empty set, which DynamoDB cannot tell from None. Give None, or "
                "declare it without None.",
                self.name,
                code="design.empty-set",
                values={"field": repr(self)},
            )

    def _misfit(self, value: Any, reason: str, found: Mapping[str, Any] | None = None) -> InvalidInput:
        if self.mark is not None:
            return InvalidInput(
                "{field} cannot be {value}.",
                self.name,
                value,
                code="design.refused-marked",
                values={"field": repr(self), "value": UNTOLD},
            )
        return InvalidInput(
            "{field} cannot be {value}: {reason}.",
            self.name,
            value,
            code="design.refused-value",
            values={"field": repr(self), "value": shown(value), "reason": reason},
            found=found,
        )

    def check(self, value: Any) -> Any:
        """The value as the field's own validators have it, or InvalidInput."""
        return self._checked(self._validator.validate_python, value)

    def check_member(self, member: Any) -> Any:
        """One of what the field's value is made of."""
        return self._checked(self._member.validate_python, member)

    def check_part(self, value: Any) -> Any:
        """A value that is added to the field's own, or taken from it: of its type, whatever its bounds."""
        if isinstance(value, float):
            raise self._misfit(value, "a float is not exact; give a whole number or a Decimal")
        found = self._checked(self._loose.validate_python, value)
        places, unit = self._limit("decimal_places"), self._limit("multiple_of")
        if places is not None and isinstance(found, Decimal) and found != round(found, places):
            raise self._misfit(value, f"it has at most {places} digits after the decimal point")
        if unit is not None and found % unit:
            raise self._misfit(value, f"it has to be a multiple of {unit}")
        return found

    def _checked(self, validate: Callable[[Any], Any], value: Any) -> Any:
        try:
            return validate(value)
        except (TypeError, AttributeError, KeyError) as fault:
            raise DesignError(
                f"The validator of {self!r} needs more than its value ({fault}), so it cannot be checked alone. Replace the "
                "whole entity, or check by a validator of the value."
            ) from fault
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            example = example_of(self.info)
            found = {**first, "example": example}
            raise self._misfit(value, reason_of(first, example), found) from None

    @cached_property
    def _validator(self) -> SchemaValidator:
        return SchemaValidator(_field_schema(self.owner, self.name))

    @cached_property
    def _member(self) -> TypeAdapter[Any]:
        arguments = get_args(self.annotation)
        return TypeAdapter(arguments[-1] if arguments else Any)

    @cached_property
    def _loose(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.annotation)


def _field_schema(owner: Any, name: str) -> Any:
    """What pydantic checks of one field, with its validators, as it is inside the schema of the model."""
    schema, definitions = owner.__pydantic_core_schema__, None
    while schema["type"] != "model-fields":
        definitions = schema.get("definitions", definitions)
        schema = schema["schema"]
    found = schema["fields"][name]["schema"]
    return found if definitions is None else core_schema.definitions_schema(found, definitions)


def attribute_name(info: FieldInfo) -> str | None:
    """The name that `Attr` gives to a field's attribute, if there is one."""
    return next((each.name for each in marks(info) if isinstance(each, Attr)), None)


def _constraints(info: FieldInfo) -> Iterator[Any]:
    """The bounds of a field, also those that stand inside of a `Field(…)`."""
    for each in marks(info):
        yield each
        yield from getattr(each, "metadata", ()) if isinstance(each, FieldInfo) else ()
