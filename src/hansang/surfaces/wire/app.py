"""The endpoint as an ASGI application over any backend."""

from __future__ import annotations

import asyncio
import base64
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import orjson

from hansang.backends.base import Backend
from hansang.errors import StoreBusy, WireError
from hansang.surfaces.http import compression
from hansang.surfaces.wire.guard import OriginGuard
from hansang.surfaces.wire.messages import (
    JSON_TYPES,
    Receive,
    Response,
    Scope,
    Send,
    WireRequest,
    error_response,
    json_response,
)

LIMIT = 16 * 1024 * 1024
"""DynamoDB's own limit on the size of a request."""

PATIENCE = 30.0
"""How many seconds a client may send nothing in the middle of a body."""

THREADS = 16

_TABLES = "DynamoDB_20120810"
_STREAMS = "DynamoDBStreams_20120810"
_STREAM_OPERATIONS = frozenset({"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"})

_NO_SUCH_PAGE = Response(404, b"<UnknownOperationException/>\n")
_TOO_SLOW = Response(408, b"", {"connection": "close"})

_log = logging.getLogger("hansang.wire")


class Signatures(Protocol):
    """Whatever decides whether a request was signed by someone who may ask."""

    def verify(self, request: WireRequest) -> None: ...


def new_request_id() -> str:
    """Fifty-two capitals and digits, as AWS numbers its requests."""
    return base64.b32encode(os.urandom(35))[:52].decode("ascii")


class WireApp:
    """Answers DynamoDB's protocol from a backend; the backend runs in threads, slow clients hold none."""

    def __init__(
        self,
        backend: Backend,
        *,
        region: str,
        guard: OriginGuard,
        signatures: Signatures | None = None,
        threads: int = THREADS,
        request_id: Callable[[], str] = new_request_id,
    ) -> None:
        self._backend = backend
        self._healthy = f"healthy: dynamodb.{region}.amazonaws.com ".encode()
        self._guard = guard
        self._signatures = signatures
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="hansang-wire")
        self._request_id = request_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            response = await self._respond(WireRequest.from_scope(scope), receive)
        except ConnectionError:
            return
        lines = response.lines(self._request_id())
        await send({"type": "http.response.start", "status": response.status, "headers": lines})
        await send({"type": "http.response.body", "body": response.body})

    def close(self) -> None:
        """Finish the calls that have begun, and begin no more."""
        self._pool.shutdown()

    async def _respond(self, request: WireRequest, receive: Receive) -> Response:
        if not self._guard.admits(request.headers):
            refusal = WireError("AccessDeniedException", "Requests of other sites' pages are not served.")
            return json_response(request, refusal.body(), 403)
        if request.method == "GET":
            return Response(200, self._healthy)
        if request.method != "POST":
            return _NO_SUCH_PAGE
        try:
            whole = request.with_body(await _body(request, receive))
        except WireError as error:
            return error_response(request, error)
        except TimeoutError:
            return _TOO_SLOW
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._answer, whole)

    def _answer(self, request: WireRequest) -> Response:
        if request.body and request.content_type not in JSON_TYPES:
            return _NO_SUCH_PAGE
        try:
            return json_response(request, self._call(request))
        except WireError as error:
            return error_response(request, error)
        except StoreBusy as error:
            # SDKs send a request again that was answered with 503; nothing of this one was kept.
            return error_response(request, WireError("ServiceUnavailable", str(error)))
        except Exception:
            _log.exception("%s failed", request.headers.get("x-amz-target"))
            return error_response(request, WireError("InternalServerError", "Internal server error"))

    def _call(self, request: WireRequest) -> dict[str, Any]:
        # AWS reads the JSON first, then the target, then the signature; an absent body is found last.
        document = _document(request) if request.body else None
        operation = _operation(request.headers.get("x-amz-target", ""))
        if self._signatures is not None:
            self._signatures.verify(request)
        if document is None:
            raise WireError("SerializationException", None)
        return self._backend.call(operation, document)


async def _body(request: WireRequest, receive: Receive) -> bytes:
    if request.length > LIMIT:
        raise _too_large()
    body = bytearray()
    while True:
        async with asyncio.timeout(PATIENCE):
            message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        body += message["body"]
        if len(body) > LIMIT:
            raise _too_large()
        if not message["more_body"]:
            return bytes(body)


def _too_large() -> WireError:
    return WireError("RequestEntityTooLarge", f"A request may have at most {LIMIT} bytes.")


def _document(request: WireRequest) -> dict[str, Any]:
    try:
        document = orjson.loads(_plain(request))
    except ValueError:
        raise WireError("SerializationException", None) from None
    if isinstance(document, list):
        raise WireError("SerializationException", None, Message="Start of list found where not expected")
    if not isinstance(document, dict):
        raise WireError("SerializationException", None)
    return document


def _plain(request: WireRequest) -> bytes:
    encoding = request.headers.get("content-encoding", "identity").lower()
    if encoding == "identity":
        return request.body
    if encoding != "gzip":
        raise WireError("SerializationException", None)
    try:
        return compression.gunzip(request.body, LIMIT)
    except compression.OversizedError:
        raise _too_large() from None
    except compression.CorruptError:
        raise WireError("SerializationException", None) from None


def _operation(target: str) -> str:
    service, _, operation = target.partition(".")
    if not operation or service != (_STREAMS if operation in _STREAM_OPERATIONS else _TABLES):
        raise WireError("UnknownOperationException", None)
    return operation
