"""What the commands share."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from hansang.apps.platform.api_keys import ApiKeys
from hansang.apps.platform.design import Platform
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import NoSuchTable, SettingsError
from hansang.surfaces.cli.designs import load
from hansang.surfaces.cli.support import Figure, open_database, place_of, print_json, print_rows
from tests.surfaces.support import Address

AT = datetime(2026, 11, 15, 18, 30, tzinfo=timezone(timedelta(hours=9)))


def test_a_new_data_file_gets_the_platforms_table_with_its_time_to_live(tmp_path: Path) -> None:
    place = str(tmp_path / "new.db")
    with open_database(place) as database:
        list(ApiKeys(database, lambda: 0.0).each())
    with Embedded.open(place) as backend:
        kept = backend.call("DescribeTimeToLive", {"TableName": Platform.name})
    assert kept["TimeToLiveDescription"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ExpiresAt"}


def test_tables_have_the_suffix_that_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSANG_TABLE_SUFFIX", "-dev")
    with open_database(str(tmp_path / "new.db")) as database:
        assert database.backend.call("ListTables", {}) == {"TableNames": [f"{Platform.name}-dev"]}


@pytest.mark.parametrize(("durability", "synchronous"), [("", 2), ("full", 2), ("normal", 1)])
def test_a_data_file_is_opened_as_the_environment_says(
    durability: str, synchronous: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSANG_DURABILITY", durability)
    monkeypatch.setenv("HANSANG_REGION", "ap-northeast-2")
    with open_database(str(tmp_path / "new.db")) as database:
        assert isinstance(database.backend, Embedded)
        with database.backend.engine.store.snapshot() as reader:
            assert reader.execute("PRAGMA synchronous").fetchone() == (synchronous,)
        table = database.backend.call("DescribeTable", {"TableName": Platform.name})["Table"]
    assert table["TableArn"].startswith("arn:aws:dynamodb:ap-northeast-2:")


def test_a_place_without_the_table_says_how_to_make_it(
    endpoint: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    place = f"http://{endpoint.host}:{endpoint.port}"
    remedy = f"Run: hansang tables create platform --data {place}"
    with pytest.raises(NoSuchTable, match=remedy), open_database(place):
        pytest.fail("It was opened.")


def test_the_platform_is_a_design_by_its_short_name() -> None:
    assert load(["platform"]).tables == (Platform,)


def test_the_place_is_given_or_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSANG_DATA", "there.db")
    assert place_of(None) == "there.db"
    assert place_of("here.db") == "here.db"
    monkeypatch.delenv("HANSANG_DATA")
    assert place_of(None) == "hansang.db"


def test_a_place_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="not a valid data location"), open_database("ftp://host"):
        pytest.fail("It was opened.")


def test_json_has_times_and_sets_in_one_form(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"at": AT, "scopes": frozenset({"b", "a"}), "name": "윤서연"})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"at": "2026-11-15T09:30:00Z", "scopes": ["a", "b"], "name": "윤서연"}
    assert "윤서연" in printed


def test_what_json_has_no_form_for_is_an_error() -> None:
    with pytest.raises(TypeError, match="object has no form in JSON"):
        print_json(object())


def test_rows_are_as_wide_as_they_have_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(["name", "count", "at", "there", "gone"], [("가" * 80, 12345, AT.astimezone(UTC), True, None)])
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.split() == ["가" * 80, "12,345", "2026-11-15T09:30:00Z", "yes", "-"]


def test_numbers_end_at_the_right_and_all_else_begins_at_the_left(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("07", 5, Figure("+1.5%"), None, True), ("12345", 12345, None, None, False)]
    print_rows(["id", "count", "share", "none", "is"], rows)
    heads, _, first, second = capsys.readouterr().out.splitlines()
    assert heads == "id       count   share   none   is "
    assert first == "07           5   +1.5%   -      yes"
    assert second == "12345   12,345       -   -      no "


def test_rows_fit_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", "40")):
        monkeypatch.setenv(name, value)
    print_rows(["name", "text"], [("seoyeon", "word " * 30)])
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert len(lines) > 4
    assert max(map(len, lines)) <= 40


def test_a_cell_cannot_speak_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(["agent"], [("\x1b[2J[red]gone[/red]\n",)])
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "�[2J[red]gone[/red]�" in printed


def test_a_database_of_a_command_is_closed(tmp_path: Path) -> None:
    with open_database(str(tmp_path / "new.db")) as database:
        assert isinstance(database, Database)
        backend = database.backend
    assert isinstance(backend, Embedded)
    with pytest.raises(Exception, match="closed"):
        backend.call("ListTables", {})
