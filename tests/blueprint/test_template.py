"""Deployment templates: what AWS's own checkers say of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from hansang.backends.embedded import Embedded
from hansang.blueprint.events import EventSources, MetricAlarm, Timer
from hansang.blueprint.subject import Design
from hansang.blueprint.template import LambdaFunction, api_function, as_data, template
from hansang.blueprint.yaml import as_yaml
from hansang.errors import WireError
from hansang.settings import ServerSettings
from tests.blueprint.designs import Faulty, Shop

pytestmark = pytest.mark.long

FUNCTION = LambdaFunction("Shop-Api", "shop.api.handler", code="s3://packages/shop.zip")
# SAM translates what is packaged, so the code is in a bucket already.
CFN_LINT = str(Path(sys.executable).parent / "cfn-lint")


API = api_function(["shop"], "s3://packages/hansang.zip")
TIMED = EventSources((Timer("shop-tidy", "rate(1 hour)", "UTC"),))
EVENTS = EventSources(
    timers=(
        Timer("shop-close", "cron(0 9 ? * MON *)", "Asia/Seoul"),
        Timer("shop-bill", "cron(30 0 30 1,3,4,5,6,7,8,9,10,11,12 ? *)", "America/New_York"),
        Timer("shop-bill", "cron(30 0 L 2 ? *)", "America/New_York", 2),
    ),
    folders=("shop", "stock"),
    alarms=(MetricAlarm("shop", "lost_orders", "Orders were lost."),),
)
CALLED = api_function(["shop"], "s3://packages/hansang.zip", events=EVENTS)


FUNCTIONS: dict[str, LambdaFunction | None] = {
    "tables alone": None,
    "with a function": FUNCTION,
    "with the API": API,
    "with a job": replace(API, events=TIMED),
    "with jobs and a bucket": CALLED,
}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    design = Design([Shop, Faulty])
    return {name: template(design, function) for name, function in FUNCTIONS.items()}


def test_cfn_lint_has_nothing_to_say(texts: dict[str, str], tmp_path: Path) -> None:
    files = {tmp_path / f"{name}.yaml": text for name, text in texts.items()}
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    command = [CFN_LINT, "--regions", "ap-northeast-2", "--", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "")


TRANSLATE = """
import json, sys, yaml
from samtranslator.translator.transform import transform
class Policies:
    def load(self): return {}
each = json.load(sys.stdin)
print(json.dumps([transform(yaml.safe_load(text), {}, Policies()) for text in each]))
"""


def translated(*texts: str) -> list[dict[str, Any]]:
    """What SAM makes of templates, in a process of its own, for its warnings are not ours."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", TRANSLATE],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "AWS_DEFAULT_REGION": "ap-northeast-2"},
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def test_sam_translates_it(texts: dict[str, str]) -> None:
    for found in translated(*texts.values()):
        assert found["Resources"]["ShopTable"]["Type"] == "AWS::DynamoDB::Table"
        assert found["Resources"]["FaultyTable"]["Properties"]["BillingMode"] == "PAY_PER_REQUEST"


def test_every_table_can_be_restored_to_a_moment() -> None:
    found = as_data([Shop, Faulty])
    assert found["Parameters"]["PointInTimeRecovery"]["Default"] == "true"
    for table in found["Resources"].values():
        recovery = table["Properties"]["PointInTimeRecoverySpecification"]
        assert recovery == {"PointInTimeRecoveryEnabled": {"Ref": "PointInTimeRecovery"}}


@pytest.mark.clause("4-47", "X4-31")
def test_the_function_may_use_every_table_and_its_indexes() -> None:
    resources = translated(template(Design([Shop]), FUNCTION))[0]["Resources"]
    [policy] = resources["ShopApiRole"]["Properties"]["Policies"]
    actions = policy["PolicyDocument"]["Statement"][0]["Action"]
    assert {"dynamodb:Query", "dynamodb:ConditionCheckItem"} <= set(actions)
    assert "index/*" in str(policy["PolicyDocument"]["Statement"][0]["Resource"])


def test_the_api_is_behind_an_http_api_and_may_use_every_table() -> None:
    resources = translated(template(Design([Shop, Faulty]), API))[0]["Resources"]
    function = resources["HansangApi"]["Properties"]
    assert function["Handler"] == "hansang.surfaces.aws_lambda.handler"
    assert (function["Runtime"], function["Architectures"]) == ("python3.12", ["arm64"])
    paths = resources["ServerlessHttpApi"]["Properties"]["Body"]["paths"]
    assert sorted(paths) == ["/api", "/api/{proxy+}", "/health/{proxy+}"]
    assert all("x-amazon-apigateway-any-method" in path for path in paths.values())
    assert len(resources["HansangApiRole"]["Properties"]["Policies"]) == 2


def test_the_api_is_told_the_names_that_its_tables_have() -> None:
    data = as_data([Shop], API)
    name = "${ShopTableName}${EnvironmentSuffix}"
    assert data["Resources"]["ShopTable"]["Properties"]["TableName"] == {"Fn::Sub": name}
    assert data["Parameters"]["EnvironmentSuffix"] == as_data([Shop])["Parameters"]["EnvironmentSuffix"]
    assert data["Parameters"]["ShopTableName"]["Default"] == "Shop"
    environment = data["Resources"]["HansangApi"]["Properties"]["Environment"]["Variables"]
    known = {f"HANSANG_{each.name.upper()}" for each in fields(ServerSettings)}
    assert environment.keys() <= known
    assert environment["HANSANG_APPS"] == "shop"
    assert environment["HANSANG_TABLE_SUFFIX"] == {"Ref": "EnvironmentSuffix"}
    assert environment["HANSANG_TABLE_NAMES"] == {"Fn::Sub": f"Shop={name}"}


# ── events ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def called() -> dict[str, Any]:
    """The resources of a function with jobs and a bucket, as SAM makes them."""
    found = translated(template(Design([Shop]), CALLED))[0]["Resources"]
    assert isinstance(found, dict)
    return found


def of_type(resources: dict[str, Any], kind: str) -> dict[str, Any]:
    return {name: each["Properties"] for name, each in resources.items() if each["Type"] == kind}


def test_a_function_without_events_has_neither_queue_nor_alarms() -> None:
    data = as_data([Shop], API)
    assert data == as_data([Shop], replace(API, events=EventSources()))
    assert set(data["Resources"]) == {"ShopTable", "HansangApi", "EncryptionKey"}
    assert data["Resources"]["HansangApi"]["Properties"]["Timeout"] == 29


def test_every_timer_calls_the_function_with_its_job(called: dict[str, Any]) -> None:
    found = of_type(called, "AWS::Scheduler::Schedule")
    assert {
        name: (each["ScheduleExpression"], each["ScheduleExpressionTimezone"]) for name, each in found.items()
    } == {
        "JobShopClose": ("cron(0 9 ? * MON *)", "Asia/Seoul"),
        "JobShopBill": ("cron(30 0 30 1,3,4,5,6,7,8,9,10,11,12 ? *)", "America/New_York"),
        "JobShopBillPart2": ("cron(30 0 L 2 ? *)", "America/New_York"),
    }
    for each in found.values():
        assert each["FlexibleTimeWindow"] == {"Mode": "OFF"}
        assert each["Target"]["Arn"] == {"Fn::GetAtt": ["HansangApi", "Arn"]}
        assert each["Target"]["DeadLetterConfig"] == {"Arn": {"Fn::GetAtt": ["DeadLetters", "Arn"]}}
    asked = json.loads(found["JobShopBillPart2"]["Target"]["Input"])
    assert asked == {"hansang": {"job": "shop-bill", "at": "<aws.scheduler.scheduled-time>"}}


def test_the_scheduler_may_call_the_function_and_keep_failures_and_nothing_else(
    called: dict[str, Any],
) -> None:
    [policy] = called["SchedulerRole"]["Properties"]["Policies"]
    statements = policy["PolicyDocument"]["Statement"]
    assert [(each["Action"], each["Resource"]) for each in statements] == [
        (["lambda:InvokeFunction"], [{"Fn::GetAtt": ["HansangApi", "Arn"]}]),
        (["sqs:SendMessage"], [{"Fn::GetAtt": ["DeadLetters", "Arn"]}]),
    ]


def test_events_that_fail_are_tried_twice_more_and_kept(called: dict[str, Any]) -> None:
    [config] = of_type(called, "AWS::Lambda::EventInvokeConfig").values()
    assert config["MaximumRetryAttempts"] == 2
    kept = {"Destination": {"Fn::GetAtt": ["DeadLetters", "Arn"]}}
    assert config["DestinationConfig"]["OnFailure"] == kept
    policies = called["HansangApiRole"]["Properties"]["Policies"]
    [sending] = [each for each in policies if "sqs:SendMessage" in str(each)]
    assert sending["PolicyDocument"]["Statement"][0]["Resource"] == kept["Destination"]
    assert called["HansangApi"]["Properties"]["Timeout"] == 900


def test_objects_of_the_bucket_go_to_the_function_which_may_read_them(called: dict[str, Any]) -> None:
    rule = called["ObjectCreatedRule"]
    assert rule["Condition"] == "HasListsBucket"
    detail = rule["Properties"]["EventPattern"]["detail"]
    assert detail["bucket"] == {"name": [{"Ref": "ListsBucket"}]}
    assert detail["object"] == {"key": [{"prefix": "shop/"}, {"prefix": "stock/"}]}
    [target] = rule["Properties"]["Targets"]
    assert target["Arn"] == {"Fn::GetAtt": ["HansangApi", "Arn"]}
    permission = called["ObjectCreatedRulePermission"]["Properties"]
    assert permission["SourceArn"] == {"Fn::GetAtt": ["ObjectCreatedRule", "Arn"]}
    policies = called["HansangApiRole"]["Properties"]["Policies"]
    [reading] = [each for each in policies if "s3:" in str(each)]
    condition, wanted, otherwise = reading["Fn::If"]
    [statement] = wanted["PolicyDocument"]["Statement"]
    assert (condition, otherwise) == ("HasListsBucket", {"Ref": "AWS::NoValue"})
    assert statement["Action"] == ["s3:GetObject", "s3:GetObjectVersion"]
    assert statement["Resource"] == [
        {"Fn::Sub": f"arn:${{AWS::Partition}}:s3:::${{ListsBucket}}/{each}/*"} for each in ("shop", "stock")
    ]


def test_what_should_be_zero_has_an_alarm(called: dict[str, Any]) -> None:
    found = of_type(called, "AWS::CloudWatch::Alarm")
    assert {name: (each["Namespace"], each["MetricName"]) for name, each in found.items()} == {
        "DeadLettersAlarm": ("AWS/SQS", "ApproximateNumberOfMessagesVisible"),
        "ErrorsAlarm": ("AWS/Lambda", "Errors"),
        "ShopLostOrdersAlarm": ("Hansang", "lost_orders"),
    }
    assert found["ShopLostOrdersAlarm"]["Dimensions"] == [
        {"Name": "FunctionName", "Value": {"Ref": "HansangApi"}},
        {"Name": "Application", "Value": "shop"},
    ]
    for each in found.values():
        assert (each["Threshold"], each["ComparisonOperator"]) == (0, "GreaterThanThreshold")
        assert each["AlarmActions"]["Fn::If"][:2] == ["HasAlarmTopic", [{"Ref": "AlarmTopic"}]]


def test_without_folders_there_is_no_bucket() -> None:
    data = as_data([Shop], replace(API, events=TIMED))
    assert "ListsBucket" not in data["Parameters"]
    assert "ObjectCreatedRule" not in data["Resources"]
    assert data["Parameters"]["AlarmTopic"]["Default"] == ""


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("a", False), ("ab", False), ("abc", True), ("a_b.c-D9", True), ("a" * 255, True), ("a" * 256, False)],
)
def test_a_name_of_a_table_is_what_dynamodb_takes(name: str, is_one: bool) -> None:
    pattern = as_data([Shop])["Parameters"]["ShopTableName"]["AllowedPattern"]
    assert bool(re.search(pattern, name)) is is_one
    definition = Shop.definition(name)
    with Embedded.open(":memory:") as backend, nullcontext() if is_one else pytest.raises(WireError):
        backend.call("CreateTable", definition)


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
