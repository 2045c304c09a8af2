"""Marks of fields that are not for everybody: secrets, and personal data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hansang.design.codec import marks
from hansang.errors import DesignError

Role = Literal["owner", "editor", "viewer"]
"""What somebody is to an application. Each may do what the ones after it may."""

ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class SecretField:
    """Marks a value that leaves the server for nobody: `Annotated[str, SecretField()]`."""

    @property
    def roles(self) -> tuple[Role, ...]:
        """Whoever sees the value: nobody."""
        return ()


@dataclass(frozen=True, slots=True)
class Personal:
    """Marks what is about a person, and who sees it: `Annotated[str, Personal(roles=("owner",))]`."""

    roles: tuple[Role, ...] = ("owner", "editor")

    def __post_init__(self) -> None:
        unknown = [each for each in self.roles if each not in ROLES]
        if unknown or not self.roles or not isinstance(self.roles, tuple):
            raise DesignError(
                f"Personal(roles={self.roles!r}) names nobody who could see it. Give a tuple of {', '.join(ROLES)}; "
                "what nobody sees is a SecretField()."
            )


Mark = SecretField | Personal


def mark_of(info: FieldInfo) -> Mark | None:
    """The mark of a field; of two, the stricter."""
    found = [each for each in marks(info) if isinstance(each, SecretField | Personal)]
    return min(found, key=lambda each: max(map(ROLES.index, each.roles), default=-1), default=None)


def shows(mark: Mark | None, role: Role | None) -> bool:
    """Whether somebody with this role sees what is marked so; None is somebody with no role."""
    if mark is None:
        return True
    return role is not None and any(ROLES.index(role) <= ROLES.index(each) for each in mark.roles)


def expect_marks_outside(owner: type[Any], name: str, annotation: Any) -> None:
    """Refuse a mark inside of a field's value, where nobody would look for it."""
    for model in _models(annotation, set()):
        for inner, info in model.model_fields.items():
            if mark_of(info) is not None:
                raise DesignError(
                    f"{model.__name__}.{inner} is marked, and it is a part of {owner.__name__}.{name}. "
                    f"Mark the whole field {name} instead."
                )


def _models(annotation: Any, seen: set[type[BaseModel]]) -> set[type[BaseModel]]:
    """The models that a value of this type is made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in seen:
        seen.add(annotation)
        for info in annotation.model_fields.values():
            _models(info.annotation, seen)
    for each in get_args(annotation):
        _models(each, seen)
    return seen
