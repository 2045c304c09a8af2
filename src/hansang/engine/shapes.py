"""The shape of a request as data, and the check of a request against it.

DynamoDB reads a request in two steps before it looks at anything else: first the JSON must have the
form of the parameters (SerializationException), then every parameter must keep its limits, and all
parameters that do not are named in one ValidationException.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from hansang.engine.faults import invalid, unreadable
from hansang.engine.values import json_kind, readable


class Parameter:
    """One parameter: how to read it, and what it must satisfy."""

    required = False
    alone = False

    def fits(self, value: Any) -> bool:
        """Whether the value is all right, asked on every request; reasons are asked for later."""
        raise NotImplementedError

    def read(self, value: Any) -> None:
        """Refuse JSON of another form."""
        raise NotImplementedError

    def faults(self, value: Any, path: str) -> Iterator[str]:
        """Every limit that the value breaks, in DynamoDB's words."""
        raise NotImplementedError

    def show(self, value: Any) -> str:
        return str(value)

    def broken(self, value: Any, path: str, constraint: str) -> str:
        return f"Value '{self.show(value)}' at '{path}' failed to satisfy constraint: {constraint}"


class Text(Parameter):
    """A string with limits on its length, its characters or its choice."""

    def __init__(
        self,
        *choices: str,
        shortest: int = 0,
        longest: int | None = None,
        pattern: str | None = None,
        alone: bool = False,
    ) -> None:
        self.choices = choices
        self.shortest, self.longest = shortest, longest
        self.pattern = re.compile(pattern) if pattern else None
        self.alone = alone

    def fits(self, value: Any) -> bool:
        if type(value) is not str:
            return False
        if self.choices:
            return value in self.choices
        if len(value) < self.shortest or (self.longest is not None and len(value) > self.longest):
            return False
        return self.pattern is None or self.pattern.fullmatch(value) is not None

    @property
    def limits(self) -> list[str]:
        """What a text has to satisfy, where all of it is said at once."""
        found = [f"Member must have length greater than or equal to {self.shortest}"]
        if self.longest is not None:
            found.insert(0, f"Member must have length less than or equal to {self.longest}")
        if self.pattern is not None:
            found.append(f"Member must satisfy regular expression pattern: {self.pattern.pattern}")
        return found

    def read(self, value: Any) -> None:
        _read_scalar(value, str, "String")

    def faults(self, value: str, path: str) -> Iterator[str]:
        if self.choices and value not in self.choices:
            allowed = ", ".join(self.choices)
            yield self.broken(value, path, f"Member must satisfy enum value set: [{allowed}]")
        if self.pattern and not self.pattern.fullmatch(value) and (value or not self.alone):
            yield self.broken(
                value, path, f"Member must satisfy regular expression pattern: {self.pattern.pattern}"
            )
        yield from _length_faults(self, value, path, self.shortest, self.longest)


class Whole(Parameter):
    """An integer with limits."""

    def __init__(self, least: int | None = None, most: int | None = None, kind: str = "Integer") -> None:
        self.least, self.most, self.kind = least, most, kind

    def fits(self, value: Any) -> bool:
        return (
            type(value) is int
            and (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
        )

    def read(self, value: Any) -> None:
        if type(value) is not int:
            _read_scalar(value, int, self.kind)

    def faults(self, value: int, path: str) -> Iterator[str]:
        if self.least is not None and value < self.least:
            yield self.broken(value, path, f"Member must have value greater than or equal to {self.least}")
        if self.most is not None and value > self.most:
            yield self.broken(value, path, f"Member must have value less than or equal to {self.most}")


class Flag(Parameter):
    """True or false."""

    def fits(self, value: Any) -> bool:
        return type(value) is bool

    def read(self, value: Any) -> None:
        _read_scalar(value, bool, "Boolean")

    def faults(self, value: bool, path: str) -> Iterator[str]:
        return iter(())


class Value(Parameter):
    """One attribute value. What is in it is checked when the value is accepted."""

    def fits(self, value: Any) -> bool:
        return type(value) is dict

    def read(self, value: Any) -> None:
        readable(value)

    def faults(self, value: Any, path: str) -> Iterator[str]:
        return iter(())

    def show(self, value: Any) -> str:
        return f"AttributeValue({', '.join(f'{tag.lower()}={content}' for tag, content in value.items())})"


class Map(Parameter):
    """A map from names, free ones or of one shape, to members of one shape."""

    def __init__(
        self,
        member: Parameter,
        *,
        fewest: int = 0,
        lengths: tuple[int, int] | None = None,
        names: Text | None = None,
    ) -> None:
        self.member, self.fewest, self.lengths, self.names = member, fewest, lengths, names
        self._plain = isinstance(member, Value)

    def fits(self, value: Any) -> bool:
        if type(value) is not dict or len(value) < self.fewest:
            return False
        if self._plain:
            return True
        if self.names and not all(map(self.names.fits, value)):
            return False
        if self.lengths and not all(
            type(member) is list and self.lengths[0] <= len(member) <= self.lengths[1]
            for member in value.values()
        ):
            return False
        return all(map(self.member.fits, value.values()))

    def read(self, value: Any) -> None:
        if type(value) is list:
            raise unreadable("Unrecognized collection type java.util.Map")
        if type(value) is not dict:
            raise unreadable("Unexpected field type")
        for member in value.values():
            _read_member(self.member, member)

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        yield from _length_faults(self, value, path, self.fewest, None)
        if self.names and not all(map(self.names.fits, value)):
            limits = ", ".join(self.names.limits)
            yield self.broken(value, path, f"Map keys must satisfy constraint: [{limits}]")
        if self.lengths:
            fewest, most = self.lengths
            if not all(fewest <= len(member) <= most for member in value.values()):
                limits = (
                    f"Member must have length less than or equal to {most}, "
                    f"Member must have length greater than or equal to {fewest}"
                )
                yield self.broken(value, path, f"Map value must satisfy constraint: [{limits}]")
        for name, member in value.items():
            yield from self.member.faults(member, f"{path}.{name}.member")

    def show(self, value: Any) -> str:
        return "{" + ", ".join(f"{name}={self.member.show(member)}" for name, member in value.items()) + "}"


class Many(Parameter):
    """A list of members of one shape."""

    def __init__(self, member: Parameter, *, fewest: int = 0, most: int | None = None) -> None:
        self.member, self.fewest, self.most = member, fewest, most

    def fits(self, value: Any) -> bool:
        return (
            type(value) is list
            and len(value) >= self.fewest
            and (self.most is None or len(value) <= self.most)
            and all(map(self.member.fits, value))
        )

    def read(self, value: Any) -> None:
        if type(value) is dict:
            raise unreadable("Start of structure or map found where not expected")
        if type(value) is not list:
            raise unreadable("Unexpected field type")
        for member in value:
            _read_member(self.member, member)

    def faults(self, value: list[Any], path: str) -> Iterator[str]:
        yield from _length_faults(self, value, path, self.fewest, self.most)
        for position, member in enumerate(value, 1):
            yield from self.member.faults(member, f"{path}.{position}.member")

    def show(self, value: Any) -> str:
        return "[" + ", ".join(map(self.member.show, value)) + "]"


class Struct(Parameter):
    """Named members, each of its own shape."""

    def __init__(self, title: str, **fields: Parameter) -> None:
        self.title, self.fields = title, fields
        self._checks = {name: field.fits for name, field in fields.items()}
        self._required = [name for name, field in fields.items() if field.required]

    def fits(self, value: Any) -> bool:
        if type(value) is not dict:
            return False
        checks = self._checks
        for name, member in value.items():
            check = checks.get(name)
            if check is not None and not check(member) and member is not None:
                return False
        for name in self._required:  # noqa: SIM110 - a generator takes three times as long
            if value.get(name) is None:
                return False
        return True

    def read(self, value: Any) -> None:
        if type(value) is list:
            raise unreadable(
                f"Unrecognized collection type class com.amazonaws.dynamodb.v20120810.{self.title}"
            )
        if type(value) is not dict:
            raise unreadable("Unexpected field type")
        for name, field in self.fields.items():
            if value.get(name) is not None:
                field.read(value[name])

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        for name, field in self.fields.items():
            member, where = value.get(name), f"{path}.{_camel(name)}" if path else _camel(name)
            if member is not None:
                yield from field.faults(member, where)
            elif field.required:
                yield _null(where)

    def show(self, value: Any) -> str:
        members = ((name, field, value.get(name)) for name, field in self.fields.items())
        shown = (
            f"{_camel(name)}={'null' if member is None else field.show(member)}"
            for name, field, member in members
        )
        return f"{self.title}({', '.join(shown)})"


class RequestShape(Struct):
    """All parameters of an operation."""

    def __init__(self, **fields: Parameter) -> None:
        super().__init__("Request", **fields)

    def check(self, request: Mapping[str, Any]) -> None:
        if not self.fits(request):
            self._refuse(request)

    def _refuse(self, request: Mapping[str, Any]) -> None:
        self.read(request)
        for name, field in self.fields.items():
            if field.alone and request.get(name) is not None:
                faults = list(field.faults(request[name], _camel(name)))
                _raise(faults if request[name] else [*faults, *self._missing(request)])
        _raise(list(self.faults(dict(request), "")))

    def _missing(self, request: Mapping[str, Any]) -> Iterator[str]:
        """What has to be there and is not: said beside a name that is empty, as nothing else is."""
        for name in self._required:
            if request.get(name) is None:
                yield _null(_camel(name))


def required(field: Parameter) -> Parameter:
    """The same field, that must be there."""
    copy = object.__new__(type(field))
    copy.__dict__.update(field.__dict__, required=True)
    return copy


def _read_member(field: Parameter, member: Any) -> None:
    """Read a member of a list or of a map, of which DynamoDB speaks otherwise than of a field."""
    if member is None or (isinstance(field, Struct) and type(member) not in (dict, list)):
        raise unreadable("Unexpected value type in payload")
    field.read(member)


_MOST_FAULTS = 10


def _raise(faults: list[str]) -> None:
    faults = faults[:_MOST_FAULTS]
    if faults:
        plural = "s" if len(faults) > 1 else ""
        raise invalid(f"{len(faults)} validation error{plural} detected: {'; '.join(faults)}")


def _null(path: str) -> str:
    return f"Value null at '{path}' failed to satisfy constraint: Member must not be null"


def _camel(name: str) -> str:
    return name[0].lower() + name[1:]


def _length_faults(field: Parameter, value: Any, path: str, fewest: int, most: int | None) -> Iterator[str]:
    if len(value) < fewest:
        yield field.broken(value, path, f"Member must have length greater than or equal to {fewest}")
    if most is not None and len(value) > most:
        yield field.broken(value, path, f"Member must have length less than or equal to {most}")


def _read_scalar(value: Any, wanted: type, name: str) -> None:
    if type(value) is wanted:
        return
    if type(value) is dict:
        raise unreadable("Start of structure or map found where not expected")
    if type(value) is list:
        raise unreadable(f"Unrecognized collection type class java.lang.{name}")
    raise unreadable(f"{json_kind(value)}_VALUE cannot be converted to {name}")


# ── the parameters that many operations share ─────────────────────────────────────────────────────

_TABLE_ARN = re.compile(r"arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:[0-9]{12}:table/([a-zA-Z0-9_.-]{1,255})")


def table_in(name: str) -> str:
    """The table that a request means: DynamoDB takes a table's ARN wherever it takes its name."""
    match = _TABLE_ARN.fullmatch(name) if name.startswith("arn:") else None
    return match[1] if match else name


class TableName(Text):
    """A table's name, or its ARN."""

    def fits(self, value: Any) -> bool:
        return type(value) is str and self._known(value)

    @lru_cache(maxsize=1024)  # noqa: B019 - there is one of it, and it lives as long as the program
    def _known(self, value: str) -> bool:
        return super().fits(value) or table_in(value) != value


TABLE_NAME = TableName(shortest=1, longest=255, pattern="[a-zA-Z0-9_.-]+", alone=True)
NEW_TABLE_NAME = Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+", alone=True)
INDEX_NAME = Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+")
ITEM = Map(Value())
NAMES = Map(Text(longest=65535))
VALUES = Map(Value())
EXPRESSION = Text()
CONSUMED_CAPACITY = Text("INDEXES", "TOTAL", "NONE")
COLLECTION_METRICS = Text("SIZE", "NONE")
ON_CONDITION_FAILURE = Text("ALL_OLD", "NONE")
