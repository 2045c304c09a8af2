"""Every error of the SDK and of the service becomes one of ours."""

from __future__ import annotations

import inspect
from typing import Any

import botocore.exceptions
import botocore.session
import pytest
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError
from botocore.retries.standard import ThrottledRetryableChecker, TransientRetryableChecker

from hansang.backends.aws_errors import SDK_ERRORS, SETTINGS, from_sdk
from hansang.design.translation import translated
from hansang.errors import (
    DataError,
    NoSuchTable,
    Refused,
    SettingsError,
    Throttled,
    TooLarge,
    Unavailable,
    WireError,
)

# Every error of the two service models. Failed conditions are told apart before, where the item is known.
CODES: dict[type[DataError], set[str]] = {
    NoSuchTable: {"IndexNotFoundException", "ResourceNotFoundException", "TableNotFoundException"},
    Throttled: {
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "ReplicatedWriteConflictException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    },
    TooLarge: {"ItemCollectionSizeLimitExceededException"},
    Unavailable: {"InternalServerError"},
    Refused: {
        "BackupInUseException",
        "BackupNotFoundException",
        "ConditionalCheckFailedException",
        "ContinuousBackupsUnavailableException",
        "DuplicateItemException",
        "ExpiredIteratorException",
        "ExportConflictException",
        "ExportNotFoundException",
        "GlobalTableAlreadyExistsException",
        "GlobalTableNotFoundException",
        "IdempotentParameterMismatchException",
        "ImportConflictException",
        "ImportNotFoundException",
        "InvalidExportTimeException",
        "InvalidRestoreTimeException",
        "PointInTimeRecoveryUnavailableException",
        "PolicyNotFoundException",
        "ReplicaAlreadyExistsException",
        "ReplicaNotFoundException",
        "ResourceInUseException",
        "TableAlreadyExistsException",
        "TableInUseException",
        "TransactionCanceledException",
        "TrimmedDataAccessException",
    },
}
MEANINGS = {code: kind for kind, codes in CODES.items() for code in codes}

# What only other services and other parts of the SDK raise.
NEVER_HERE = {
    "AwsChunkedWrapperError",
    "BotoCoreError",
    "InvalidDNSNameError",
    "InvalidExpressionError",
    "InvalidS3AddressingStyleError",
    "InvalidS3UsEast1RegionalEndpointConfigError",
    "InvalidChecksumConfigError",
    "MD5UnavailableError",
    "MissingServiceIdError",
    "OperationNotPageableError",
    "PaginationError",
    "StubAssertionError",
    "StubResponseError",
    "UnStubbedResponseError",
    "UndefinedModelAttributeError",
    "UnknownClientMethodError",
    "UnknownServiceStyle",
    "UnseekableStreamError",
    "UnsupportedOutpostResourceError",
    "UnsupportedS3AccesspointConfigurationError",
    "UnsupportedS3ArnError",
    "UnsupportedS3ConfigurationError",
    "UnsupportedS3ControlArnError",
    "UnsupportedS3ControlConfigurationError",
    "WaiterConfigError",
    "WaiterError",
}


def answer(code: str, message: str = "why", status: int = 400, **fields: Any) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": message}, "message": message, **fields}
    response["ResponseMetadata"] = {"HTTPStatusCode": status, "RequestId": "1"}
    return ClientError(response, "PutItem")


def wire_error(error: Exception) -> WireError:
    found = from_sdk(error)
    assert isinstance(found, WireError)
    return found


def modelled() -> set[str]:
    """Every code that AWS says the two services answer with."""
    session = botocore.session.get_session()
    models = [session.get_service_model(name) for name in ("dynamodb", "dynamodbstreams")]
    return {str(shape.name) for model in models for shape in model.error_shapes}


def raised() -> list[type[Exception]]:
    """Every error of the SDK but those that carry an answer of the service."""
    kinds = [kind for kind in vars(botocore.exceptions).values() if inspect.isclass(kind)]
    own = [kind for kind in kinds if kind.__module__.startswith("botocore") and issubclass(kind, Exception)]
    return [kind for kind in own if not issubclass(kind, Warning | ClientError)] + [ResponseParserError]


def one(kind: type[Exception]) -> Exception:
    """An error of a kind, whatever its arguments would have to be."""
    error = kind.__new__(kind)
    error.args = ("why",)
    return error


def test_the_table_has_every_code_of_the_service_models() -> None:
    assert modelled() == MEANINGS.keys()


def test_a_code_of_the_service_comes_out_as_its_own_error() -> None:
    statuses = {code: 500 if code == "InternalServerError" else 400 for code in MEANINGS}
    errors = {code: wire_error(answer(code, status=status)) for code, status in statuses.items()}
    assert [code for code, error in errors.items() if error.code != code] == []
    assert [code for code, error in errors.items() if (error.message, error.fields) != ("why", {})] == []
    assert {code: type(translated(error)) for code, error in errors.items()} == MEANINGS


def test_what_stood_in_the_way_is_kept_as_json() -> None:
    error = wire_error(answer("ConditionalCheckFailedException", Item={"a": {"B": b"\x00\xff"}}))
    assert error.fields == {"Item": {"a": {"B": "AP8="}}}
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Item": {"a": {"BS": [b"\0"]}}}]
    error = wire_error(answer("TransactionCanceledException", CancellationReasons=reasons))
    assert error.fields["CancellationReasons"][1]["Item"] == {"a": {"BS": ["AA=="]}}


def test_what_the_sdk_calls_throttled_is_throttled() -> None:
    codes: list[str] = ThrottledRetryableChecker._THROTTLED_ERROR_CODES  # type: ignore[attr-defined]
    assert codes
    assert [code for code in codes if not isinstance(translated(wire_error(answer(code))), Throttled)] == []


def test_what_the_sdk_calls_transient_is_worth_another_try() -> None:
    codes: list[str] = TransientRetryableChecker._TRANSIENT_ERROR_CODES  # type: ignore[attr-defined]
    errors = {code: translated(wire_error(answer(code))) for code in codes}
    assert errors
    assert [code for code, error in errors.items() if not isinstance(error, Unavailable | Throttled)] == []


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("InternalFailure", 500, Unavailable),
        ("ServiceUnavailableException", 503, Unavailable),
        ("502", 502, Unavailable),
        ("429", 429, Throttled),
        ("413", 413, TooLarge),
        ("403", 403, Refused),
        ("404", 404, Refused),
        ("ExpiredTokenException", 400, Refused),
        ("SomethingNew", 400, Refused),
    ],
)
def test_what_stands_in_front_of_dynamodb_is_understood(
    code: str, status: int, kind: type[DataError]
) -> None:
    assert type(translated(wire_error(answer(code, "<html>", status)))) is kind


def test_a_page_of_html_is_not_repeated() -> None:
    assert "html" not in str(wire_error(answer("502", "<html>", 502)))


def test_every_error_of_the_sdk_has_its_place() -> None:
    known = SDK_ERRORS.keys() | SETTINGS
    homeless = {
        kind.__name__ for kind in raised() if known.isdisjoint(each.__name__ for each in kind.__mro__)
    }
    assert homeless == NEVER_HERE


def is_ours(error: Exception) -> bool:
    if isinstance(error, WireError):
        return isinstance(translated(error), DataError)
    return isinstance(error, SettingsError)


def test_every_error_of_the_sdk_comes_out_as_one_of_ours() -> None:
    found = {kind.__name__: from_sdk(one(kind)) for kind in raised()}
    assert [name for name, error in found.items() if "why" not in str(error)] == []
    assert [name for name, error in found.items() if not is_ours(error)] == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ConnectTimeoutError", Unavailable),
        ("ReadTimeoutError", Unavailable),
        ("EndpointConnectionError", Unavailable),
        ("ConnectionClosedError", Unavailable),
        ("SSLError", Unavailable),
        ("ChecksumError", Unavailable),
        ("CapacityNotAvailableError", Throttled),
        ("NoCredentialsError", Refused),
        ("UnauthorizedSSOTokenError", Refused),
        ("ParamValidationError", Refused),
        ("PaginationError", Unavailable),
    ],
)
def test_an_error_of_the_sdk_means_the_same_to_a_caller(name: str, kind: type[DataError]) -> None:
    error = wire_error(one(getattr(botocore.exceptions, name)))
    assert type(translated(error)) is kind


@pytest.mark.parametrize(
    "name", ["ProfileNotFound", "NoRegionError", "InvalidRegionError", "ConfigParseError"]
)
def test_a_wrong_set_up_is_an_error_of_settings(name: str) -> None:
    assert isinstance(from_sdk(one(getattr(botocore.exceptions, name))), SettingsError)
