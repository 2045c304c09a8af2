"""Attribute values in wire form: checked, brought into normal form, measured, compared.

A value is a dict of one member, `{"S": "text"}`. Everything is JSON: a binary is base64 text.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from hansang.engine import numbers
from hansang.engine.faults import INVALID_PARAMETER, invalid, invalid_parameter, invalid_value, unreadable
from hansang.errors import WireError

Value = dict[str, Any]
Item = dict[str, Value]

SCALARS = frozenset("SNB")
SETS = frozenset({"SS", "NS", "BS"})
TYPES = ("B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M")
TYPE_NAMES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "SS": "STRING_SET",
    "NS": "NUMBER_SET",
    "BS": "BINARY_SET",
    "L": "LIST",
    "M": "MAP",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
}

TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
LARGEST_ITEM = 400 * 1024
LONGEST_NAME = 65535
_DEEPEST = 31
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def kind(value: Value) -> str:
    return next(iter(value))


def text_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


# ── acceptance ────────────────────────────────────────────────────────────────────────────────────


def accept_item(item: Mapping[str, Any]) -> tuple[Item, int]:
    """The item in normal form, and its size by DynamoDB's rule. What is not valid is refused."""
    accepted: Item = {}
    total = 0
    for name, value in item.items():
        weight = len(name) if name.isascii() else len(name.encode())
        if not 0 < weight <= LONGEST_NAME:
            raise _bad_name(weight)
        total += weight
        # Strings are most of what there is, and need no more than to be measured.
        text = value.get("S") if type(value) is dict else None
        if type(text) is str and len(value) == 1:
            accepted[name] = value
            total += len(text) if text.isascii() else len(text.encode())
        else:
            accepted[name], weight = accept(value)
            total += weight
    return accepted, total


def accept(value: Any, depth: int = 0) -> tuple[Value, int]:
    """The value in normal form and its size. `depth` counts the lists and maps around it."""
    if type(value) is dict and len(value) == 1:
        [(tag, content)] = value.items()
        if tag == "S" and type(content) is str:
            return value, len(content) if content.isascii() else len(content.encode())
        if content is not None and (accepter := _ACCEPT.get(tag)):
            return accepter(value, content, depth)
    raise _malformed(value)


def check_name(name: str) -> None:
    """Refuse a name that no attribute can have."""
    weight = len(name.encode())
    if not 0 < weight <= LONGEST_NAME:
        raise _bad_name(weight)


def _bad_name(weight: int) -> WireError:
    if not weight:
        return invalid("Empty attribute name")
    return invalid(f"Attribute name is too large, must be less than {LONGEST_NAME + 1} bytes")


def _malformed(value: Any) -> WireError:
    readable(value)
    members = [tag for tag, content in value.items() if content is not None and tag in _ACCEPT]
    if "N" in members:
        # Of several members DynamoDB reads the number first.
        numbers.normal(value["N"])
    if len(members) > 1:
        return invalid(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    return invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")


def _accept_text(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    _expect_text(content)
    return value, text_size(content)


def _accept_number(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    _expect_text(content)
    text = numbers.normal(content)
    return value if text is content else {"N": text}, numbers.size(text)


def _accept_binary(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    return value, len(decoded(content))


def _accept_flag(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    _expect_flag(content)
    return value, 1


def _accept_null(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    _expect_flag(content)
    if not content:
        raise invalid_parameter("Null attribute value types must have the value of true")
    return value, 1


def _accept_list(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    _expect_list(content)
    _expect_shallow(depth)
    accepted, total = [], 3
    for member in content:
        normal_form, weight = accept(member, depth + 1)
        accepted.append(normal_form)
        total += weight + 1
    return {"L": accepted}, total


def _accept_map(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    _expect_map(content)
    _expect_shallow(depth)
    accepted, total = {}, 3
    for name, member in content.items():
        length = text_size(name)
        if not 0 < length <= LONGEST_NAME:
            raise _bad_name(length)
        accepted[name], weight = accept(member, depth + 1)
        total += weight + 1 + length
    return {"M": accepted}, total


def _accept_texts(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    _expect_list(content, _expect_text)
    if not content:
        raise invalid_parameter("An string set  may not be empty")
    if len(set(content)) < len(content):
        raise invalid_value(
            f"{INVALID_PARAMETER}Input collection [{', '.join(content)}] contains duplicates."
        )
    return {"SS": in_order("SS", content)}, sum(map(text_size, content))


def _accept_numbers(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    _expect_list(content, _expect_text)
    if not content:
        raise invalid_value(f"{INVALID_PARAMETER}An number set  may not be empty")
    normal_forms = [numbers.normal(text) for text in content]
    if len(set(normal_forms)) < len(normal_forms):
        raise invalid_value("Input collection contains duplicates")
    return {"NS": in_order("NS", normal_forms)}, sum(map(numbers.size, normal_forms))


def _accept_binaries(value: Value, content: Any, depth: int) -> tuple[Value, int]:
    _expect_list(content, decoded)
    if not content:
        raise invalid_parameter("Binary sets should not be empty")
    if len(set(content)) < len(content):
        raise invalid_value(
            f"{INVALID_PARAMETER}Input collection [{', '.join(content)}]of type BS contains duplicates."
        )
    return {"BS": in_order("BS", content)}, sum(len(decoded(text)) for text in content)


_ACCEPT: dict[str, Callable[[Value, Any, int], tuple[Value, int]]] = {
    "S": _accept_text,
    "N": _accept_number,
    "B": _accept_binary,
    "BOOL": _accept_flag,
    "NULL": _accept_null,
    "L": _accept_list,
    "M": _accept_map,
    "SS": _accept_texts,
    "NS": _accept_numbers,
    "BS": _accept_binaries,
}


def _expect_shallow(depth: int) -> None:
    if depth >= _DEEPEST:
        raise invalid(TOO_DEEP)


# ── readability: is the JSON of the form that a value has? ────────────────────────────────────────


def readable(value: Any, depth: int = 0) -> None:
    """Refuse what cannot be read as an attribute value at all, before any rule is looked at."""
    _expect_map(value)
    _expect_shallow(depth - 1)
    for tag, content in value.items():
        if content is not None and (expectation := _EXPECT.get(tag)):
            expectation(content, depth)


def _readable_list(content: Any, depth: int) -> None:
    _expect_list(content)
    for member in content:
        readable(member, depth + 1)


def _readable_map(content: Any, depth: int) -> None:
    _expect_map(content)
    for member in content.values():
        readable(member, depth + 1)


def _expect_text(content: Any) -> None:
    if type(content) is not str:
        raise unreadable(_unfit(content, "String"))


def _expect_binary(content: Any) -> None:
    decoded(content)


def _expect_flag(content: Any) -> None:
    if type(content) is not bool:
        raise unreadable(_unfit(content, "Boolean"))


def _expect_list(content: Any, member: Callable[[Any], object] | None = None) -> None:
    if type(content) is dict:
        raise unreadable("Start of structure or map found where not expected")
    if type(content) is not list:
        raise unreadable("Unexpected field type")
    if member is not None:
        for each in content:
            member(each)


def _expect_map(content: Any) -> None:
    if type(content) is list:
        raise unreadable("Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue")
    if type(content) is not dict:
        raise unreadable("Unexpected value type in payload")


def _unfit(content: Any, wanted: str) -> str:
    if type(content) is dict:
        return "Start of structure or map found where not expected"
    if type(content) is list:
        return f"Unrecognized collection type class java.lang.{wanted}"
    return f"{json_kind(content)}_VALUE cannot be converted to {wanted}"


def json_kind(content: Any) -> str:
    if content is None:
        return "NULL"
    if isinstance(content, bool):
        return "TRUE" if content else "FALSE"
    if isinstance(content, int):
        return "NUMBER"
    return "DECIMAL" if isinstance(content, float) else "STRING"


def decoded(content: Any) -> bytes:
    """The bytes of a binary value."""
    if type(content) is not str:
        if type(content) in (dict, list):
            raise unreadable(_unfit(content, "String").replace("java.lang.String", "java.nio.ByteBuffer"))
        raise unreadable("only base-64-encoded strings are convertible to bytes")
    try:
        raw = binascii.a2b_base64(content, strict_mode=True)
    except ValueError as reason:
        raise unreadable(f"'{content}' can not be converted to a Blob: {_base64_fault(content)}") from reason
    if binascii.b2a_base64(raw, newline=False) != content.encode():
        fault = "Invalid last non-pad Base64 character dectected"
        raise unreadable(f"'{content}' can not be converted to a Blob: {fault}")
    return raw


def _base64_fault(content: str) -> str:
    if len(content) % 4:
        return f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(content)}"
    strange = next((c for c in content if not (c.isascii() and (c.isalnum() or c in "+/"))), "=")
    return f"Invalid Base64 character: '{strange}'"


def encoded(raw: bytes) -> str:
    return binascii.b2a_base64(raw, newline=False).decode()


_EXPECT: dict[str, Callable[[Any, int], None]] = {
    "S": lambda content, _: _expect_text(content),
    "N": lambda content, _: _expect_text(content),
    "B": lambda content, _: _expect_binary(content),
    "BOOL": lambda content, _: _expect_flag(content),
    "NULL": lambda content, _: _expect_flag(content),
    "L": _readable_list,
    "M": _readable_map,
    "SS": lambda content, _: _expect_list(content, _expect_text),
    "NS": lambda content, _: _expect_list(content, _expect_text),
    "BS": lambda content, _: _expect_list(content, decoded),
}


# ── measure ───────────────────────────────────────────────────────────────────────────────────────


def item_size(item: Item) -> int:
    """Size of an item that is in normal form already."""
    return sum(text_size(name) + value_size(value) for name, value in item.items())


def value_size(value: Value) -> int:
    [(tag, content)] = value.items()
    return _SIZES[tag](content)


_SIZES: dict[str, Callable[[Any], int]] = {
    "S": text_size,
    "N": numbers.size,
    "B": lambda text: len(decoded(text)),
    "BOOL": lambda _: 1,
    "NULL": lambda _: 1,
    "SS": lambda texts: sum(map(text_size, texts)),
    "NS": lambda texts: sum(map(numbers.size, texts)),
    "BS": lambda texts: sum(len(decoded(text)) for text in texts),
    "L": lambda members: 3 + sum(1 + value_size(member) for member in members),
    "M": lambda members: (
        3 + sum(1 + text_size(name) + value_size(member) for name, member in members.items())
    ),
}


def length(value: Value) -> int | None:
    """What the function `size` answers; None where the type has no size."""
    [(tag, content)] = value.items()
    if tag == "S":
        # As Java counts: a character beyond the first 65,536 is two.
        return len(content) + len(_ASTRAL.findall(content))
    if tag == "B":
        return len(decoded(content))
    return len(content) if tag in ("L", "M", "SS", "NS", "BS") else None


# ── comparison ────────────────────────────────────────────────────────────────────────────────────


def equal(left: Value, right: Value) -> bool:
    """Whether two values are the same; sets have no order."""
    if left == right:
        return True
    [(tag, ours)] = left.items()
    if tag not in right:
        return False
    theirs = right[tag]
    if tag in SETS:
        return set(ours) == set(theirs)
    if tag == "L":
        return len(ours) == len(theirs) and all(map(equal, ours, theirs))
    if tag == "M":
        return ours.keys() == theirs.keys() and _equal_members(ours, theirs)
    return False


def _equal_members(ours: Item, theirs: Item) -> bool:
    for name, value in ours.items():
        other = theirs[name]
        # Most members are the same, which needs no call.
        if value != other and not equal(value, other):
            return False
    return True


def comparable(value: Value) -> Any:
    """Something that Python orders as DynamoDB orders values of this type.

    Code points sort as their UTF-8 bytes do, so strings stand for themselves.
    """
    [(tag, content)] = value.items()
    if tag == "N":
        return Decimal(content)
    return decoded(content) if tag == "B" else content


_ORDERS: dict[str, Callable[[str], Any] | None] = {"SS": None, "NS": Decimal, "BS": decoded}


def in_order(tag: str, members: Iterable[str]) -> list[str]:
    """The members of a set as DynamoDB answers them: texts and binaries by their bytes, numbers by value."""
    return sorted(members, key=_ORDERS[tag])


def union(tag: str, ours: Iterable[str], theirs: Iterable[str]) -> Value:
    return {tag: in_order(tag, {*ours, *theirs})}


def difference(tag: str, ours: Iterable[str], theirs: Iterable[str]) -> Value | None:
    """What is left of a set; an emptied set is no value."""
    gone = set(theirs)
    left = [member for member in ours if member not in gone]
    return {tag: left} if left else None


def copied(value: Value) -> Value:
    """A value that can be changed without changing this one."""
    [(tag, content)] = value.items()
    if tag == "L":
        return {"L": [copied(member) for member in content]}
    if tag == "M":
        return {"M": {name: copied(member) for name, member in content.items()}}
    return {tag: list(content)} if tag in SETS else {tag: content}
