"""Findings for people, for programs, and for code hosts (SARIF 2.1.0)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import hansang
from hansang.blueprint.codes import RULES
from hansang.blueprint.findings import Finding, LintRule, Severity

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def as_text(findings: Sequence[Finding], *, everything: bool = False) -> str:
    """Three lines for each finding, and how many there are; those that are accepted only with `everything`."""
    open_ = [_block(each) for each in findings if not each.accepted]
    kept = [_block(each) for each in findings if each.accepted]
    return "\n".join([*open_, *(["Accepted:\n", *kept] if everything and kept else []), _summary(findings)])


def _block(finding: Finding) -> str:
    """What was found where, and what to do about it, or why nothing is done."""
    last = f"Reason: {finding.accepted}" if finding.accepted else f"Fix: {finding.remedy}"
    head = f"{finding.code} {finding.severity}: {finding.place.subject}"
    return f"{head}\n    {finding.message}\n    {last}\n"


def _summary(findings: Sequence[Finding]) -> str:
    if not findings:
        return "No findings."
    counted = Counter("accepted" if each.accepted else each.severity for each in findings)
    words = (*_LEVELS, "accepted")
    return ", ".join(
        f"{counted[word]} {word}{_plural(word, counted[word])}"
        for word in words
        if counted[word] or word == "warning"
    )


def _plural(word: str, number: int) -> str:
    return "s" if number != 1 and word in ("error", "warning") else ""


def as_json(findings: Sequence[Finding]) -> str:
    """A list of findings, in a form that does not change."""
    return json.dumps([_plain(each) for each in findings], ensure_ascii=False, indent=2)


def _plain(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.rule.name,
        "severity": finding.severity,
        "subject": finding.place.subject,
        "file": finding.place.file,
        "line": finding.place.line if finding.place.file else None,
        "message": finding.message,
        "fix": finding.remedy,
        "accepted": finding.accepted or None,
    }


def as_sarif(findings: Sequence[Finding]) -> str:
    """A SARIF log with one run."""
    driver = {
        "name": "hansang",
        "version": hansang.__version__,
        "rules": [_rule(each) for each in RULES],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "results": [_result(each) for each in findings],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2)


def _rule(rule: LintRule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.meaning},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": finding.place.subject}]}
    if finding.place.file is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": finding.place.file},
            "region": {"startLine": finding.place.line},
        }
    result = {
        "ruleId": finding.code,
        "ruleIndex": RULES.index(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message} {finding.remedy}"},
        "locations": [location],
    }
    if finding.accepted:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.accepted}]
    return result
