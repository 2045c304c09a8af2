"""Reports of findings: text, JSON and SARIF."""

from __future__ import annotations

import json

from hansang.blueprint.codes import RULES
from hansang.blueprint.lint import lint
from hansang.blueprint.reports import as_json, as_sarif, as_text
from hansang.blueprint.subject import Design
from tests.blueprint.designs import Faulty

FAULTS = lint(Design([Faulty]))


def test_text_gives_the_code_the_place_and_the_fix() -> None:
    text = as_text(FAULTS)
    assert "H002 error: tests.blueprint.designs:Entry.of_period" in text
    assert "Fix: Ask one Query for each value" in text
    assert text.splitlines()[-1].startswith(f"{sum(each.severity == 'error' for each in FAULTS)} errors, ")


def test_text_says_so_when_there_is_nothing() -> None:
    assert as_text([]) == "No findings."


def test_json_has_every_finding() -> None:
    found = json.loads(as_json(FAULTS))
    assert [each["code"] for each in found] == [each.code for each in FAULTS]
    assert found[0].keys() == {
        "code",
        "name",
        "severity",
        "subject",
        "file",
        "line",
        "message",
        "fix",
        "accepted",
    }


def test_sarif_is_a_log_with_every_rule_and_every_finding() -> None:
    log = json.loads(as_sarif(FAULTS))
    [run] = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [rule.code for rule in RULES]
    assert len(run["results"]) == len(FAULTS)
    assert {result["level"] for result in run["results"]} == {"error", "warning", "note"}
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"][0] != "/"
