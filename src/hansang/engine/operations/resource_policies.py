"""The policy of a table: kept and given back; who may ask is decided by the endpoint's keys alone."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.faults import invalid
from hansang.engine.operations.tagging import RESOURCE_ARN, check_arn, tagged_table
from hansang.engine.shapes import Flag, RequestShape, Text, required
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_LARGEST = 20 * 1024
_NO_POLICY = "NO_POLICY"
_REVISION = Text(shortest=1, longest=255)
GET = RequestShape(ResourceArn=RESOURCE_ARN)
PUT = RequestShape(
    ResourceArn=RESOURCE_ARN,
    Policy=required(Text()),
    ExpectedRevisionId=_REVISION,
    ConfirmRemoveSelfResourceAccess=Flag(),
)
DELETE = RequestShape(ResourceArn=RESOURCE_ARN, ExpectedRevisionId=_REVISION)


def get(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    GET.check(request)
    check_arn(engine, request["ResourceArn"], "GetResourcePolicy")
    policy = tagged_table(engine, request["ResourceArn"]).definition.get("policy")
    if policy is None:
        raise _not_found(request["ResourceArn"])
    return {"Policy": policy["text"], "RevisionId": policy["revision"]}


def put(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    PUT.check(request)
    check_arn(engine, request["ResourceArn"], "PutResourcePolicy")
    return _changed(engine, request, new_policy(request["Policy"]))


def delete(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    DELETE.check(request)
    check_arn(engine, request["ResourceArn"], "DeleteResourcePolicy")
    return _changed(engine, request, None)


def _changed(engine: Engine, request: Mapping[str, Any], policy: Mapping[str, str] | None) -> dict[str, Any]:
    catalog = engine.catalog()
    definition = orjson.loads(orjson.dumps(tagged_table(engine, request["ResourceArn"]).definition))
    before = definition.get("policy")
    expected = request.get("ExpectedRevisionId")
    if expected not in (None, before["revision"] if before else _NO_POLICY):
        raise _not_found(request["ResourceArn"])
    if policy is None and before is None:
        # What is not there is deleted without a word.
        return {}
    definition["policy"] = policy
    engine.change(catalog, lambda writer: writer.save_table(definition))
    return {"RevisionId": (policy or before)["revision"]}


def new_policy(text: str) -> dict[str, str]:
    """A policy as it is kept; refused if it is none."""
    _check_policy(text)
    return {"text": text, "revision": uuid.uuid4().hex}


def _check_policy(text: str) -> None:
    if len(text.encode()) > _LARGEST:
        raise invalid(f"The policy has exceeded the maximum allowed size of {_LARGEST} bytes")
    try:
        document = orjson.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict) or "Statement" not in document:
        raise invalid("Invalid policy document: Syntax errors in policy")


def _not_found(arn: str) -> WireError:
    return WireError(
        "PolicyNotFoundException",
        f"Resource-based policy not found for the provided ResourceArn: Requested policy not found: {arn}",
    )
