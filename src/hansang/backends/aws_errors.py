"""What boto3 raises, as errors of ours: one map, complete."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from hansang.backends.binaries import to_json
from hansang.errors import HansangError, SettingsError, WireError

_UNREACHABLE = "ServiceUnavailable"
_THROTTLED = "ThrottlingException"
_UNKNOWN_CALLER = "UnrecognizedClientException"
_INVALID = "ValidationException"

# By name, because the SDK adds to them from version to version. The nearest ancestor decides.
SDK_ERRORS = {
    "ConnectionError": _UNREACHABLE,
    "HTTPClientError": _UNREACHABLE,
    "ChecksumError": _UNREACHABLE,
    "FlexibleChecksumError": _UNREACHABLE,
    "IncompleteReadError": _UNREACHABLE,
    "ResponseParserError": _UNREACHABLE,
    "CapacityNotAvailableError": _THROTTLED,
    "NoCredentialsError": _UNKNOWN_CALLER,
    "NoAuthTokenError": _UNKNOWN_CALLER,
    "TokenRetrievalError": _UNKNOWN_CALLER,
    "PartialCredentialsError": _UNKNOWN_CALLER,
    "CredentialRetrievalError": _UNKNOWN_CALLER,
    "MetadataRetrievalError": _UNKNOWN_CALLER,
    "RefreshWithMFAUnsupportedError": _UNKNOWN_CALLER,
    "SSOError": _UNKNOWN_CALLER,
    "LoginError": _UNKNOWN_CALLER,
    "ParamValidationError": _INVALID,
    "ValidationError": _INVALID,
    "MissingParametersError": _INVALID,
}
"""The code of DynamoDB that says what an error of the SDK says."""

SETTINGS = frozenset(
    {
        "ApiVersionNotFoundError",
        "BaseEndpointResolverError",
        "ConfigNotFound",
        "ConfigParseError",
        "DataNotFoundError",
        "EndpointProviderError",
        "InvalidConfigError",
        "InvalidDefaultsMode",
        "InvalidEndpointConfigurationError",
        "InvalidEndpointDiscoveryConfigurationError",
        "InvalidHostLabelError",
        "InvalidIMDSEndpointError",
        "InvalidIMDSEndpointModeError",
        "InvalidProxiesConfigError",
        "InvalidRegionError",
        "InvalidRetryConfigurationError",
        "InvalidSTSRegionalEndpointsConfigError",
        "MissingDependencyException",
        "ProfileNotFound",
        "ServiceNotInRegionError",
        "UnknownCredentialError",
        "UnknownRegionError",
        "UnknownSignatureVersionError",
        "UnknownTokenProviderError",
        "UnsupportedServiceProtocolsError",
        "UnsupportedSignatureVersionError",
    }
)
"""The errors of the SDK that say that it is set up wrongly."""

# What stands in front of DynamoDB, and endpoints that are like it, say some things in other words.
_OTHER_WORDS = {
    "BandwidthLimitExceeded": _THROTTLED,
    "EC2ThrottledException": _THROTTLED,
    "PriorRequestNotComplete": _THROTTLED,
    "RequestThrottled": _THROTTLED,
    "RequestThrottledException": _THROTTLED,
    "SlowDown": _THROTTLED,
    "Throttling": _THROTTLED,
    "ThrottledException": _THROTTLED,
    "TooManyRequestsException": _THROTTLED,
    "RequestTimeout": _UNREACHABLE,
    "RequestTimeoutException": _UNREACHABLE,
    "401": "AccessDeniedException",
    "403": "AccessDeniedException",
    "413": "RequestEntityTooLarge",
    "429": _THROTTLED,
}
_NO_FIELDS = frozenset({"Error", "ResponseMetadata", "message", "Message"})


def from_sdk(error: Exception) -> HansangError:
    """The error of ours that an error of boto3 stands for."""
    if isinstance(error, ClientError):
        return _answered(error)
    names = [kind.__name__ for kind in type(error).__mro__]
    for name in names:
        if name in SETTINGS:
            return SettingsError(f"The AWS SDK cannot be used as it is set up: {error}")
        if name in SDK_ERRORS:
            return WireError.answered(SDK_ERRORS[name], str(error), {})
    return WireError("InternalServerError", f"{names[0]}: {error}")


def _answered(error: ClientError) -> WireError:
    response: dict[str, Any] = dict(error.response)
    told = response.get("Error", {})
    code, message = str(told.get("Code", "")), told.get("Message") or None
    if code.isdecimal():
        # Not an error of DynamoDB's form, but some page of whatever stands in front of it.
        message = f"It answered HTTP {code}"
    fields = {name: to_json(value) for name, value in response.items() if name not in _NO_FIELDS}
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400))
    if status >= 500 and not code.startswith("InternalServerError"):
        return WireError("ServiceUnavailable", f"{code}: {message}")
    return WireError.answered(_OTHER_WORDS.get(code, code), message, fields)
