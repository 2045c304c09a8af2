"""The deployment template: AWS SAM, with the tables of a design and a function that may use them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from hansang.blueprint.events import EventSources
from hansang.blueprint.subject import Design
from hansang.blueprint.yaml import as_yaml
from hansang.design import Table
from hansang.design.table import StreamView

OFF = "DISABLED"
API_RUNTIME = "python3.12"
_NAME = "^[a-zA-Z0-9_.-]{3,255}$"
_KEY_NAME = "EncryptionKey"
_ENCRYPTION_KEY = {
    "Type": "AWS::SecretsManager::Secret",
    # What is in the tables, which stay too, can be read with it alone.
    "DeletionPolicy": "Retain",
    "UpdateReplacePolicy": "Retain",
    "Properties": {
        "Description": "What Hansang encrypts the secrets in its table with.",
        "GenerateSecretString": {"PasswordLength": 64, "ExcludePunctuation": True},
    },
}


@dataclass(frozen=True, slots=True)
class LambdaFunction:
    """A Lambda function that reads and writes the tables."""

    name: str
    handler: str
    code: str = "."
    runtime: str = "python3.13"
    routes: tuple[str, ...] = ()
    """The paths that an HTTP API hands to it."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What its environment says besides the names of the tables."""
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else is said of it."""
    events: EventSources | None = None
    """What calls it besides the HTTP API."""
    knows_designs: bool = False
    """Whether it knows the tables by their names in the design, and has to be told those that they have here."""


def api_function(
    applications: Sequence[str],
    code: str,
    runtime: str | None = None,
    events: EventSources | None = None,
    settings: Mapping[str, str] | None = None,
) -> LambdaFunction:
    """The function that serves the API of some applications of Hansang, and runs their jobs."""
    return LambdaFunction(
        "HansangApi",
        "hansang.surfaces.aws_lambda.handler",
        code,
        runtime or API_RUNTIME,
        routes=("/api", "/api/{proxy+}", "/health/{proxy+}"),
        settings={
            "HANSANG_DATA": {"Fn::Sub": "aws:${AWS::Region}"},
            "HANSANG_APPS": ",".join(applications),
            "HANSANG_PUBLIC_URL": {"Ref": "PublicUrl"},
            "HANSANG_TABLE_SUFFIX": {"Ref": "EnvironmentSuffix"},
            "HANSANG_ENCRYPTION_KEY": {"Fn::Sub": f"{{{{resolve:secretsmanager:${{{_KEY_NAME}}}}}}}"},
            **(settings or {}),
        },
        properties={"Architectures": ["arm64"], "MemorySize": 1024, "Timeout": 29},
        events=events,
        knows_designs=True,
    )


def template(design: Design, function: LambdaFunction | None = None) -> str:
    """The YAML of a SAM template."""
    return as_yaml(as_data(design.tables, function))


def as_data(tables: Sequence[type[Table]], function: LambdaFunction | None = None) -> dict[str, Any]:
    """The template as plain data."""
    resources = {logical(each): _resource(each) for each in tables}
    if function is not None:
        resources[logical_name(function.name)] = _function(tables, function)
        if function.knows_designs:
            resources[_KEY_NAME] = _ENCRYPTION_KEY
    found: dict[str, Any] = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Transform": "AWS::Serverless-2016-10-31",
        "Description": f"The tables {', '.join(each.name for each in tables)}, made by hansang tables template.",
        "Parameters": _parameters(tables, function),
        "Conditions": {name: body for each in tables for name, body in _conditions(each).items()},
        "Resources": resources,
        "Outputs": {name: body for each in tables for name, body in _outputs(each).items()}
        | _address(function),
    }
    if function is not None and function.events:
        for section, more in function.events.sections(logical_name(function.name)).items():
            found[section] |= more
    return found


def logical(table: type[Table]) -> str:
    """The name of a table inside the template."""
    name = logical_name(table.__name__)
    return name if name.endswith("Table") else f"{name}Table"


def logical_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", name)


_SUFFIX = {
    "Type": "String",
    "Default": "",
    "AllowedPattern": "^[a-zA-Z0-9_.-]*$",
    "Description": "Appended to every table's name, such as -dev; empty for none.",
}
_PUBLIC_URL = {
    "Type": "String",
    "Default": "",
    "AllowedPattern": "^(https://.+)?$",
    "Description": "Where clients reach the API, if it has a domain of its own: https://api.example.com.",
}


_RECOVERY = {
    "Type": "String",
    "Default": "true",
    "AllowedValues": ["true", "false"],
    "Description": "Whether the tables can be restored to any second of the last 35 days.",
}


def _parameters(tables: Sequence[type[Table]], function: LambdaFunction | None) -> dict[str, Any]:
    found: dict[str, Any] = {"EnvironmentSuffix": _SUFFIX}
    if any(table.options.point_in_time_recovery is None for table in tables):
        found["PointInTimeRecovery"] = _RECOVERY
    if function is not None and function.knows_designs:
        found["PublicUrl"] = _PUBLIC_URL
    for table in tables:
        found |= _name_parameter(table) | _table_parameters(table)
    return found


def _full_name(table: type[Table]) -> str:
    return f"${{{logical(table)}Name}}${{EnvironmentSuffix}}"


def _name_parameter(table: type[Table]) -> dict[str, Any]:
    return {
        f"{logical(table)}Name": {
            "Type": "String",
            "Default": table.name,
            "AllowedPattern": _NAME,
            "Description": f"The name of the table {table.name}, without the suffix.",
        }
    }


def _table_parameters(table: type[Table]) -> dict[str, Any]:
    name = logical(table)
    return {
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
    if table.options.encryption is not None:
        definition["SSESpecification"] = table.options.encryption.resource()
    recovery = table.options.point_in_time_recovery
    properties = definition | {
        "TableName": {"Fn::Sub": _full_name(table)},
        "StreamSpecification": _if(f"{name}HasStream", {"StreamViewType": {"Ref": f"{name}Stream"}}),
        "TimeToLiveSpecification": _if(
            f"{name}HasTimeToLive", {"AttributeName": {"Ref": f"{name}TimeToLive"}, "Enabled": True}
        ),
        "PointInTimeRecoverySpecification": {
            "PointInTimeRecoveryEnabled": {"Ref": "PointInTimeRecovery"} if recovery is None else recovery
        },
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


def _function(tables: Sequence[type[Table]], function: LambdaFunction) -> dict[str, Any]:
    names = {f"{_shouted(each)}_NAME": {"Ref": logical(each)} for each in tables}
    told = {
        "HANSANG_TABLE_NAMES": {"Fn::Sub": ",".join(f"{each.name}={_full_name(each)}" for each in tables)}
    }
    said = told if function.knows_designs else names
    properties: dict[str, Any] = {
        "CodeUri": function.code,
        "Handler": function.handler,
        "Runtime": function.runtime,
        **function.properties,
        **(function.events.properties if function.events else {}),
        "Environment": {"Variables": {**said, **function.settings}},
        "Policies": [
            *({"DynamoDBCrudPolicy": {"TableName": {"Ref": logical(each)}}} for each in tables),
            *(function.events.policies if function.events else []),
        ],
    }
    if function.routes:
        properties["Events"] = {
            f"Route{number}": {"Type": "HttpApi", "Properties": {"Path": path, "Method": "ANY"}}
            for number, path in enumerate(function.routes, 1)
        }
    return {"Type": "AWS::Serverless::Function", "Properties": properties}


def _address(function: LambdaFunction | None) -> dict[str, Any]:
    if function is None or not function.routes:
        return {}
    address = "https://${ServerlessHttpApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}"
    return {"ApiUrl": {"Description": "Where the API is.", "Value": {"Fn::Sub": address}}}


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
