"""Deployment templates: what AWS's own checkers say of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from hansang.blueprint.subject import Design
from hansang.blueprint.template import Function, as_data, template
from hansang.blueprint.yaml import as_yaml
from tests.blueprint.designs import Faulty, Shop

FUNCTION = Function("Shop-Api", "shop.api.handler", code="s3://packages/shop.zip")
# SAM translates what is packaged, so the code is in a bucket already.
CFN_LINT = str(Path(sys.executable).parent / "cfn-lint")


@pytest.fixture(scope="module", params=[None, FUNCTION], ids=["tables alone", "with a function"])
def text(request: pytest.FixtureRequest) -> str:
    return template(Design([Shop, Faulty]), request.param)


def test_cfn_lint_has_nothing_to_say(text: str, tmp_path: Path) -> None:
    file = tmp_path / "template.yaml"
    file.write_text(text, encoding="utf-8")
    command = [CFN_LINT, "--regions", "ap-northeast-2", "--", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "")


TRANSLATE = """
import json, sys, yaml
from samtranslator.translator.transform import transform
class Policies:
    def load(self): return {}
print(json.dumps(transform(yaml.safe_load(sys.stdin.read()), {}, Policies())))
"""


def translated(text: str) -> dict[str, Any]:
    """What SAM makes of a template, in a process of its own, for its warnings are not ours."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", TRANSLATE],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "AWS_DEFAULT_REGION": "ap-northeast-2"},
    )
    assert done.returncode == 0, done.stderr
    found = yaml.safe_load(done.stdout)
    assert isinstance(found, dict)
    return found


def test_sam_translates_it(text: str) -> None:
    resources = translated(text)["Resources"]
    assert resources["ShopTable"]["Type"] == "AWS::DynamoDB::Table"
    assert resources["FaultyTable"]["Properties"]["BillingMode"] == "PAY_PER_REQUEST"


@pytest.mark.clause("4-47", "X4-31")
def test_the_function_may_use_every_table_and_its_indexes() -> None:
    resources = translated(template(Design([Shop]), FUNCTION))["Resources"]
    [policy] = resources["ShopApiRole"]["Properties"]["Policies"]
    actions = policy["PolicyDocument"]["Statement"][0]["Action"]
    assert {"dynamodb:Query", "dynamodb:ConditionCheckItem"} <= set(actions)
    assert "index/*" in str(policy["PolicyDocument"]["Statement"][0]["Resource"])


@pytest.mark.clause("4-04", "X4-02", "X4-30")
def test_names_streams_and_expiry_are_parameters() -> None:
    data = as_data([Shop])
    assert data["Parameters"]["ShopTableName"]["Default"] == "Shop"
    assert data["Parameters"]["ShopTableStream"]["Default"] == "NEW_AND_OLD_IMAGES"
    assert data["Parameters"]["ShopTableTimeToLive"]["Default"] == "expiresAt"
    assert as_data([Faulty])["Parameters"]["FaultyTableStream"]["Default"] == "DISABLED"
    properties = data["Resources"]["ShopTable"]["Properties"]
    assert properties["TableName"] == {"Fn::Sub": "${ShopTableName}${EnvironmentSuffix}"}


def test_the_template_has_the_keys_and_indexes_of_the_design() -> None:
    properties = as_data([Faulty])["Resources"]["FaultyTable"]["Properties"]
    definition = Faulty.definition()
    for name in ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        assert properties[name] == definition[name]


def test_the_yaml_is_read_back_as_it_was() -> None:
    data = {
        "a": {"on": ["yes", "2010-09-09", "", "#x", "a: b", "Fn::If"], "empty": {}, "none": []},
        "b": [[1, 2], [{"c": True, "d": None}, "한글"], {"e": ["f"]}],
        "Fn::Sub": "${A}-b",
        "12": 3,
    }
    assert yaml.safe_load(as_yaml(data)) == data
