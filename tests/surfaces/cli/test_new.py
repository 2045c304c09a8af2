"""The command that starts an application from what is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hansang.apps.catalog import application
from hansang.apps.platform.design import Platform
from hansang.backends.embedded import Embedded
from hansang.blueprint.subject import Design
from hansang.blueprint.template import template
from hansang.blueprint.workbench import workbench
from hansang.design import Database
from hansang.errors import AlreadyExists, HansangError, NoSuchTable, SettingsError, StoreError
from hansang.surfaces.cli.designs import load
from hansang.surfaces.cli.main import app
from tests.blueprint.designs import EXAMPLES, Shop
from tests.designs.stages import NOW
from tests.surfaces.support import serving


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command is given, and Python looks for what it has written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def run(*words: str | Path) -> Result:
    done = CliRunner().invoke(app, ["new", *map(str, words)])
    if isinstance(done.exception, HansangError):
        raise done.exception
    return done


def test_a_design_is_written_from_a_data_file(shop: Path, folder: Path) -> None:
    with Embedded.open(shop) as backend:
        Database(backend).create_tables(Platform)
    done = run("from_file", "--from", shop)
    assert done.exit_code == 0
    assert f"Shop: verified, {len(EXAMPLES)} items placed, 0 not placed, 0 differing" in done.stdout
    assert Platform.name not in done.stdout
    [table] = load(["from_file.design"]).tables
    assert table.name == "Shop"
    linted = CliRunner().invoke(app, ["tables", "lint", "from_file.design"])
    assert (linted.exit_code, "error" in linted.stdout) == (0, False)
    compared = CliRunner().invoke(app, ["tables", "diff", "from_file.design", "--data", str(shop)])
    assert compared.exit_code == 0


def test_the_platforms_own_table_is_read_when_it_is_named(shop: Path) -> None:
    with Embedded.open(shop) as backend:
        Database(backend).create_tables(Platform)
    found = json.loads(run("named", "--from", shop, "--table", Platform.name, "--json").stdout)
    assert [each["table"] for each in found["tables"]] == [Platform.name]


def test_what_was_read_and_found_is_told_as_json(shop: Path) -> None:
    found = json.loads(run("as_json", "--from", shop, "--table", "Shop", "--json").stdout)
    [table] = found["tables"]
    assert found["design"] == "as_json/design.py"
    assert (table["read"], table["placed"], table["not_placed"], table["differing"]) == (2, 2, 0, 0)
    assert (table["whole"], table["read_units"]) == (True, 0.5)
    assert found["findings"]["error"] == 0


def test_a_sample_is_bounded_and_says_so(shop: Path) -> None:
    done = run("sampled", "--from", shop, "--sample", "1")
    assert "Shop: read 1 items, a sample" in done.stdout
    assert "A larger --sample finds more." in done.stdout


def test_a_design_is_written_from_an_endpoint(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    with Embedded.open(shop) as backend, serving(backend) as address:
        done = run("from_endpoint", "--from", f"http://127.0.0.1:{address.port}?region=us-east-1")
    assert "Shop: verified, 2 items placed, 0 not placed, 0 differing" in done.stdout


def test_a_design_is_written_from_a_template_and_from_a_model(folder: Path) -> None:
    (folder / "template.yaml").write_text(template(Design([Shop])))
    (folder / "model.json").write_text(workbench(Design([Shop], EXAMPLES), "shop", NOW))
    for name, source in (("from_template", "template.yaml"), ("from_model", "model.json")):
        assert run(name, "--from", source, "--table", "Shop").exit_code == 0
        [table] = load([f"{name}.design"]).tables
        assert [each.definition() for each in table.indexes] == [each.definition() for each in Shop.indexes]


def test_nothing_is_written_over(shop: Path, folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "design.py").write_text("mine")
    with pytest.raises(AlreadyExists, match=r"mine/design\.py is there already"):
        run("mine", "--from", shop)
    assert (folder / "mine" / "design.py").read_text() == "mine"


def test_a_folder_that_is_there_keeps_its_files(shop: Path, folder: Path) -> None:
    (folder / "kept").mkdir()
    (folder / "kept" / "__init__.py").write_text("KEPT = True\n")
    run("kept", "--from", shop)
    assert (folder / "kept" / "__init__.py").read_text() == "KEPT = True\n"
    assert (folder / "kept" / "design.py").exists()


@pytest.mark.parametrize("name", ["my-shop", "1st", "class", "a/b", "..", ""])
def test_a_name_that_is_no_package_is_refused(shop: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="is not a valid name for an application"):
        run(name, "--from", shop)


def test_without_a_place_a_small_application_is_written(folder: Path) -> None:
    done = run("alone")
    assert "hansang up --app alone.application:APPLICATION" in done.stdout
    assert application("alone").settings is not None
    assert (folder / "alone" / "console" / "templates" / "board.html").is_file()
    with pytest.raises(AlreadyExists, match="is there already"):
        run("alone")


def test_around_a_design_an_application_is_written_with_a_test(shop: Path, folder: Path) -> None:
    run("around", "--from", shop)
    assert [table.name for table in application("around").tables] == ["Shop"]
    assert (folder / "around" / "test_around.py").is_file()


@pytest.mark.parametrize("name", ["news", "platform", "admin", "os", "hansang"])
def test_a_name_that_is_taken_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="is taken by Hansang itself or by Python"):
        run(name)


def test_a_place_with_nothing_in_it_says_so(folder: Path) -> None:
    (folder / "list.json").write_text("[]")
    (folder / "none.yaml").write_text("Resources: {Role: {Type: AWS::IAM::Role}}")
    Embedded.open(folder / "empty.db").close()
    with pytest.raises(SettingsError, match="neither a CloudFormation"):
        run("aa", "--from", "list.json")
    with pytest.raises(NoSuchTable, match=r"No table found in none\.yaml|no table in none\.yaml"):
        run("a", "--from", "none.yaml")
    with pytest.raises(NoSuchTable, match=r"no table in empty\.db"):
        run("a", "--from", "empty.db")
    with pytest.raises(SettingsError, match=r"no file gone\.yaml"):
        run("a", "--from", "gone.yaml")
    with pytest.raises(StoreError, match=r"Data file not found: gone\.db"):
        run("a", "--from", "gone.db")
    with pytest.raises(NoSuchTable, match="no table Gone"):
        run("a", "--from", "empty.db", "--table", "Gone")
    assert not (folder / "a").exists()
