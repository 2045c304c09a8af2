"""AWS Signature Version 4, verified: who may ask, and whether what arrived is what they signed."""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote, unquote

from hansang.clock import Clock
from hansang.errors import WireError
from hansang.surfaces.wire.messages import WireRequest

ALGORITHM = "AWS4-HMAC-SHA256"
SKEW = 15 * 60
LONGEST = 7 * 24 * 3600

_STAMP = "%Y%m%dT%H%M%SZ"
_QUERY_NAMES = ("X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date")
_MUST_BE_SIGNED = {
    "host": "'Host' or ':authority'",
    "x-amz-date": "'X-Amz-Date'",
    "x-amz-target": "'X-Amz-Target'",
}


@dataclass(frozen=True, slots=True)
class Keys:
    """The one pair of keys that may ask."""

    access_key: str
    secret_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a request says of its own signature."""

    algorithm: str
    credential: str
    signed_headers: str
    signature: str
    date: str
    lifetime: int = SKEW

    @property
    def names(self) -> list[str]:
        return self.signed_headers.lower().split(";")


class SignatureVerifier:
    """Refuses, as AWS does and in the order in which AWS looks, what these keys have not signed."""

    def __init__(self, keys: Keys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock

    def verify(self, request: WireRequest) -> None:
        claim = _claim(request)
        _check_time(claim, self._clock())
        _check_signed_headers(claim, request)
        _check_algorithm(claim)
        scope = _scope(claim)
        if not _same(claim.credential.split("/")[0], self._keys.access_key):
            raise _unrecognized()
        if not _same(claim.signature, signature(request, claim, scope, self._keys.secret_key)):
            raise _invalid(
                "The request signature we calculated does not match the signature you provided. "
                "Check your AWS Secret Access Key and signing method. "
                "Consult the service documentation for details."
            )
        # These keys are long-lived: a session token beside them is somebody else's.
        if "x-amz-security-token" in request.headers or "X-Amz-Security-Token" in _query(request):
            raise _unrecognized()


def signature(request: WireRequest, claim: Claim, scope: list[str], secret_key: str) -> str:
    """The signature that this request should carry."""
    digest = hashlib.sha256(canonical(request, claim).encode()).hexdigest()
    text = "\n".join([ALGORITHM, claim.date, "/".join(scope), digest])
    key = f"AWS4{secret_key}".encode()
    for part in [*scope, text]:
        key = hmac.digest(key, part.encode(), "sha256")
    return key.hex()


def canonical(request: WireRequest, claim: Claim) -> str:
    """The request in the one spelling that both sides sign."""
    headers = {name: " ".join(request.headers.get(name, "").split()) for name in claim.names}
    return "\n".join(
        [
            request.method,
            quote(request.path, safe="/-_.~"),
            _canonical_query(request),
            *(f"{name}:{value}" for name, value in headers.items()),
            "",
            claim.signed_headers,
            hashlib.sha256(request.body).hexdigest(),
        ]
    )


def _canonical_query(request: WireRequest) -> str:
    pairs = [(name, value) for name, value in _pairs(request) if name != "X-Amz-Signature"]
    return "&".join(f"{name}={value}" for name, value in sorted((_quoted(n), _quoted(v)) for n, v in pairs))


def _quoted(text: str) -> str:
    return quote(text, safe="-_.~")


def _pairs(request: WireRequest) -> list[tuple[str, str]]:
    parts = [part.partition("=") for part in request.query.split("&") if part]
    return [(unquote(name), unquote(value)) for name, _, value in parts]


def _query(request: WireRequest) -> dict[str, str]:
    return dict(_pairs(request))


def _claim(request: WireRequest) -> Claim:
    header, query = request.headers.get("authorization"), _query(request)
    if header is None and "X-Amz-Algorithm" in query:
        return _query_claim(query)
    if header is not None and "X-Amz-Algorithm" in query:
        raise _invalid(
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
        )
    if header is None or not header.startswith("AWS4-"):
        raise WireError("MissingAuthenticationTokenException", "Request is missing Authentication Token")
    return _header_claim(header, request.headers.get("x-amz-date") or request.headers.get("date"))


def _header_claim(header: str, date: str | None) -> Claim:
    algorithm, *words = re.split(r"[,\s]+", header)
    parts = dict(_key_and_value(word, header) for word in words if word)
    needed = ("Credential", "Signature", "SignedHeaders")
    faults = [f"Authorization header requires '{name}' parameter. " for name in needed if not parts.get(name)]
    if not date:
        faults.append("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
    if faults or not date:
        echo = f"(Hashed with SHA-256 and encoded with Base64) Authorization={_hashed(header)}"
        raise _incomplete("".join(faults) + echo)
    return Claim(algorithm, parts["Credential"], parts["SignedHeaders"], parts["Signature"], date)


def _key_and_value(word: str, header: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        raise _incomplete(
            "Invalid key=value pair (missing equal-sign) in Authorization header "
            f"(hashed with SHA-256 and encoded with Base64): '{_hashed(header)}'."
        )
    return name, value


def _query_claim(query: Mapping[str, str]) -> Claim:
    missing = [
        f"AWS query-string parameters must include '{name}'. " for name in _QUERY_NAMES if not query.get(name)
    ]
    if missing:
        raise _incomplete("".join(missing) + "Re-examine the query-string parameters.")
    lifetime = query.get("X-Amz-Expires", str(SKEW))
    if not re.fullmatch("[0-9]{1,6}", lifetime) or int(lifetime) > LONGEST:
        raise _incomplete(f"X-Amz-Expires must be a number of seconds up to {LONGEST}, got '{lifetime}'.")
    algorithm, credential, given, signed_headers, date = (query[name] for name in _QUERY_NAMES)
    return Claim(algorithm, credential, signed_headers, given, date, int(lifetime))


def _check_time(claim: Claim, now: float) -> None:
    if not re.fullmatch("[0-9]{8}T[0-9]{6}Z", claim.date):
        raise _bad_date(claim)
    try:
        signed = datetime.strptime(claim.date, _STAMP).replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise _bad_date(claim) from None
    if signed < now - claim.lifetime:
        edge = f"{_stamp(now - claim.lifetime)} ({_stamp(now)} - {claim.lifetime // 60} min.)"
        raise _invalid(f"Signature expired: {claim.date} is now earlier than {edge}")
    if signed > now + SKEW:
        edge = f"{_stamp(now + SKEW)} ({_stamp(now)} + {SKEW // 60} min.)"
        raise _invalid(f"Signature not yet current: {claim.date} is still later than {edge}")


def _check_signed_headers(claim: Claim, request: WireRequest) -> None:
    for name, spelled in _MUST_BE_SIGNED.items():
        needed = name == "host" or name in request.headers
        if needed and name not in claim.names:
            raise _invalid(f"{spelled} must be a 'SignedHeader' in the AWS Authorization.")


def _check_algorithm(claim: Claim) -> None:
    if claim.algorithm != ALGORITHM:
        raise _incomplete(f"Unsupported AWS 'algorithm': '{claim.algorithm}' (only {ALGORITHM} for now). ")


def _scope(claim: Claim) -> list[str]:
    """The date, region, service and terminator that the credential names."""
    parts = claim.credential.rstrip("/").split("/")
    if len(parts) != 5:
        raise _incomplete(
            "Credential must have exactly 5 slash-delimited elements, "
            f"e.g. keyid/date/region/service/term, got '{claim.credential}'"
        )
    _, date, region, service, terminator = parts
    faults = {
        # Any region will do: one endpoint serves them all.
        "Credential should be scoped to a valid region, not ''.": not region,
        "Credential should be scoped to correct service: 'dynamodb'.": service != "dynamodb",
        f"Credential should be scoped with a valid terminator: 'aws4_request', not '{terminator}'.": (
            terminator != "aws4_request"
        ),
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        f"'{date}' != '{claim.date[:8]}', from '{claim.date}'.": date != claim.date[:8],
    }
    if any(faults.values()):
        raise _invalid(" ".join(fault for fault, found in faults.items() if found))
    return parts[1:]


def _stamp(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime(_STAMP)


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode(), right.encode())


def _hashed(header: str) -> str:
    return b64encode(hashlib.sha256(header.encode()).digest()).decode()


def _bad_date(claim: Claim) -> WireError:
    return _incomplete(
        f"Date must be in ISO-8601 'basic format'. Got '{claim.date}'. See http://en.wikipedia.org/wiki/ISO_8601"
    )


def _unrecognized() -> WireError:
    return WireError("UnrecognizedClientException", "The security token included in the request is invalid.")


def _invalid(message: str) -> WireError:
    return WireError("InvalidSignatureException", message)


def _incomplete(message: str) -> WireError:
    return WireError("IncompleteSignatureException", message)
