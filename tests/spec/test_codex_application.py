"""What the application proves of the company site's document: its guide, its conformity list and its resolutions."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from tools.register.register import ROOT
from typer.testing import CliRunner

from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.design import SCHEMA_VERSION, Banner, FMWebApp
from hansang.apps.codex.migration.mapping import read_mapping
from hansang.apps.codex.reading import is_shown
from hansang.apps.codex.service import Codex
from hansang.design import Database
from hansang.parts.platform import Platform
from hansang.surfaces.cli.main import app
from tests.apps.codex.site import NOON, banner
from tests.blueprint.test_template import CFN_LINT, translated
from tests.clauses import clause
from tests.storing import opened
from tests.surfaces.shells import SetClock

CORE = ROOT / "src" / "hansang" / "apps" / "codex"


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(FMWebApp, Platform) as found:
        yield found


@pytest.fixture(scope="module")
def template() -> str:
    done = CliRunner().invoke(
        app, ["tables", "template", "codex", "--api", "--code-uri", "s3://packages/hansang.zip"]
    )
    assert done.exit_code == 0, done.output
    return done.stdout


# ── the guide and the conformity list ─────────────────────────────────────────────────────────────


@clause("4-02", "4-05")
def test_the_three_old_tables_are_those_that_the_migration_knows() -> None:
    assert {each.source: each.type for each in read_mapping(None)} == {
        "PostsTable": "Post",
        "CategoriesTable": "Category",
        "CorpMetaTable": "CorpInfo",
    }


@clause("4-03", "4-04", "4-47", "X4-30", "X4-31")
def test_the_template_has_one_table_with_parameters_the_api_and_its_policy(
    template: str, tmp_path: Path
) -> None:
    file = tmp_path / "template.yaml"
    file.write_text(template, encoding="utf-8")
    command = [CFN_LINT, "--regions", "ap-northeast-2", "--", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "")
    assert translated(template)[0]["Resources"]["FMWebAppTable"]["Type"] == "AWS::DynamoDB::Table"
    document = yaml.safe_load(template)
    table = document["Resources"]["FMWebAppTable"]
    assert (table["Type"], table["Properties"]["BillingMode"]) == ("AWS::DynamoDB::Table", "PAY_PER_REQUEST")
    assert document["Parameters"]["FMWebAppTableName"]["Default"] == "FMWebAppTable"
    assert table["Properties"]["TableName"] == {"Fn::Sub": "${FMWebAppTableName}${EnvironmentSuffix}"}
    function = next(
        each for each in document["Resources"].values() if each["Type"] == "AWS::Serverless::Function"
    )["Properties"]
    policies = [
        each["DynamoDBCrudPolicy"]["TableName"]
        for each in function["Policies"]
        if "DynamoDBCrudPolicy" in each
    ]
    assert {"Ref": "FMWebAppTable"} in policies
    assert "aws_lambda" in function["Handler"]
    stream = table["Properties"]["StreamSpecification"]["Fn::If"]
    assert (stream[0], stream[2]) == ("FMWebAppTableHasStream", {"Ref": "AWS::NoValue"})
    assert document["Parameters"]["FMWebAppTableStream"]["Default"] == "DISABLED"
    assert document["Parameters"]["FMWebAppTableTimeToLive"]["Default"] == ""


@clause("4-06", "4-48")
def test_keys_are_spelled_by_the_design_alone() -> None:
    spelled = re.compile(r'f?"(USER|CATEGORY|POST|BANNER|CORP|CONTACT|DRAFT|TRASH|SLUG)#')
    own = {"design.py", "editorial.py", "state.py"}
    found = [
        f"{path.name}: {line.strip()}"
        for path in CORE.rglob("*.py")
        if path.name not in own
        for line in path.read_text("utf-8").splitlines()
        if spelled.search(line)
    ]
    assert found == []


PICTURE_BUCKET = "picture_bucket.py"
"""Files on S3, if the settings name a bucket; no item is there."""


@clause("4-38", "4-48", "X4-32")
def test_nothing_of_the_application_speaks_to_aws_by_itself() -> None:
    sources = {path: path.read_text("utf-8") for path in CORE.rglob("*.py")}
    speaks = re.compile(r"^\s*(?:import|from) (?:boto3|botocore)\b", re.MULTILINE)
    assert [path.name for path, text in sources.items() if speaks.search(text)] == [PICTURE_BUCKET]
    assert [table.name for table in APPLICATION.tables] == [FMWebApp.name]


@clause("4-45")
def test_the_version_of_the_schema_stands_in_the_code() -> None:
    assert SCHEMA_VERSION == "v1.1.0"
    assert "v1.0.0" in (ROOT / "docs" / "spec" / "4-codex.md").read_text("utf-8")


@clause("4-50", "4-51")
def test_every_point_of_the_conformity_list_has_its_place_in_the_docs_and_in_the_tests() -> None:
    page = (ROOT / "docs" / "codex.md").read_text("utf-8")
    rows = re.findall(r"^\| (SAM template|API layer|Migration|Tests) \| (.+) \|$", page, re.MULTILINE)
    assert [name for name, _ in rows] == ["SAM template", "API layer", "Migration", "Tests"]
    named = [Path(each) for _, row in rows for each in re.findall(r"`((?:src|tests|docs)/[\w/.-]+)`", row)]
    assert len(named) >= 4
    assert [str(each) for each in named if not (ROOT / each).exists()] == []


# ── resolutions ───────────────────────────────────────────────────────────────────────────────────


@clause("X4-26")
def test_banners_are_shown_in_their_order_and_only_in_their_time(db: Database) -> None:
    clock = SetClock(NOON.timestamp())
    plain, newer = banner(1), banner(2)
    first = banner(3).model_copy(update={"sort_no": 1})
    off = banner(4).model_copy(update={"is_active": False})
    later = banner(5).model_copy(update={"starts_at": NOON + timedelta(hours=1)})
    over = banner(6).model_copy(update={"expires_at": NOON})
    db.batch_write([plain, newer, first, off, later, over])
    reading = Codex(db, clock).reading
    assert [each.id for each in reading.shown_banners()] == ["bn003", "bn002", "bn001"]
    assert is_shown(Banner(**plain.__dict__), NOON)
    clock.advance(3600)
    assert [each.id for each in reading.shown_banners()] == ["bn003", "bn005", "bn002", "bn001"]
