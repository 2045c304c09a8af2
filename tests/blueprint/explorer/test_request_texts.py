"""Requests as people send them."""

from __future__ import annotations

import ast
import json
import shlex
from typing import Any

from hansang.apps.assets.design import Income
from hansang.blueprint.explorer.request_texts import as_boto3, as_command, as_json

REQUEST = Income.of_person("2025.01", "it's").request("AssetManager")


def test_json_is_the_request() -> None:
    assert json.loads(as_json(REQUEST)) == REQUEST


def test_the_program_sends_the_request() -> None:
    tree = ast.parse(as_boto3("Query", REQUEST, "ap-northeast-2"))
    [sent] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.keywords and _name(node) == "query"
    ]
    assert {each.arg: ast.literal_eval(each.value) for each in sent.keywords} == REQUEST


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def test_binaries_are_bytes_in_the_program() -> None:
    request: dict[str, Any] = {"TableName": "T", "Key": {"b": {"B": "AQI="}}}
    assert "b'\\x01\\x02'" in as_boto3("GetItem", request, "us-east-1")
    assert "dynamodb.get_item(" in as_boto3("GetItem", request, "us-east-1")


def test_the_command_can_be_pasted_into_a_shell() -> None:
    words = shlex.split(as_command("BatchGetItem", REQUEST, "us-east-1"))
    assert words[:5] == ["aws", "dynamodb", "batch-get-item", "--region", "us-east-1"]
    assert json.loads(words[-1]) == REQUEST
