"""Copies of tables: every item, once interrupted or not, and the proof that they are equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.backends.embedded import Embedded
from hansang.blueprint.copy_state import CopyState
from hansang.blueprint.copying import copy_table, expected_items, fingerprint, tables_of
from hansang.blueprint.fingerprints import Fingerprint, canonical
from hansang.blueprint.live import differences
from hansang.design import Database
from hansang.errors import NoSuchTable, SettingsError
from tests.blueprint.designs import EXAMPLES, Shop

LARGE = 300_000


@pytest.fixture
def source() -> Iterator[Embedded]:
    """A table of twelve large items, which is four pages, and two others."""
    with Embedded.open(":memory:") as backend:
        db = Database(backend)
        db.create_tables(Shop)
        for example in EXAMPLES:
            db.put(example)
        for number in range(12):
            item = {"PK": {"S": f"LARGE#{number}"}, "SK": {"S": "METADATA"}, "text": {"S": "x" * LARGE}}
            backend.call("PutItem", {"TableName": "Shop", "Item": item})
        yield backend


@pytest.fixture
def target() -> Iterator[Embedded]:
    with Embedded.open(":memory:") as backend:
        yield backend


@pytest.fixture
def state(tmp_path: Path) -> CopyState:
    return CopyState(tmp_path / "copy.json", "here", "there")


class Breaking:
    """A backend that is cut off after some writes."""

    def __init__(self, backend: Embedded, writes: int) -> None:
        self.backend, self.left = backend, writes

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "BatchWriteItem":
            self.left -= 1
            if self.left < 0:
                raise ConnectionError("cut off")
        return self.backend.call(operation, request)


def both(source: Embedded, target: Embedded, name: str = "Shop") -> tuple[Fingerprint, Fingerprint]:
    seen: list[int] = []
    return fingerprint(source, "Shop", seen.append), fingerprint(target, name, seen.append)


def test_a_copy_has_every_item_and_the_same_table(
    source: Embedded, target: Embedded, state: CopyState
) -> None:
    seen: list[int] = []
    assert copy_table(source, target, "Shop", "Shop", state, seen.append) == 14
    assert sum(seen) == 14
    ours, theirs = both(source, target)
    assert ours == theirs
    assert ours.count == 14
    assert differences(target, Shop, "Shop") == []


def test_an_interrupted_copy_goes_on_where_it_was(
    source: Embedded, target: Embedded, state: CopyState
) -> None:
    with pytest.raises(ConnectionError):
        copy_table(source, Breaking(target, 2), "Shop", "Shop", state, lambda _: None)
    again = CopyState(state.path, "here", "there")
    before = again.of("Shop")
    assert 0 < before.copied < 14
    seen: list[int] = []
    assert copy_table(source, target, "Shop", "Shop", again, seen.append) == 14
    assert seen[0] == before.copied
    ours, theirs = both(source, target)
    assert ours == theirs


def test_a_finished_copy_is_not_done_again(source: Embedded, target: Embedded, state: CopyState) -> None:
    copy_table(source, target, "Shop", "Shop", state, lambda _: None)
    assert copy_table(source, Breaking(target, 0), "Shop", "Shop", state, lambda _: None) == 14


def test_a_restarted_copy_is(source: Embedded, target: Embedded, state: CopyState) -> None:
    copy_table(source, target, "Shop", "Shop", state, lambda _: None)
    state.restart("Shop")
    with pytest.raises(ConnectionError):
        copy_table(source, Breaking(target, 0), "Shop", "Shop", state, lambda _: None)


def test_a_difference_of_one_attribute_shows(source: Embedded, target: Embedded, state: CopyState) -> None:
    copy_table(source, target, "Shop", "Other", state, lambda _: None)
    item = {"PK": {"S": "LARGE#1"}, "SK": {"S": "METADATA"}, "text": {"S": "y"}}
    target.call("PutItem", {"TableName": "Other", "Item": item})
    ours, theirs = both(source, target, "Other")
    assert ours.count == theirs.count
    assert ours != theirs


def test_a_table_that_is_not_there_cannot_be_copied(target: Embedded) -> None:
    with pytest.raises(NoSuchTable, match="Table Gone not found"):
        expected_items(target, "Gone")


def test_tables_are_listed_and_counted(source: Embedded) -> None:
    assert tables_of(source) == ["Shop"]
    assert expected_items(source, "Shop") == 14


def test_the_state_of_another_copy_is_refused(state: CopyState) -> None:
    state.advance("Shop", None, 1)
    with pytest.raises(SettingsError, match="from here to there"):
        CopyState(state.path, "here", "elsewhere")


def test_a_file_that_is_no_state_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text("[]")
    with pytest.raises(SettingsError, match="not the state of a copy"):
        CopyState(path, "here", "there")
    assert path.read_text() == "[]"


ITEMS = st.lists(
    st.dictionaries(st.text(min_size=1), st.builds(lambda text: {"S": text}, st.text())), max_size=6
)


@given(ITEMS, st.randoms())
def test_a_fingerprint_does_not_depend_on_order(items: list[Any], chance: Any) -> None:
    shuffled = list(items)
    chance.shuffle(shuffled)
    assert Fingerprint().with_items(items) == Fingerprint().with_items(shuffled)


def test_values_that_mean_the_same_have_one_form() -> None:
    one = {"M": {"a": {"N": "1.0"}, "b": {"SS": ["y", "x"]}, "c": {"L": [{"NS": ["10", "2.50"]}]}}}
    other = {"M": {"a": {"N": "1"}, "b": {"SS": ["x", "y"]}, "c": {"L": [{"NS": ["2.5", "1E+1"]}]}}}
    assert canonical(one) == canonical(other)
    assert canonical({"N": "-0"}) == {"N": "0"}
