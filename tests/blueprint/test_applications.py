"""What follows from the designs of the five applications."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from hansang.blueprint.capacity import Line, Load, lines
from hansang.blueprint.codes import LOCAL_INDEX, LOW_CARDINALITY, TIME_PARTITION
from hansang.blueprint.document import document
from hansang.blueprint.findings import LintRule
from hansang.blueprint.lint import lint
from hansang.blueprint.plain import tagged
from hansang.blueprint.subject import Design
from hansang.blueprint.template import template
from hansang.blueprint.typescript import typescript, vectors, vectors_file
from hansang.blueprint.words import KOREAN
from hansang.surfaces.cli.designs import load
from tests.blueprint.test_template import CFN_LINT
from tests.blueprint.test_typescript import CHECK, TYPES, node

APPLICATIONS = ["assets", "leaderboards", "news", "codex", "rankings"]


@pytest.fixture(params=APPLICATIONS)
def design(request: pytest.FixtureRequest) -> Design:
    return load([request.param])


def test_the_review_finds_no_errors(design: Design) -> None:
    assert [each for each in lint(design) if each.severity == "error"] == []


def test_every_pattern_can_be_tried(design: Design) -> None:
    assert [each.label for each in design.asked if each.refusal is not None] == []


def test_the_document_names_every_table_and_pattern(design: Design) -> None:
    text = document(design, KOREAN)
    assert all(f"# {table.name}: " in text for table in design.tables)
    assert all(f"| {asked.label} |" in text for asked in design.asked)


@pytest.mark.parametrize(
    ("application", "rule", "subject"),
    [
        pytest.param("assets", TIME_PARTITION, "Income", marks=pytest.mark.clause("X1-20")),
        pytest.param("leaderboards", TIME_PARTITION, "WeeklyBest", marks=pytest.mark.clause("X2-11")),
        pytest.param("leaderboards", LOCAL_INDEX, "UsersLeaderboard", marks=pytest.mark.clause("X2-21")),
        pytest.param("codex", LOW_CARDINALITY, "Post", marks=pytest.mark.clause("X4-17")),
        pytest.param("rankings", TIME_PARTITION, "Snapshot", marks=pytest.mark.clause("X5-12")),
    ],
)
def test_the_review_names_what_limits_a_design(application: str, rule: LintRule, subject: str) -> None:
    found = {(each.rule, each.place.subject.partition(":")[2]) for each in lint(load([application]))}
    assert (rule, subject) in found


def test_cfn_lint_passes_the_template_of_all(tmp_path: Path) -> None:
    file = tmp_path / "template.yaml"
    file.write_text(template(load(APPLICATIONS)), encoding="utf-8")
    command = [CFN_LINT, "--regions", "ap-northeast-2", "--", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.clause("4-23", "X4-03", "X4-07")
def test_the_builders_of_codex_are_those_of_its_document() -> None:
    text = typescript(load(["codex"]))
    for name in (
        "user: (id",
        "category: (id",
        "post: (categoryId",
        "banner: (id",
        "corp: ()",
        "contact: (id",
    ):
        assert f"  {name}" in text
    assert {"builder": "corp", "arguments": [], "key": {"PK": "CORP#INFO", "SK": "METADATA"}} in vectors(
        load(["codex"])
    )


def test_node_makes_the_keys_of_all_applications(tmp_path: Path) -> None:
    design = load(APPLICATIONS)
    (tmp_path / "keys.mjs").write_text(TYPES.sub("", typescript(design)), encoding="utf-8")
    (tmp_path / "vectors.json").write_text(vectors_file(design), encoding="utf-8")
    (tmp_path / "check.mjs").write_text(CHECK, encoding="utf-8")
    command = [node(), "check.mjs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


# ── costs that the specification works out ────────────────────────────────────────────────────────

SNAPSHOT = {
    "PK": "USER#3f0e8a52-7c1b-4d7e-9a55-6d1f0c2b8e11",
    "SK": "SNAP#2026-02-21",
    "Name": "한월BOT77",
    "Level": 250,
    "Power": 123456,
}
RANKED = SNAPSHOT | {"Level_Rank": 57, "Power_Rank": 99}


def priced(application: str, item: dict[str, Any], **answered: int) -> dict[str, Line]:
    load_ = Load(answered={name.replace("__", "."): number for name, number in answered.items()})
    return {line.name: line for line in lines(load([application]), [tagged(item)], load_)}


@pytest.mark.clause("5-13")
def test_the_official_first_hundred_cost_one_and_a_half() -> None:
    assert priced("rankings", RANKED, OfficialLevelRow__top=100)["OfficialLevelRow.top"].read == 1.5


@pytest.mark.clause("5-16")
def test_a_year_of_history_costs_five_and_a_half() -> None:
    line = priced("rankings", RANKED, Snapshot__history=365)["Snapshot.history"]
    assert (line.size, line.read) == (115, 5.5)


@pytest.mark.clause("X5-24")
def test_a_snapshot_costs_three_to_five_writes() -> None:
    assert priced("rankings", SNAPSHOT)["Snapshot.put"].write == 3
    assert priced("rankings", RANKED)["Snapshot.put"].write == 5
