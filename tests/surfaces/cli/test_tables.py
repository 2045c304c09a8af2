"""The commands on tables, run in the process as the command line runs them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import HansangError, NotFound, SettingsError, StoreError
from hansang.surfaces.cli.designs import load
from hansang.surfaces.cli.main import app
from tests.blueprint.designs import EXAMPLES, Shop

SHOP = "tests.blueprint.designs:Shop"
FAULTY = "tests.blueprint.designs:Faulty"
DOCUMENTS = Path(__file__).parents[2] / "blueprint" / "documents"


def run(*words: str | Path) -> Result:
    done = CliRunner().invoke(app, ["tables", *map(str, words)])
    if isinstance(done.exception, HansangError):
        raise done.exception
    return done


# ── designs by name ───────────────────────────────────────────────────────────────────────────────


def test_a_design_is_a_table_or_a_module() -> None:
    assert load([SHOP]).tables == (Shop,)
    assert [each.name for each in load(["tests.blueprint.designs"]).tables] == ["Shop", "Faulty"]
    assert load([SHOP, SHOP]).tables == (Shop,)
    assert load([SHOP]).samples.examples


def test_a_design_is_an_application_by_its_short_name() -> None:
    assert load(["codex"]).tables == load(["hansang.apps.codex.design"]).tables


def test_a_design_is_a_file_of_the_present_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kiosk.py").write_text(
        "from hansang.design import Table\nclass Kiosk(Table, name='Kiosk'): ...\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert [each.name for each in load(["kiosk"]).tables] == ["Kiosk"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gone", "no design gone"),
        ("hansang.gone.design", "no design"),
        ("tests.blueprint.designs:Gone", "Its tables are Shop, Faulty"),
        ("tests.blueprint.designs:Customer", "no application and no table Customer"),
        ("hansang.errors", "no tables of its own"),
    ],
)
def test_a_design_that_is_none_is_refused(name: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        load([name])


# ── lint ──────────────────────────────────────────────────────────────────────────────────────────


def test_lint_of_a_sound_design_ends_well() -> None:
    done = run("lint", SHOP)
    assert done.exit_code == 0
    assert "H204 info" in done.stdout


def test_lint_of_a_faulty_design_ends_with_1() -> None:
    done = run("lint", FAULTY)
    assert done.exit_code == 1
    assert "H002 error: tests.blueprint.designs:Entry.of_period" in done.stdout


def test_lint_reads_requests_as_documents_write_them() -> None:
    done = run("lint", "--requests", DOCUMENTS / "assets.toml", "--format", "json")
    assert done.exit_code == 1
    assert [each["code"] for each in json.loads(done.stdout)] == ["H002", "H003", "H003"]


def test_lint_leaves_out_what_it_is_told_to() -> None:
    done = run("lint", "--requests", DOCUMENTS / "assets.toml", "--ignore", "H002", "--ignore", "H003")
    assert (done.exit_code, done.stdout) == (0, "No findings.\n")


def test_lint_writes_sarif_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "findings.sarif"
    run("lint", SHOP, "--format", "sarif", "--output", file)
    assert json.loads(file.read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_lint_reports_a_design_that_does_not_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.py").write_text(
        "from hansang.design import Key\nclass K(Key, pk='{a}{b}', sk='x'):\n    a: str\n    b: str\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    done = run("lint", "broken")
    assert done.exit_code == 1
    assert "H009 error: broken" in done.stdout


def test_lint_of_nothing_is_refused() -> None:
    with pytest.raises(SettingsError, match="nothing to review"):
        run("lint")


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        run("lint", "--requests", "gone.toml")


# ── what is written ───────────────────────────────────────────────────────────────────────────────


def test_document_writes_korean_too(tmp_path: Path) -> None:
    assert "## 2. Entities" in run("document", SHOP).stdout
    file = tmp_path / "shop.md"
    assert run("document", SHOP, "--language", "ko", "--output", file).stdout == ""
    assert "## 2. 엔티티" in file.read_text(encoding="utf-8")


def test_template_writes_a_function_when_one_is_named() -> None:
    words = ("--function", "Api", "--handler", "a.b", "--code-uri", "src/", "--runtime", "python3.12")
    found = yaml.safe_load(run("template", SHOP, *words).stdout)
    assert found["Resources"]["Api"]["Properties"]["Handler"] == "a.b"
    assert "Api" not in yaml.safe_load(run("template", SHOP).stdout)["Resources"]


def test_cost_counts_rates_and_answers_and_measures_items(tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    order = {
        "PK": "CUSTOMER#1",
        "SK": "ORDER#2026-01-01#000001",
        "Type": "Order",
        "note": "x" * 4096,
        "total": 1.5,
    }
    items.write_text(json.dumps(order) + "\n")
    words = ("--rate", "2", "--rate-of", "Order.get=10", "--answers", "5", "--answers-of", "Order.of=50")
    done = run("cost", SHOP, *words, "--items", items, "--region", "ap-northeast-2", "--format", "json")
    lines = {each["name"]: each for each in json.loads(done.stdout)["patterns"]}
    assert (lines["Order.get"]["per_second"], lines["Order.put"]["per_second"]) == (10, 2)
    assert (lines["Order.of"]["answers"], lines["Order.between"]["answers"]) == (50, 5)
    assert lines["Order.get"]["bytes"] > 4096


def test_cost_counts_what_a_filter_reads() -> None:
    done = run("cost", "rankings", "--read-of", "SnapshotDay.finished=2", "--format", "json")
    lines = {each["name"]: each for each in json.loads(done.stdout)["patterns"]}
    assert (lines["SnapshotDay.finished"]["items"], lines["SnapshotDay.finished"]["answers"]) == (40, 20)
    assert lines["Snapshot.update_index_key"]["transaction_units"] == 10


def test_cost_takes_other_prices(tmp_path: Path) -> None:
    prices = {"million_reads": "1", "million_writes": "2"}
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({"as_of": "2030-01-01", "currency": "KRW", "regions": {"moon-1": prices}}))
    assert (
        "KRW a month of 730 hours in moon-1"
        in run("cost", SHOP, "--prices", file, "--region", "moon-1").stdout
    )


def test_items_may_be_a_list_with_types(tmp_path: Path) -> None:
    items = tmp_path / "items.json"
    customer = {"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "METADATA"}, "Type": {"S": "Customer"}}
    items.write_text(json.dumps([customer]))
    assert " 34 " in run("cost", SHOP, "--items", items).stdout


@pytest.mark.parametrize("words", [("--rate-of", "Order.get"), ("--answers-of", "Order.of=x")])
def test_a_rate_that_is_none_is_refused(words: tuple[str, str]) -> None:
    with pytest.raises(SettingsError, match="PATTERN=N"):
        run("cost", SHOP, *words)


def test_items_that_are_no_json_are_refused(tmp_path: Path) -> None:
    items = tmp_path / "items.json"
    items.write_text("hello")
    with pytest.raises(SettingsError, match="no JSON"):
        run("cost", SHOP, "--items", items)


def test_workbench_writes_a_model_with_its_name() -> None:
    assert json.loads(run("workbench", SHOP, "--name", "Kiosk").stdout)["ModelName"] == "Kiosk"


def test_typescript_writes_builders_and_vectors(tmp_path: Path) -> None:
    file = tmp_path / "vectors.json"
    assert "customer: (id: string) =>" in run("typescript", SHOP, "--vectors", file).stdout
    assert json.loads(file.read_text(encoding="utf-8"))[0]["builder"] == "customer"


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be written"):
        run("document", SHOP, "--output", tmp_path / "gone" / "file.md")


def test_template_adds_the_api_of_applications() -> None:
    found = yaml.safe_load(run("template", "news", "--api", "--code-uri", "function/").stdout)
    assert found["Resources"]["PlatformTable"]["Properties"]["TableName"] == {
        "Fn::Sub": "${PlatformTableName}${EnvironmentSuffix}"
    }
    function = found["Resources"]["HansangApi"]["Properties"]
    assert (function["CodeUri"], function["Runtime"]) == ("function/", "python3.12")
    assert function["Environment"]["Variables"]["HANSANG_APPS"] == "news"
    with pytest.raises(SettingsError, match="not both"):
        run("template", "news", "--api", "--function", "Api")
    with pytest.raises(NotFound, match="Application gone not found"):
        run("template", "gone", "--api")


def test_template_adds_the_api_of_somebody_elses_tables() -> None:
    found = yaml.safe_load(run("template", SHOP, "--api").stdout)
    assert found["Resources"]["HansangApi"]["Properties"]["Environment"]["Variables"]["HANSANG_APPS"] == SHOP


# ── tables that are there ─────────────────────────────────────────────────────────────────────────


def test_create_makes_what_is_not_there(tmp_path: Path) -> None:
    place = ("--data", tmp_path / "new.db")
    assert run("create", SHOP, *place).stdout == "Shop: created\n"
    assert run("create", SHOP, *place).stdout == "Shop: was there already\n"
    assert run("create", SHOP, *place, "--suffix", "-dev").stdout == "Shop-dev: created\n"


def test_create_and_diff_tell_programs_too(shop: Path) -> None:
    place = ("--data", shop, "--json")
    assert json.loads(run("create", SHOP, *place).stdout) == [{"table": "Shop", "created": False}]
    assert json.loads(run("diff", SHOP, *place).stdout) == [{"table": "Shop", "differences": []}]
    done = run("diff", SHOP, *place, "--suffix", "-dev")
    assert done.exit_code == 1
    assert json.loads(done.stdout)[0]["differences"][0]["live"] == "none"


def test_list_says_which_tables_are_there(shop: Path) -> None:
    [table] = json.loads(run("list", "--data", shop, "--json").stdout)
    assert (table["table"], table["status"], table["items"]) == ("Shop", "ACTIVE", 2)
    assert table["bytes"] > 0
    assert table["indexes"] == len(Shop.definition()["GlobalSecondaryIndexes"])
    assert "Shop" in run("list", "--data", shop).stdout


def test_diff_ends_with_1_when_something_differs(shop: Path) -> None:
    assert run("diff", SHOP, "--data", shop).stdout == "Shop: as the design has it\n"
    done = run("diff", SHOP, "--data", shop, "--suffix", "-dev")
    assert done.exit_code == 1
    assert "there:  none" in done.stdout


def test_copy_brings_every_item_and_proves_it(shop: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    done = run("copy", "--from", shop, "--to", tmp_path / "copy.db", "--state", state)
    assert done.exit_code == 0
    assert "Shop: 2 items copied to Shop" in done.stdout
    assert "Shop: verified, 2 items, " in done.stdout
    assert not state.exists()


def test_copy_renames_and_can_leave_out_the_proof(shop: Path, tmp_path: Path) -> None:
    words = ("--from", shop, "--to", tmp_path / "copy.db", "--state", tmp_path / "state.json", "--no-verify")
    done = run("copy", "Shop", *words, "--rename", "Shop=Kiosk")
    assert done.stdout == "Shop: 2 items copied to Kiosk\n"


def test_copy_ends_with_1_when_the_sides_differ(shop: Path, tmp_path: Path) -> None:
    target, state = tmp_path / "copy.db", tmp_path / "state.json"
    with Embedded.open(target) as backend:
        db = Database(backend)
        db.create_tables(Shop)
        db.put(EXAMPLES[0].model_copy(update={"id": "stranger"}))
    done = run("copy", "--from", shop, "--to", target, "--state", state, "--verify")
    assert done.exit_code == 1
    assert "the two sides differ" in done.output
    assert json.loads(state.read_text())["tables"] == {}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--from", "a.db"), "with --to"),
        (("--from", "a.db", "--to", "a.db"), "with --to"),
        (("--from", "a.db", "--to", "b.db", "--rename", "Shop"), "OLD=NEW"),
    ],
)
def test_a_copy_to_nowhere_is_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        run("copy", *words)


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--data", "typo.db"),
        ("diff", SHOP, "--data", "typo.db"),
        ("copy", "--from", "typo.db", "--to", "copy.db"),
    ],
)
def test_a_command_that_reads_refuses_a_file_that_is_not_there(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"Data file not found: typo\.db"):
        run(*words)
    assert list(tmp_path.iterdir()) == []


def test_the_place_is_that_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSANG_DATA", str(tmp_path / "there.db"))
    monkeypatch.chdir(tmp_path)
    assert "created" in run("create", SHOP).stdout
    assert (tmp_path / "there.db").exists()
