"""The deployment template: AWS SAM, with the tables of a design and a function that may use them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from hansang.blueprint.subject import Design
from hansang.blueprint.yaml import as_yaml
from hansang.design import Table
from hansang.design.table import StreamView

OFF = "DISABLED"
_NAME = "^[a-zA-Z0-9_.-]{1,255}$"


@dataclass(frozen=True, slots=True)
class Function:
    """A Lambda function that reads and writes the tables."""

    name: str
    handler: str
    code: str = "."
    runtime: str = "python3.13"


def template(design: Design, function: Function | None = None) -> str:
    """The YAML of a SAM template."""
    return as_yaml(as_data(design.tables, function))


def as_data(tables: Sequence[type[Table]], function: Function | None = None) -> dict[str, Any]:
    """The template as plain data."""
    resources = {logical(each): _resource(each) for each in tables}
    if function is not None:
        resources[logical_name(function.name)] = _function(tables, function)
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Transform": "AWS::Serverless-2016-10-31",
        "Description": f"The tables {', '.join(each.name for each in tables)}, made by hansang tables template.",
        "Parameters": _parameters(tables),
        "Conditions": {name: body for each in tables for name, body in _conditions(each).items()},
        "Resources": resources,
        "Outputs": {name: body for each in tables for name, body in _outputs(each).items()},
    }


def logical(table: type[Table]) -> str:
    """The name of a table inside the template."""
    name = logical_name(table.__name__)
    return name if name.endswith("Table") else f"{name}Table"


def logical_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", name)


def _parameters(tables: Sequence[type[Table]]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "EnvironmentSuffix": {
            "Type": "String",
            "Default": "",
            "AllowedPattern": "^[a-zA-Z0-9_.-]*$",
            "Description": "Put behind every table's name, such as -dev; empty for none.",
        }
    }
    for table in tables:
        found |= _table_parameters(table)
    return found


def _table_parameters(table: type[Table]) -> dict[str, Any]:
    name = logical(table)
    return {
        f"{name}Name": {
            "Type": "String",
            "Default": table.name,
            "AllowedPattern": _NAME,
            "Description": f"The name of the table {table.name}, without the suffix.",
        },
        f"{name}Stream": {
            "Type": "String",
            "Default": table.stream or OFF,
            "AllowedValues": [OFF, *get_args(StreamView)],
            "Description": f"What the stream of {table.name} carries, or {OFF}.",
        },
        f"{name}TimeToLive": {
            "Type": "String",
            "Default": table.time_to_live() or "",
            "Description": f"The attribute by which items of {table.name} expire; empty for none.",
        },
    }


def _conditions(table: type[Table]) -> dict[str, Any]:
    name = logical(table)
    return {
        f"{name}HasStream": {"Fn::Not": [{"Fn::Equals": [{"Ref": f"{name}Stream"}, OFF]}]},
        f"{name}HasTimeToLive": {"Fn::Not": [{"Fn::Equals": [{"Ref": f"{name}TimeToLive"}, ""]}]},
    }


def _resource(table: type[Table]) -> dict[str, Any]:
    name, definition = logical(table), table.definition()
    definition.pop("StreamSpecification", None)
    properties = definition | {
        "TableName": {"Fn::Sub": f"${{{name}Name}}${{EnvironmentSuffix}}"},
        "StreamSpecification": _if(f"{name}HasStream", {"StreamViewType": {"Ref": f"{name}Stream"}}),
        "TimeToLiveSpecification": _if(
            f"{name}HasTimeToLive", {"AttributeName": {"Ref": f"{name}TimeToLive"}, "Enabled": True}
        ),
    }
    return {
        "Type": "AWS::DynamoDB::Table",
        # A stack that is taken down leaves its data where it is.
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": properties,
    }


def _if(condition: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"Fn::If": [condition, content, {"Ref": "AWS::NoValue"}]}


def _function(tables: Sequence[type[Table]], function: Function) -> dict[str, Any]:
    names = {f"{_shouted(each)}_NAME": {"Ref": logical(each)} for each in tables}
    return {
        "Type": "AWS::Serverless::Function",
        "Properties": {
            "CodeUri": function.code,
            "Handler": function.handler,
            "Runtime": function.runtime,
            "Environment": {"Variables": names},
            "Policies": [{"DynamoDBCrudPolicy": {"TableName": {"Ref": logical(each)}}} for each in tables],
        },
    }


def _shouted(table: type[Table]) -> str:
    """The name of a table as environment variables are written: USERS_LEADERBOARD_TABLE."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", logical(table)).upper()


def _outputs(table: type[Table]) -> dict[str, Any]:
    name = logical(table)
    return {
        f"{name}NameOutput": {"Description": f"The name of {table.name}.", "Value": {"Ref": name}},
        f"{name}Arn": {"Description": f"The ARN of {table.name}.", "Value": {"Fn::GetAtt": [name, "Arn"]}},
        f"{name}StreamArn": {
            "Condition": f"{name}HasStream",
            "Description": f"The ARN of the stream of {table.name}.",
            "Value": {"Fn::GetAtt": [name, "StreamArn"]},
        },
    }
