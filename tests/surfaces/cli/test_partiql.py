"""PartiQL as a command: tables for people, JSON for programs, and nothing written unasked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hansang.apps.codex.design import Category, Credentials
from hansang.errors import AlreadyExists, InvalidInput, NotAllowed, NotFound, WireError
from hansang.settings import ServerSettings
from hansang.surfaces.cli.main import app
from hansang.wiring import open_shell
from tests.surfaces.console.changed import AT

TABLE = '"FMWebAppTable"'
ONE = "\"PK\" = 'CATEGORY#c1' AND \"SK\" = 'METADATA'"
UPDATE = f'UPDATE {TABLE} SET "title" = ? WHERE {ONE}'


def category(number: int) -> Category:
    return Category(id=f"c{number}", title=f"Title c{number}", desc="", created_at=AT, updated_at=AT)


@pytest.fixture
def data(tmp_path: Path) -> str:
    place = str(tmp_path / "data.db")
    with open_shell(ServerSettings(data=place, jobs=False)) as shell:
        shell.database.batch_write(category(number) for number in range(1, 8))
        shell.database.put(Credentials(user_id="u1", password_hash="planted"))
    return place


def run(data: str, *words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, ["partiql", *words, "--data", data], input=typed)


def title(data: str) -> str | None:
    found = json.loads(run(data, f"SELECT * FROM {TABLE} WHERE {ONE}", "--json").stdout)["items"]
    return found[0]["title"]["S"] if found else None


def test_answers_are_a_table_with_their_cost_and_the_way_on(data: str) -> None:
    statement = f'SELECT "PK", "title" FROM {TABLE} WHERE begins_with("PK", ?)'
    seen, words = list[str](), list[str]()
    while True:
        told = run(data, statement, "--parameters", '"CATEGORY#"', "--limit", "3", *words).stdout
        assert "by Scan" in told
        assert "read units." in told
        seen += [line.split()[0] for line in told.splitlines() if line.startswith("CATEGORY#")]
        if "--cursor" not in told:
            break
        words = ["--cursor", told.split("--cursor ")[1].strip()]
    assert sorted(seen) == [f"CATEGORY#c{number}" for number in range(1, 8)]


def test_json_has_the_plan_and_the_items(data: str) -> None:
    typed = ["--parameters", '{"S": "CATEGORY#c1"}', "--parameters", '"METADATA"']
    found = json.loads(
        run(data, f'SELECT "title" FROM {TABLE} WHERE "PK" = ? AND "SK" = ?', *typed, "--json").stdout
    )
    assert found["plan"]["operation"] == "GetItem"
    assert found["items"] == [{"title": {"S": "Title c1"}}]
    assert (found["cursor"], found["read_units"]) == (None, 0.5)


def test_explain_shows_the_plan_and_the_cost_and_stops(data: str) -> None:
    told = run(data, f"SELECT * FROM {TABLE} WHERE {ONE}", "--explain").stdout
    assert "Operation:     GetItem" in told
    assert f"Key condition: {ONE}" in told
    assert "about 0.5 read units a page" in told
    assert "every item read is paid for" in run(data, f"SELECT * FROM {TABLE}", "--explain").stdout
    plain = json.loads(run(data, f"SELECT * FROM {TABLE}", "--explain", "--json").stdout)
    assert (plain["plan"]["operation"], "items" in plain) == ("Scan", False)
    shown = run(data, UPDATE, "--parameters", '"Press"', "--explain")
    assert (shown.exit_code, "Title c1" in shown.stdout, "Press" in shown.stdout) == (0, True, True)
    assert title(data) == "Title c1"


def test_a_write_is_shown_and_done_when_it_is_agreed_to(data: str) -> None:
    refused = run(data, UPDATE, "--parameters", '"Press"', typed="n\n")
    assert (refused.exit_code, "write units" in refused.stdout) == (1, True)
    assert title(data) == "Title c1"
    agreed = run(data, UPDATE, "--parameters", '"Press"', typed="y\n")
    assert (agreed.exit_code, "Done, as change" in agreed.stdout) == (0, True)
    assert title(data) == "Press"
    again = run(data, UPDATE, "--parameters", '"Press"', "--yes")
    assert "Nothing changes." in again.stdout
    unasked = run(data, UPDATE, "--parameters", '"Other"', "--json")
    assert json.loads(unasked.stdout)["change"] is None
    assert "Give --yes to write it." in unasked.stderr
    assert title(data) == "Press"
    done: Any = json.loads(run(data, f"DELETE FROM {TABLE} WHERE {ONE}", "--json", "--yes").stdout)
    assert done["after"] is None
    assert title(data) is None
    with open_shell(ServerSettings(data=data, jobs=False)) as shell:
        assert done["change"] in [each.id for each in shell.history.page("codex", 5, None).items]


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("SELEKT", WireError),
        ('SELECT * FROM "HansangPlatform"', NotFound),
        ('SELECT * FROM "Nowhere"', NotFound),
        (f"DELETE FROM {TABLE} WHERE \"PK\" = 'x' AND \"SK\" = 'y'", NotFound),
        (f"INSERT INTO {TABLE} VALUE {{'PK': 'CATEGORY#c1', 'SK': 'METADATA'}}", AlreadyExists),
        (f"DELETE FROM {TABLE} WHERE \"PK\" = 'USER#u1' AND \"SK\" = 'AUTH'", NotAllowed),
        ("x" * 9000, (InvalidInput, WireError)),
    ],
)
def test_what_cannot_be_done_is_an_error_of_its_kind(data: str, statement: str, kind: Any) -> None:
    done = run(data, statement, "--yes")
    assert isinstance(done.exception, kind), done.output


def test_a_secret_is_in_no_answer(data: str) -> None:
    for more in ([], ["--json"]):
        assert "planted" not in run(data, f"SELECT * FROM {TABLE}", "--limit", "100", *more).output


def test_no_preview_shows_a_secret(data: str) -> None:
    delete = f"DELETE FROM {TABLE} WHERE \"PK\" = 'USER#u1' AND \"SK\" = 'AUTH'"
    for words in (["--explain"], ["--json"], ["--yes"]):
        told = run(data, delete, *words)
        assert "USER#u1" in told.stdout
        assert "planted" not in told.output
    before = json.loads(run(data, delete, "--json").stdout)["before"]
    assert "hash" not in str(before).lower()
