"""A data file of tables that are elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.blueprint.copying import fingerprint, tables_of
from hansang.blueprint.live import differences
from hansang.blueprint.pulling import pull
from hansang.design import Database
from hansang.errors import NoSuchTable, Refused, SettingsError, StoreError
from tests.blueprint.designs import Faulty, Shop

PLACE = "aws:ap-northeast-2"
LARGE = 300_000


def silent(step: str, done: int, total: int) -> None:
    """Nobody watches."""


@pytest.fixture
def source() -> Iterator[Embedded]:
    """Two tables, of which one has twelve large items, which is four pages, some long expired."""
    with Embedded.open(":memory:") as backend:
        Database(backend).create_tables(Shop, Faulty)
        for number in range(12):
            item = {"PK": {"S": f"LARGE#{number}"}, "SK": {"S": "METADATA"}, "text": {"S": "x" * LARGE}}
            expiring = {"expiresAt": {"N": "1000000000"}} if number % 2 else {}
            backend.call("PutItem", {"TableName": "Shop", "Item": item | expiring})
        yield backend


class Breaking:
    """A backend that is cut off after some pages."""

    def __init__(self, backend: Embedded, pages: int) -> None:
        self.backend, self.left = backend, pages

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "Scan":
            self.left -= 1
            if self.left < 0:
                raise ConnectionError("cut off")
        return self.backend.call(operation, request)


def test_the_file_has_every_table_and_every_item(source: Embedded, tmp_path: Path) -> None:
    target, heard = tmp_path / "all.db", list[tuple[str, int, int]]()
    contents = pull(source, PLACE, target, lambda *step: heard.append(step))
    assert {each.name: each.items for each in contents.tables} == {"Faulty": 0, "Shop": 12}
    assert ("copy Shop", 12, 12) in heard
    assert os.listdir(tmp_path) == ["all.db"]
    with Embedded.open(target) as copy:
        assert fingerprint(copy, "Shop", lambda _: None) == fingerprint(source, "Shop", lambda _: None)
        assert differences(copy, Shop, "Shop") == []


def test_tables_can_be_named(source: Embedded, tmp_path: Path) -> None:
    pull(source, PLACE, tmp_path / "shop.db", silent, tables=["Shop"])
    with Embedded.open(tmp_path / "shop.db") as copy:
        assert tables_of(copy) == ["Shop"]
    with pytest.raises(NoSuchTable, match="Table Gone not found"):
        pull(source, PLACE, tmp_path / "gone.db", silent, tables=["Gone"])
    with (
        Embedded.open() as nothing,
        pytest.raises(NoSuchTable, match="No tables found in aws:ap-northeast-2"),
    ):
        pull(nothing, PLACE, tmp_path / "none.db", silent)


def test_an_interrupted_copy_goes_on_where_it_was(source: Embedded, tmp_path: Path) -> None:
    target = tmp_path / "shop.db"
    with pytest.raises(ConnectionError):
        pull(Breaking(source, 2), PLACE, target, silent, tables=["Shop"])
    assert not target.exists()
    heard: list[tuple[str, int, int]] = []
    contents = pull(source, PLACE, target, lambda *step: heard.append(step), tables=["Shop"])
    assert contents.items == 12
    assert heard[0][1] > 3
    assert os.listdir(tmp_path) == ["shop.db"]


def test_an_interrupted_copy_is_not_mixed_with_another(source: Embedded, tmp_path: Path) -> None:
    target = tmp_path / "shop.db"
    with pytest.raises(ConnectionError):
        pull(Breaking(source, 2), PLACE, target, silent)
    with pytest.raises(SettingsError, match=r"from aws:ap-northeast-2 to .*shop\.db"):
        pull(source, "aws:eu-west-1", target, silent)
    with pytest.raises(SettingsError, match="was to have Faulty too"):
        pull(source, PLACE, target, silent, tables=["Shop"])
    assert pull(source, PLACE, target, silent).items == 12


def test_a_note_without_its_file_is_forgotten(source: Embedded, tmp_path: Path) -> None:
    target = tmp_path / "shop.db"
    with pytest.raises(ConnectionError):
        pull(Breaking(source, 3), PLACE, target, silent)
    (tmp_path / "shop.db.partial").unlink()
    assert pull(source, PLACE, target, silent).items == 12


def test_a_file_that_lost_items_is_begun_anew(source: Embedded, tmp_path: Path) -> None:
    target = tmp_path / "shop.db"
    with pytest.raises(ConnectionError):
        pull(Breaking(source, 3), PLACE, target, silent, tables=["Shop"])
    with Embedded.open(tmp_path / "shop.db.partial") as partial:
        [item, *_] = partial.call("Scan", {"TableName": "Shop"})["Items"]
        partial.call("DeleteItem", {"TableName": "Shop", "Key": {each: item[each] for each in ("PK", "SK")}})
    with pytest.raises(Refused, match=r"Shop did not arrive completely. Run the same command again."):
        pull(source, PLACE, target, silent, tables=["Shop"])
    assert pull(source, PLACE, target, silent, tables=["Shop"]).items == 12


def test_what_is_there_is_replaced_only_when_told(source: Embedded, tmp_path: Path) -> None:
    target = tmp_path / "shop.db"
    target.write_text("mine")
    with pytest.raises(StoreError, match="--force"):
        pull(source, PLACE, target, silent)
    assert target.read_text() == "mine"
    assert pull(source, PLACE, target, silent, replace=True).items == 12
