"""Entities as JSON: no digit lost, bytes in base64."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from hansang.design import Entity, Key, Table
from hansang.errors import DesignError
from hansang.surfaces.api.patterns import page_model
from hansang.surfaces.api.writing import form, items_json
from hansang.surfaces.http.exact_json import exact


class Drawers(Table, name="Drawers"):
    """A table for these tests."""


class Free(BaseModel):
    """Takes anything."""

    model_config = ConfigDict(extra="allow")


class DrawerKey(Key["Drawer"], pk="DRAWER#{id}", sk="ALL"):
    """The key of a drawer."""

    id: str


class Drawer(DrawerKey, Entity, table=Drawers):
    """Everything that can be in one."""

    price: Decimal | None = None
    binary: bytes | None = None
    anything: Any = None
    free: Free | None = None


class KindedKey(Key["Kinded"], pk="KINDED#{kind}", sk="ALL"):
    """The key of something that calls a field kind."""

    kind: str


class Kinded(KindedKey, Entity, table=Drawers):
    """Something that calls a field kind."""


def test_typed_decimals_are_text_and_open_ones_numbers() -> None:
    drawer = Drawer(id="d", price=Decimal("1.10"), anything={"n": Decimal("1.10"), "m": 2**70})
    written = form(Drawer, "viewer").json(drawer)
    assert b'"price":"1.10"' in written
    assert b'"anything":{"n":1.10,"m":1180591620717411303424}' in written


def test_bytes_are_written_in_base64() -> None:
    assert b'"binary":"/wA="' in form(Drawer, "viewer").json(Drawer(id="d", binary=b"\xff\x00"))


def test_a_list_is_written_like_its_members() -> None:
    one, two = Drawer(id="1"), Drawer(id="2", binary=b"x")
    written = items_json([one, two], (Drawer,), "viewer")
    assert written == b"[" + form(Drawer, "viewer").json(one) + b"," + form(Drawer, "viewer").json(two) + b"]"


def test_sets_become_sorted_lists() -> None:
    assert exact({"a": {3, 1, 2}}) == {"a": [1, 2, 3]}


def test_a_field_called_kind_cannot_stand_among_other_kinds() -> None:
    with pytest.raises(DesignError, match="Kinded has a field kind"):
        page_model("Kinded.all", (Kinded, Drawer))
