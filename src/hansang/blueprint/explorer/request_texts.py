"""A request as people send it: as JSON, with boto3, with the command line of AWS."""

from __future__ import annotations

import json
import re
import shlex
from pprint import pformat
from typing import Any

from hansang.backends.binaries import from_json

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def as_json(request: dict[str, Any]) -> str:
    """The request of the wire."""
    return json.dumps(request, ensure_ascii=False, indent=2)


def as_boto3(operation: str, request: dict[str, Any], region: str) -> str:
    """A program that sends the request."""
    method = _HUMP.sub("_", operation).lower()
    arguments = "\n".join(f"    {name}={_python(value)}," for name, value in request.items())
    return "\n".join(
        [
            "import boto3",
            "",
            f"dynamodb = boto3.client({'dynamodb'!r}, region_name={region!r})",
            f"response = dynamodb.{method}(",
            arguments,
            ")",
        ]
    )


def _python(value: Any) -> str:
    return pformat(from_json(value), width=88, sort_dicts=False).replace("\n", "\n    ")


def as_command(operation: str, request: dict[str, Any], region: str) -> str:
    """A command that sends the request."""
    verb = _HUMP.sub("-", operation).lower()
    return f"aws dynamodb {verb} --region {region} \\\n  --cli-input-json {shlex.quote(as_json(request))}"
