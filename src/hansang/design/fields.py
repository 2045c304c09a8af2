"""Fields of entities, as their classes give them: `Post.title`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hansang.design.codec import Codec, Value, to_python, to_value
from hansang.design.comparing import Comparison, FieldComparison
from hansang.design.expressions import Condition, ExpressionWriter
from hansang.design.normalize import normalize_nfc
from hansang.design.slots import UNTOLD, Slot
from hansang.design.templates import shown
from hansang.errors import DesignError, InvalidInput


class Field:
    """An attribute of an entity, as a class attribute gives it: `Post.title`."""

    def __init__(
        self,
        owner: type[Any],
        name: str,
        attribute: str | None,
        codec: Codec,
        slot: Slot | None = None,
        *,
        key: str | None = None,
        normalizes: bool = False,
        source: Slot | None = None,
    ) -> None:
        """`key` is the partition key's attribute, given where the field is part of the key of its item.

        `normalizes` says that its text is the key of an index, and so is normalized to NFC. `source` is the field
        that a derived attribute is worked out from.
        """
        self.owner, self.name, self.attribute, self.codec, self.slot = owner, name, attribute, codec, slot
        self.key, self.normalizes = key, normalizes or (slot is not None and slot.normalizes)
        self.is_told = all(each is None or each.mark is None for each in (slot, source))
        """Whether its values may stand in messages."""

    def __repr__(self) -> str:
        return f"{self.owner.__name__}.{self.name}"

    def __hash__(self) -> int:
        return hash((self.owner, self.name))

    if not TYPE_CHECKING:  # What a field has is known to type checkers.

        def __getattr__(self, name: str) -> Any:
            """Say where that may be which a field does not have."""
            if name.startswith("_") or "owner" not in self.__dict__:
                raise AttributeError(name)
            raise AttributeError(
                f"{self!r} is a field and has no {name}. What can be done with it beside comparing is in "
                f"attr({self!r}): set, add, begins_with and the others."
            )

    @property
    def in_key(self) -> bool:
        return self.key is not None

    @property
    def is_nested(self) -> bool:
        """Whether it is a part of another field's value."""
        return False

    def written(self, writer: ExpressionWriter) -> str:
        """Where it is, in an expression."""
        return writer.name(self.stored)

    def stored_in(self, item: dict[str, Value]) -> Value | None:
        """What an item has of it, None where it has nothing."""
        return item.get(self.stored)

    @property
    def stored(self) -> str:
        """The attribute that holds it, or a DesignError."""
        if self.attribute is None:
            raise DesignError(
                f"{self!r} is in the key alone, and DynamoDB tests and filters by attributes only. Store it as well, "
                "with Attr, or look at what comes back."
            )
        return self.attribute

    def told(self, value: Any) -> str:
        """A value of the field, for a message."""
        return repr(value) if self.is_told else UNTOLD

    def check(self, value: Any) -> Any:
        """The value as the field's own validators have it."""
        value = _bare(value)
        if isinstance(value, Field):
            raise DesignError(f"{self!r} is given {value!r}, another field. Give a value.")
        if value is None and self.in_key:
            raise DesignError(f"{self!r} is part of a key, which is never None.")
        if value is None:
            raise DesignError(
                f"{self!r} is compared with None. Write attr({self!r}).missing() or attr({self!r}).exists()."
            )
        return value if self.slot is None else self.slot.check(value)

    def encode(self, value: Any) -> Value:
        """A value of the field as it is stored."""
        checked = self.check(value)
        if self.slot is None:
            normal = normalize_nfc(checked) if self.normalizes and isinstance(checked, str) else checked
            return self._encoded(self.codec, normal)
        found = self.slot.encode(checked)
        if found is None:
            raise InvalidInput(
                f"{self!r} is empty, and nothing is stored of that. Write attr({self!r}).missing()."
            )
        return found

    def normal(self, value: Any) -> Any:
        """A value as it is compared: the texts of keys are normalized to NFC."""
        return normalize_nfc(value) if self.normalizes and isinstance(value, str) else value

    def member(self, member: Any) -> Any:
        """One of the members that the field's value has, as its type has it."""
        if self.slot is None or self.codec.kind in ("S", "B"):
            return member
        return self.slot.check_member(member)

    def encode_part(self, value: Any) -> Value:
        """What is added to the field's value, or taken from it."""
        return self._encoded(self.codec, value if self.slot is None else self.slot.check_part(value))

    def encode_member(self, member: Any) -> Value:
        """One of the members that the field's value has, or a piece of its text."""
        if self.codec.kind in ("S", "B"):
            return self.encode_beginning(member, "contains")
        if self.codec.kind not in ("L", "SS", "NS", "BS", None):
            raise DesignError(f"{self!r} has no members, so it cannot contain any.")
        checked = member if self.slot is None else self.slot.check_member(member)
        return self._encoded(self.codec.member or Codec(None, to_value, to_python), checked)

    def encode_beginning(self, text: Any, verb: str = "begins_with") -> Value:
        """A piece of the field's text."""
        if isinstance(text, str) and self.is_text:
            if not text:
                raise InvalidInput(f"{verb} of {self!r} needs a text that is not empty.")
            return {"S": normalize_nfc(text) if self.normalizes else text}
        if isinstance(text, bytes) and self.codec.kind == "B":
            return self.codec.encode(text)
        raise DesignError(
            f"{self!r} is not text, so {verb} does not apply to it. Compare it, or use between."
        )

    def or_absent(self, writer: ExpressionWriter, written: str, holds: Callable[[Any], bool]) -> str:
        """A condition that also knows what it means that the attribute is not there, where that is a default."""
        default = None if self.slot is None or self.slot.is_required else self.slot.absent()
        if default is None or self.in_key:
            return written
        name = writer.name(self.stored)
        try:
            is_met = holds(
                normalize_nfc(default) if self.normalizes and isinstance(default, str) else default
            )
        except TypeError:
            is_met = False  # Values without an order.
        if not is_met:
            # An attribute that is not there is unequal to everything.
            return f"{written} AND attribute_exists({name})" if " <> " in written else written
        return f"{written} OR attribute_not_exists({name})"

    @property
    def is_text(self) -> bool:
        if self.codec.kind not in ("S", None):
            return False
        kind = str if self.slot is None else self.slot.annotation
        return not (isinstance(kind, type) and not issubclass(kind, str))

    def _encoded(self, codec: Codec, value: Any) -> Value:
        try:
            return codec.encode(value)
        except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as reason:
            why = f"{shown(value)}: {reason}" if self.is_told else UNTOLD
            raise InvalidInput(f"{self!r} cannot be {why}.", self.name) from reason

    def _compared(self, sign: str, value: Any) -> Condition:
        value = _bare(value)
        if isinstance(value, Field):
            return FieldComparison(self, sign, value)
        if sign not in ("=", "<>"):
            self.expect_order()
        return Comparison(self, sign, self.check(value))

    def expect_as_stored(self, verb: str) -> None:
        """Refuse what DynamoDB would do with the stored form of a value that means something else."""
        if self.codec.serialized is not None:
            raise DesignError(
                f"{self!r} has a codec of its own, and {verb} would be done with what is stored. Set or compare it."
            )

    def expect_order(self) -> None:
        """Refuse to compare values by size whose stored forms have another order."""
        mark = self.codec.serialized
        if mark is not None and not mark.ordered:
            raise DesignError(
                f"{self!r} has a codec of its own, and nothing says that what it stores sorts as its values do. "
                "Compare by == or !=, or declare it with ordered=True."
            )

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return self._compared("=", value)

    def __ne__(self, value: object) -> Condition:  # type: ignore[override]
        return self._compared("<>", value)

    def __lt__(self, value: Any) -> Condition:
        return self._compared("<", value)

    def __le__(self, value: Any) -> Condition:
        return self._compared("<=", value)

    def __gt__(self, value: Any) -> Condition:
        return self._compared(">", value)

    def __ge__(self, value: Any) -> Condition:
        return self._compared(">=", value)


def _bare(value: Any) -> Any:
    """A field that its class gives as one that can be gone into, or a value as it is."""
    found = getattr(type(value), "_field", None) and value._field
    return found if isinstance(found, Field) else value
