"""The key beside a data file."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from hansang.design import Database
from hansang.errors import SettingsError, StoreError, WrongKey
from hansang.parts.key_file import find_key, make_key, path_beside, renewed_vault, vault_of
from hansang.parts.secrets import secret
from tests.parts.faults import at_once

SETTING = "a key that the environment gives to it"


def test_the_key_is_its_owners_alone_and_stays_the_same(tmp_path: Path) -> None:
    path = tmp_path / "hansang.db.key"
    key = make_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert find_key(path) == key == make_key(path)


def test_processes_that_start_together_get_one_key(tmp_path: Path) -> None:
    found = at_once(8, lambda number: make_key(tmp_path / "hansang.db.key"))
    assert len(set(map(repr, found))) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "hansang.db.key"
    make_key(path)
    path.chmod(mode)
    with pytest.raises(StoreError, match="chmod 600"):
        find_key(path)


def test_a_key_is_not_followed_through_a_link(tmp_path: Path) -> None:
    make_key(tmp_path / "elsewhere")
    (tmp_path / "hansang.db.key").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="could not be opened"):
        find_key(tmp_path / "hansang.db.key")


def test_a_missing_key_beside_sealed_secrets_is_said_and_not_made(tmp_path: Path, database: Database) -> None:
    data = str(tmp_path / "hansang.db")
    secret(database, vault_of(data, None, database), "cookies")
    path_beside(data).unlink()
    with pytest.raises(WrongKey, match=r"hansang secrets renew --data .*hansang\.db") as caught:
        vault_of(data, None, database)
    assert "HANSANG_ENCRYPTION_KEY" in str(caught.value)
    assert not path_beside(data).exists()


def test_the_setting_takes_the_place_of_the_file(tmp_path: Path, database: Database) -> None:
    data = str(tmp_path / "hansang.db")
    vault_of(data, SETTING, database)
    renewed_vault(data, SETTING)
    assert list(tmp_path.iterdir()) == []


def test_a_renewed_key_is_another(tmp_path: Path) -> None:
    data = str(tmp_path / "hansang.db")
    first = make_key(path_beside(data))
    renewed_vault(data, None)
    assert find_key(path_beside(data)) not in (None, first)


@pytest.mark.parametrize("place", ["aws:ap-northeast-2", "http://127.0.0.1:8000"])
def test_where_the_data_are_no_file_the_setting_is_needed(place: str, database: Database) -> None:
    with pytest.raises(SettingsError, match="HANSANG_ENCRYPTION_KEY"):
        vault_of(place, None, database)
    assert vault_of(place, SETTING, database) is not None
