"""The commands of the ledger, run in the process as the command line runs them."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hansang.apps.assets.cli.commands import group
from hansang.apps.assets.design import Totals, TotalsKey
from hansang.apps.assets.households import Households
from hansang.apps.assets.plans import Household
from hansang.apps.assets.recording import Who
from hansang.apps.platform.people import People
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database, attr
from hansang.errors import Conflict, HansangError, InvalidInput, NotFound
from hansang.parts.history import Actor
from hansang.surfaces.cli.exit_codes import FAILED


class Commands:
    """The command with one data file."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "the assets.db"

    def run(self, *words: str, code: int = 0) -> Result:
        done = CliRunner().invoke(group, [*words[:1], "--data", str(self.place), *words[1:]])
        if isinstance(done.exception, HansangError):
            raise done.exception
        assert done.exit_code == code, done.output
        return done

    def at(self, household: str, *words: str) -> Result:
        """Run a command on another household."""
        data = ("--data", str(self.place))
        done = CliRunner().invoke(group, ["--household", household, *words[:1], *data, *words[1:]])
        assert done.exit_code == 0, done.output
        return done

    def printed_undo(self, output: str) -> str:
        """Run the command that was printed, as it was printed."""
        done = CliRunner().invoke(group, split(output.split("Undo: hansang assets ")[1]))
        assert done.exit_code == 0, done.output
        return done.stdout

    def json(self, *words: str, code: int = 0) -> Any:
        return json.loads(self.run(words[0], "--json", *words[1:], code=code).stdout)


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    found = Commands(tmp_path)
    found.run(
        "opening", "--month", "2024.12", "--cash", "1350만", "--investment", "700만", "--short", "여행=70만"
    )
    found.run("set", "--month", "2025.01", "income", "배우자1", "월급", "350만")
    found.run("set", "--month", "2025.01", "savings", "적금1", "150만")
    return found


def test_a_month_is_entered_read_and_undone(commands: Commands) -> None:
    done = commands.json(
        "add", "--month", "2025.01", "--memo", "장보기", "living-expense", "식비", "12000+8500"
    )
    assert done["totals"]["total_expense"] == 20_500
    assert "장보기" not in commands.run("month", "--month", "2025.01").stdout
    assert commands.json("month", "--month", "2025.01")["entries"][1]["entries"][0]["memo"] == "장보기"
    assert "Undone" in commands.run("undo", done["change"]).stdout
    assert "deleted" in commands.run("clear", "--month", "2025.01", "income", "배우자1", "월급").stdout
    assert commands.json("month", "--month", "2025.01")["totals"]["total_income"] == 0
    later = commands.run("add", "--month", "2025.03", "savings", "적금1", "1만").stdout
    assert "Undo: hansang assets undo" in later
    assert "follow" in commands.run("add", "--month", "2025.01", "savings", "적금1", "--", "-500").stdout


def test_what_is_typed_wrong_is_refused(commands: Commands) -> None:
    with pytest.raises(InvalidInput, match="the amount follows"):
        commands.run("set", "income", "배우자1", "350만")
    with pytest.raises(InvalidInput, match="cannot be read as an amount"):
        commands.run("add", "living-expense", "식비", "많이")
    with pytest.raises(InvalidInput, match="ACCOUNT=WON"):
        commands.run("value", "2025.01", "주식")


def test_dashboard_period_opening_and_valuation_are_printed(commands: Commands) -> None:
    commands.run("value", "2025.01", "주식=910만")
    assert commands.json("opening")["cash_accumulated"] == 13_500_000
    assert "13,500,000" in commands.run("opening").stdout
    assert commands.json("dashboard", "--month", "2025.01")["months"][-1]["net_worth"] == 22_700_000
    assert "22,700,000" in commands.run("dashboard", "--month", "2025.01").stdout
    assert commands.json("period", "2025.01", "2025.02")["totals"]["total_savings"] == 1_500_000
    assert "적금1" in commands.run("period", "2025.01", "2025.02").stdout
    assert "9,100,000" in commands.run("month", "--month", "2025.01").stdout


def test_codes_are_shown_added_and_archived(commands: Commands) -> None:
    commands.run("codes", "LIVING_EXPENSE_CATEGORY", "--add", "반려견", "--archive", "문화생활")
    found = [each["code"] for each in commands.json("codes", "LIVING_EXPENSE_CATEGORY")]
    assert found == ["식비", "교통비", "의료비", "기타", "반려견"]
    assert "단기저축용" in commands.run("codes", "ACCOUNT_TYPE").stdout


def test_checking_rebuilding_and_closing(commands: Commands) -> None:
    assert "all right" in commands.run("check").stdout
    with Embedded.open(commands.place) as backend:
        Database(backend).update(TotalsKey(year_month="2025.01"), attr(Totals.total_savings).add(9))
    assert commands.json("check", code=FAILED)["is_right"] is False
    assert "rebuild" in commands.run("check", code=FAILED).stdout
    assert "1 corrected" in commands.run("rebuild", "--from", "2025.01").stdout
    assert commands.json("close", "2025.01") == []
    assert commands.json("month", "--month", "2025.01")["is_closed"] is True


def test_a_household_goes_out_and_comes_in(commands: Commands, tmp_path: Path) -> None:
    file, sheet, other = str(tmp_path / "all.jsonl"), str(tmp_path / "all.xlsx"), Commands(tmp_path / "other")
    (tmp_path / "other").mkdir()
    commands.run("export", file)
    commands.run("export", sheet, "--form", "xlsx")
    assert other.json("import", file)["left"] == []
    assert other.json("dashboard", "--month", "2025.01") == commands.json("dashboard", "--month", "2025.01")
    assert "2 left out" in other.run("import", sheet).stdout
    card = tmp_path / "card.csv"
    card.write_bytes("이용일,가맹점,금액\n2025-01-04,빵집,4500\n언젠가,빵집,1\n".encode("cp949"))
    told = other.json("import", str(card), "--to", "living-expense/식비", "--dry-run", code=FAILED)
    assert (told["entered"], told["left"][0]["line"]) == (1, 3)
    other.run("import", str(card), "--to", "living-expense/식비", code=FAILED)
    assert other.json("month", "--month", "2025.01")["totals"]["total_expense"] == 4_500


def test_months_are_copied_and_codes_renamed(commands: Commands) -> None:
    assert "1,500,000" in commands.run("copy", "--month", "2025.02").stdout
    assert "2 entries would be" in commands.run("rename", "NAME", "배우자1", "서연", "--dry-run").stdout
    commands.json("rename", "NAME", "배우자1", "서연")
    assert commands.json("month", "--month", "2025.02")["entries"][0]["name"] == "서연"


def test_reports_are_printed(commands: Commands, tmp_path: Path) -> None:
    commands.run("budget", "living-expense", "식비", "60만")
    commands.run(
        "add", "--month", "2025.01", "--whom", "민수", "--tag", "기부금", "living-expense", "식비", "1만"
    )
    assert commands.json("net-worth", "--month", "2025.01")["total"] == 22_700_000
    [budget] = commands.json("budgets", "--month", "2025.01")
    assert (budget["budget"], budget["spent"], budget["left"]) == (600_000, 10_000, 590_000)
    assert [each["account"] for each in commands.json("pots", "--month", "2025.01")] == ["여행"]
    assert commands.json("year", "2025")[0]["01"] == 3_500_000
    assert commands.json("year", "--against", "2024", "2025")[0]["2025"] == 3_500_000
    assert commands.json("people", "2025.01", "2025.01")[0]["income"] == 3_500_000
    assert commands.json("tags", "2025") == [{"tag": "기부금", "name": "", "won": 10_000}]
    assert commands.json("gifts", "2025.01", "2025.01")[0]["whom"] == "민수"
    assert commands.json("search", "기부", "2025.01", "2025.01")[0]["won"] == 10_000
    commands.run("budget", "living-expense", "식비", "none")
    assert commands.json("budgets") == []


def test_a_block_is_pasted_and_a_file_is_mapped_and_remembered(commands: Commands, tmp_path: Path) -> None:
    block = tmp_path / "block.tsv"
    block.write_text("식비\t5만\n술값\t1")
    looked = commands.json("paste", "--month", "2025.02", "--dry-run", str(block), code=FAILED)
    assert [each["state"] for each in looked["cells"]] == ["new", "unknown"]
    block.write_text("식비\t5만")
    commands.run("paste", "--month", "2025.02", str(block))
    assert commands.json("month", "--month", "2025.02")["totals"]["total_expense"] == 50_000
    assert "last-month" in {each["reason"] for each in commands.json("proposals", "--month", "2025.03")}
    card = tmp_path / "card.csv"
    card.write_text("언제,어디,얼마\n2025-02-03,커피,3000\n2025-03-03,책방,7000\n")
    mapping = ("--column", "date=언제", "--column", "memo=어디", "--column", "out=얼마")
    rules = ("--to", "living-expense/식비", "--word", "책=living-expense/문화생활", "--remember", "골목")
    done = commands.json("import", *mapping, *rules, str(card))
    assert done["entered"] == 2
    assert commands.json("import", "--dry-run", str(card))["left"][1]["state"] == "same"
    with pytest.raises(InvalidInput, match="NAME=VALUE"):
        commands.run("import", "--word", "책", str(card))


def test_what_is_entered_together_is_undone_by_the_command_that_is_printed(
    commands: Commands, tmp_path: Path
) -> None:
    card, block = tmp_path / "card.csv", tmp_path / "block.tsv"
    card.write_text("이용일,가맹점,금액\n2025-02-04,빵집,4500\n2025-02-05,빵집,500\n2025-03-04,빵집,70\n")
    block.write_text("식비\t5만")
    to = ("--to", "living-expense/식비")
    looked = commands.run("import", *to, "--dry-run", str(card)).stdout
    assert "3 would be entered, 0 left out" in looked
    assert ("5,000" in looked, "reason" in looked, "Undo" in looked) == (True, False, False)
    before = commands.json("period", "2025.01", "2025.03")["totals"]
    commands.printed_undo(commands.run("import", *to, str(card)).stdout)
    commands.printed_undo(commands.run("paste", "--month", "2025.02", str(block)).stdout)
    commands.printed_undo(commands.run("copy", "--month", "2025.02").stdout)
    told = commands.json("import", *to, str(card))
    assert told["entries"][0] == {"month": "2025.02", "entry": "living-expense 식비", "lines": 2, "won": 5000}
    commands.run("undo", told["change"])
    assert commands.json("paste", "--month", "2025.02", "--dry-run", str(block))["change"] is None
    commands.run("undo", commands.json("copy", "--month", "2025.02")["change"])
    assert commands.json("period", "2025.01", "2025.03")["totals"] == before


def test_the_printed_undo_names_the_household(commands: Commands) -> None:
    with Embedded.open(commands.place) as backend:
        made = Household(id="nest", title="둥지", members={"owner": "owner"})
        Households(Database(backend), system_clock).create(made, Who(Actor("person", "owner", "서연")))
    done = commands.at("nest", "add", "--month", "2025.01", "living-expense", "식비", "70").stdout
    again = commands.printed_undo(done)
    assert "hansang assets --household nest undo" in again
    shown = commands.at("nest", "month", "--json", "--month", "2025.01").stdout
    assert json.loads(shown)["totals"]["total_expense"] == 0


def test_commands_choose_the_household(commands: Commands) -> None:
    with Embedded.open(commands.place) as backend:
        for name in ("seoyeon", "junho"):
            People(Database(backend), system_clock).create(name, name, {"assets": "editor"})
    commands.run("household-create", "--owner", "seoyeon", "parents", "부모님")
    commands.run("household-members", "parents", "seoyeon=owner", "junho=viewer")
    [first, found] = commands.json("households")
    assert (first["id"], first["members"]) == ("first", None)
    assert found["members"] == {"seoyeon": "owner", "junho": "viewer"}
    with pytest.raises(InvalidInput, match=r"king is not a role .* owner, editor, viewer"):
        commands.run("household-members", "parents", "seoyeon=king")
    with pytest.raises(InvalidInput, match="NAME=VALUE"):
        commands.run("household-members", "parents", "seoyeon")
    with pytest.raises(NotFound, match="ghost"):
        commands.run("household-members", "parents", "seoyeon=owner", "ghost=viewer")
    with pytest.raises(NotFound, match="ghost"):
        commands.run("household-create", "--owner", "ghost", "nest", "둥지")
    with pytest.raises(InvalidInput, match="우리 cannot be an id: it is a small letter"):
        commands.run("household-create", "--owner", "seoyeon", "우리", "x")
    with pytest.raises(InvalidInput, match="1 to 200 characters"):
        commands.run("household-create", "--owner", "seoyeon", "nest", "")
    assert len(commands.json("households")) == 2
    data = ("--data", str(commands.place))
    words = ("--month", "2025.01", "living-expense", "식비", "70")
    done = CliRunner().invoke(group, ["--household", "parents", "set", *data, *words])
    assert done.exit_code == 0, done.output
    shown = CliRunner().invoke(
        group, ["--household", "parents", "month", *data, "--month", "2025.01", "--json"]
    )
    assert json.loads(shown.stdout)["totals"]["total_expense"] == 70
    assert commands.json("month", "--month", "2025.01")["totals"]["total_expense"] == 0
    assert commands.json("rules", "--month-starts-on", "25")["month starts on"] == 25
    assert commands.at("first", "rules", "--json").stdout == commands.run("rules", "--json").stdout
    commands.run("pocket-create", "--owner", "junho", "준호의 주머니")
    [*_, pocket] = commands.json("households")
    assert (pocket["pocket_of"], pocket["title"], pocket["members"]) == ("first", pocket["id"], None)
    commands.at(pocket["id"], "set", *words)
    assert commands.json("pockets", "--month", "2025.01") == [{"pocket": "준호의 주머니", "spent": 70}]


def test_a_command_that_saw_another_amount_writes_nothing_and_tells_both(commands: Commands) -> None:
    entry = ("--month", "2025.01", "savings", "적금1")
    [_, seen] = [each["version"] for each in commands.json("month", "--month", "2025.01")["entries"]]
    commands.run("set", *entry, "160만")
    for words in (("set", *entry, "170만"), ("clear", *entry)):
        with pytest.raises(Conflict, match="it is 1,600,000 now") as told:
            commands.run(*words, "--seen", seen)
    commands.run("add", "--seen", str(told.value.values["version"]), *entry, "1")
    version = commands.json("opening")["version"]
    commands.run("opening", "--seen", version, "--month", "2024.12", "--cash", "7")
    for other in (("opening", "--month", "2024.12", "--cash", "9"), ("value", "2025.01", "주식=5")):
        with pytest.raises(Conflict, match="changed meanwhile"):
            commands.run(*other, "--seen", version)
    assert commands.json("month", "--month", "2025.01")["balances"]["cash_accumulated"] == 1_600_008


def test_a_file_is_not_entered_over_what_has_changed_since_it_was_looked_at(
    commands: Commands, tmp_path: Path
) -> None:
    sheet, block, look = (tmp_path / name for name in ("sheet.csv", "block.tsv", "look.json"))
    sheet.write_text("month,kind,name,amount\n2025.01,savings,적금1,9\n")
    block.write_text("적금1\t8\n")
    look.write_text(json.dumps(commands.json("import", str(sheet), "--dry-run")))
    commands.run("add", "--month", "2025.01", "savings", "적금1", "1")
    for words in (("import", str(sheet)), ("paste", "--month", "2025.01", str(block))):
        with pytest.raises(Conflict, match="changed since the preview"):
            commands.run(*words, "--seen", str(look))
    with pytest.raises(InvalidInput, match="has no versions"):
        commands.run("import", str(sheet), "--seen", str(sheet))
    assert "0 moved" in commands.run("households", "--move-pockets").output
