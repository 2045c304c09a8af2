"""The platform's own table: people and keys, changes, jobs, receipts. One table, like every design here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hansang.design import GSI, Table


class Platform(Table, name="HansangPlatform", type_attribute="Type"):
    """What the shell has to remember; items with ExpiresAt go away by themselves."""

    by_subject = GSI("Subject_At", pk="Subject", sk="At")
    """The changes of one item, in the order of time."""
    by_area = GSI("Area_At", pk="Area", sk="At")
    """The changes of one application, in the order of time."""


_INDEXES = ("Subject_At", "Area_At")


def is_platform(definition: Mapping[str, Any], names: Iterable[str] = ()) -> bool:
    """Whether a table is the platform's of some server: by its name, with any suffix, or by its indexes.

    A server may call its table as it likes, so the indexes decide where the name does not; `names` are further ones.
    """
    name = definition["TableName"].casefold()
    return (
        name.startswith(Platform.name.casefold())
        or name in {each.casefold() for each in names}
        or has_platform_indexes(definition)
    )


def has_platform_indexes(definition: Mapping[str, Any]) -> bool:
    """Whether a table has one of the indexes that only the platform's has."""
    found = definition.get("GlobalSecondaryIndexes") or ()
    return any(each["IndexName"] in _INDEXES for each in found)
