"""Errors: every code has the namespace and the status that AWS gives it, and every error its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansang import errors
from hansang.errors import DamagedFile, ForeignFile, HansangError, NewerFile, StoreBusy, StoreError, WireError

SOURCE = Path(__file__).parent.parent / "src"
DYNAMODB = "com.amazonaws.dynamodb.v20120810#"
CORAL = "com.amazon.coral.service#"

# What AWS sends with each code: the namespace, the HTTP status, and how it spells `message`.
AWS: dict[str, tuple[str, int, str]] = {
    "ValidationException": ("com.amazon.coral.validate#", 400, "message"),
    "SerializationException": (CORAL, 400, "Message"),
    "UnknownOperationException": (CORAL, 400, "message"),
    "AccessDeniedException": (CORAL, 400, "Message"),
    "MissingAuthenticationTokenException": (CORAL, 400, "message"),
    "IncompleteSignatureException": (CORAL, 400, "message"),
    "InvalidSignatureException": (CORAL, 400, "message"),
    "UnrecognizedClientException": (CORAL, 400, "message"),
    "ConditionalCheckFailedException": (DYNAMODB, 400, "message"),
    "ExpiredIteratorException": (DYNAMODB, 400, "message"),
    "IdempotentParameterMismatchException": (DYNAMODB, 400, "message"),
    "InternalServerError": (DYNAMODB, 500, "message"),
    "LimitExceededException": (DYNAMODB, 400, "message"),
    "ProvisionedThroughputExceededException": (DYNAMODB, 400, "message"),
    "ResourceInUseException": (DYNAMODB, 400, "message"),
    "ResourceNotFoundException": (DYNAMODB, 400, "message"),
    "TransactionCanceledException": (DYNAMODB, 400, "Message"),
    "TrimmedDataAccessException": (DYNAMODB, 400, "message"),
    "BackupNotFoundException": (DYNAMODB, 400, "message"),
    "ContinuousBackupsUnavailableException": (DYNAMODB, 400, "message"),
    "DuplicateItemException": (DYNAMODB, 400, "message"),
    "ExportConflictException": (DYNAMODB, 400, "message"),
    "ExportNotFoundException": (DYNAMODB, 400, "message"),
    "GlobalTableNotFoundException": (DYNAMODB, 400, "message"),
    "ImportConflictException": (DYNAMODB, 400, "message"),
    "ImportNotFoundException": (DYNAMODB, 400, "message"),
    "InvalidRestoreTimeException": (DYNAMODB, 400, "message"),
    "PointInTimeRecoveryUnavailableException": (DYNAMODB, 400, "message"),
    "PolicyNotFoundException": (DYNAMODB, 400, "message"),
    "RequestLimitExceeded": (DYNAMODB, 400, "message"),
    "TableAlreadyExistsException": (DYNAMODB, 400, "message"),
    "TableNotFoundException": (DYNAMODB, 400, "message"),
    "ThrottlingError": (DYNAMODB, 400, "message"),
    "ThrottlingException": (DYNAMODB, 400, "message"),
}
# AWS refuses a request over its limit before DynamoDB sees it, and a service that cannot be reached sends
# nothing at all: no namespace to compare.
ELSEWHERE = {"RequestEntityTooLarge": 413, "ServiceUnavailable": 503}


def codes() -> Iterator[str]:
    """Every code that the sources raise, by name."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "WireError":
                assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}"
                yield str(node.args[0].value)


def test_every_code_of_the_sources_is_one_of_awss() -> None:
    found = set(codes())
    assert "ValidationException" in found
    assert found <= AWS.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("code", AWS)
def test_a_code_has_awss_namespace_status_and_spelling(code: str) -> None:
    namespace, status, member = AWS[code]
    error = WireError(code, "why")
    assert error.status == status
    assert error.body() == {"__type": namespace + code, member: "why"}


@pytest.mark.parametrize("code", ELSEWHERE)
def test_an_error_from_before_dynamodb_has_its_own_status(code: str) -> None:
    assert WireError(code, "why").status == ELSEWHERE[code]


def test_an_error_without_a_message_sends_none() -> None:
    assert WireError("UnknownOperationException", None).body() == {
        "__type": "com.amazon.coral.service#UnknownOperationException"
    }


def test_an_error_sends_its_fields_beside_the_message() -> None:
    error = WireError("ConditionalCheckFailedException", "The conditional request failed", Item={"a": {}})
    assert error.body() == {
        "__type": DYNAMODB + "ConditionalCheckFailedException",
        "message": "The conditional request failed",
        "Item": {"a": {}},
    }


def test_an_error_reads_as_its_code_and_message() -> None:
    assert str(WireError("LimitExceededException", "too many")) == "LimitExceededException: too many"


def test_what_a_refused_request_cost_is_not_sent() -> None:
    error = WireError("ConditionalCheckFailedException", "no")
    error.consumed = [{"CapacityUnits": 1.0}]
    assert "ConsumedCapacity" not in error.body()


def drawn() -> dict[str, str]:
    """The parent of each error, by the tree at the top of the module."""
    parents: dict[str, str] = {}
    above: list[tuple[int, str]] = [(-1, "Exception")]
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"[ │├└─]*(?P<name>[A-Z]\w+)( {2,}|$)", line)
        if match:
            above = [each for each in above if each[0] < match.start("name")]
            parents[match["name"]] = above[-1][1]
            above.append((match.start("name"), match["name"]))
    return parents


def test_the_tree_at_the_top_has_every_error_in_its_place() -> None:
    kinds = [each for each in vars(errors).values() if isinstance(each, type)]
    found = {kind.__name__: kind.__mro__[1].__name__ for kind in kinds if issubclass(kind, Exception)}
    assert found["WireError"] == "HansangError"
    assert drawn() == found


def test_files_that_cannot_be_used_are_errors_of_the_store() -> None:
    for kind in (ForeignFile, DamagedFile, NewerFile, StoreBusy):
        assert issubclass(kind, StoreError)
    assert issubclass(StoreError, HansangError)
