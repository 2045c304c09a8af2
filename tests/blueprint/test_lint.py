"""The review of designs: every rule finds what it is for, and is silent otherwise."""

from __future__ import annotations

import pytest

from hansang.blueprint.codes import BY_CODE, RULES
from hansang.blueprint.findings import Finding, has_errors
from hansang.blueprint.lint import lint, unloadable, without
from hansang.blueprint.subject import Design
from hansang.design import GSI, KEYS_ONLY, Entity, Key, Table, Timestamp, View
from hansang.errors import DesignError, SettingsError
from tests.blueprint.designs import EXAMPLES, Customer, Faulty, Shop
from tests.documents import ROOT

FAULTS = lint(Design([Faulty]))


def found(code: str, subject: str, findings: list[Finding] = FAULTS) -> bool:
    return any(each.code == code and each.place.subject.endswith(f":{subject}") for each in findings)


def test_a_sound_design_has_no_errors_and_no_warnings() -> None:
    assert {each.code for each in lint(Design([Shop], EXAMPLES))} == {"H204", "H301"}


def test_samples_made_from_annotations_do_as_well_as_examples() -> None:
    assert {each.code for each in lint(Design([Shop]))} == {"H204", "H301"}


@pytest.mark.parametrize(
    ("code", "subject"),
    [
        ("H001", "Entry.labelled"),
        ("H002", "Entry.of_period"),
        ("H003", "Entry.either"),
        ("H004", "Entry.of_colour"),
        ("H010", "Entry.of_number"),
        ("H101", "Mixed"),
        ("H102", "Post"),
        ("H103", "Entry.of_person"),
        ("H104", "Note.pinned"),
        ("H105", "Post.on"),
        ("H201", "Entry"),
        ("H202", "Entry"),
        ("H203", "Faulty"),
        ("H204", "Post"),
        ("H205", "Entry"),
        ("H206", "Faulty"),
    ],
)
def test_a_fault_is_found_where_it_is(code: str, subject: str) -> None:
    assert found(code, subject)


def test_a_fault_is_found_nowhere_else() -> None:
    assert {each.place.subject.partition(":")[2] for each in FAULTS if each.code == "H103"} == {
        "Entry.of_person"
    }
    assert not found("H002", "Entry.of_person")
    assert not found("H105", "Entry.of_person")


def test_a_finding_names_its_line() -> None:
    [finding] = [each for each in FAULTS if each.code == "H002"]
    assert finding.place.file is not None
    assert finding.place.file.endswith("designs.py")
    assert finding.place.line > 100
    assert "yearMonth" in finding.message
    assert finding.remedy


def test_the_worst_comes_first() -> None:
    order = [each.severity for each in FAULTS]
    assert order == sorted(order, key=["error", "warning", "info"].index)
    assert has_errors(FAULTS)


def test_a_table_that_dynamodb_would_not_create_is_found() -> None:
    class Twice(Table, name="Twice"):
        one = GSI("Same", pk="SK")
        two = GSI("Same", pk="SK")

    class ThingKey(Key["Thing"], pk="THING#{id}", sk="METADATA"):
        id: str

    class Thing(ThingKey, Entity, table=Twice):
        pass

    assert Thing.__shape__ is not None
    assert "H008" in {each.code for each in lint(Design([Twice]))}


def test_a_design_that_does_not_load_is_a_finding() -> None:
    class Narrow(Table, name="Narrow"):
        by_name = GSI("ByName", pk="Name", project=KEYS_ONLY)

    class RowKey(Key["Customer"], pk="ROW#{id}", sk="METADATA"):
        id: str

    with pytest.raises(DesignError, match="does not project") as refused:

        class Row(RowKey, View, index=Narrow.by_name):
            level: int

    assert Customer.__shape__ is not RowKey.__shape__
    finding = unloadable("shop.design", refused.value)
    assert (finding.code, finding.place.subject) == ("H004", "shop.design")
    assert Narrow.views == []


def test_codes_can_be_ignored() -> None:
    kept = without(FAULTS, ["h002", "H003"])
    assert {"H002", "H003"}.isdisjoint(each.code for each in kept)
    assert len(kept) == len(FAULTS) - 2


def test_ignoring_a_code_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="H999 is not a rule"):
        without(FAULTS, ["H999"])


def test_codes_are_unique_and_each_has_a_fix() -> None:
    assert len(BY_CODE) == len(RULES) > 20
    assert all(rule.fix.endswith(".") and rule.meaning.endswith(".") for rule in RULES)


def test_every_rule_is_documented() -> None:
    text = (ROOT / "docs" / "blueprint.md").read_text(encoding="utf-8")
    for rule in RULES:
        assert f"| `{rule.code}` | {rule.name} | {rule.severity} | {rule.meaning} |" in text


def test_a_partition_for_each_month_is_no_collection_without_an_end() -> None:
    class Logs(Table, name="Logs"):
        pass

    class EntryKey(Key["Entry"], pk="LOG#{service}#{at:%Y-%m}", sk="{at}#{id}"):
        service: str
        at: Timestamp
        id: str

    class Entry(EntryKey, Entity, table=Logs):
        text: str

    class NoteKey(Key["Note"], pk="NOTES#{service}", sk="{at}#{id}"):
        service: str
        at: Timestamp
        id: str

    class Note(NoteKey, Entity, table=Logs):
        text: str

    grown = [each.place.subject.rpartition(".")[2] for each in lint(Design([Logs])) if each.code == "H204"]
    assert grown == ["Note"]
