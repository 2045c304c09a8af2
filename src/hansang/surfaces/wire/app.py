"""The endpoint as an ASGI application over any backend."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, Protocol

import orjson

from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.errors import DamagedFile, StoreBusy, StoreError, WireError
from hansang.surfaces.http import compression
from hansang.surfaces.http.bodies import BoundedBody, RefusedBody
from hansang.surfaces.wire.gathered_writes import GatheredWrites
from hansang.surfaces.wire.guard import OriginGuard
from hansang.surfaces.wire.lone_client import LoneClient
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
from hansang.surfaces.wire.regions import Regions, region_of

LIMIT = 16 * 1024 * 1024
"""DynamoDB's own limit on the size of a request."""
HEAD_LIMIT = 16 * 1024
"""The same of its headers."""

READERS, WRITERS = 16, 16
"""How many of each are at work at a time: however many writers wait for the data file, readers go on."""
WAITING_WRITERS = 256
"""How many more may wait for a thread; the next one is refused at once."""
RETRY_AFTER = 5
SMALL_BODY = 4096
"""The size up to which a request is looked at whether it can be answered at once."""
SMALL_TRANSACTION = 8
"""How many items a write may change, to share a commit with any number of others; a larger one takes turns with them."""
LONG_SECONDS = 0.25
"""A write that took longer than this is not followed by another one on the loop for a while."""

_TABLES = "DynamoDB_20120810"
_STREAMS = "DynamoDBStreams_20120810"
_STREAM_OPERATIONS = frozenset({"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"})

_STATEMENTS = frozenset({"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"})
_SELECT = re.compile(rb'"Statement"\s*:\s*"\s*SELECT\b', re.IGNORECASE)

_READING = ("Get", "Query", "Scan", "Describe", "List")
_SMALL_WRITES = frozenset(
    f"{_TABLES}.{each}" for each in ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")
)
_SMALL_LIMIT = re.compile(rb'"Limit"\s*:\s*(?:[1-9][0-9]?|1[01][0-9]|12[0-8])\s*[,}]')

_NO_SUCH_PAGE = Response(404, b"<UnknownOperationException/>\n")
_TOO_LONG_HEAD = Response(400, b"", {"connection": "close"})
_TOO_SLOW = Response(408, b"", {"connection": "close"})

_log = logging.getLogger("hansang.wire")


class Signatures(Protocol):
    """Whatever decides whether a request was signed by someone who may ask."""

    def verify(self, request: WireRequest) -> None: ...


def new_request_id() -> str:
    """Fifty-two capitals and digits, as AWS numbers its requests."""
    return os.urandom(26).hex().upper()


class WireApp:
    """Answers DynamoDB's protocol from a backend; the backend runs in threads, slow clients hold none.

    Of a backend whose reads wait for nobody, one that is `prompt`, small reads are answered without a thread: to
    hand one over takes longer than to answer. So are small writes to a data file while one client alone asks: its
    write holds up nobody, and shares its commit with nobody. Those of several clients go to a thread together.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        region: str,
        guard: OriginGuard,
        signatures: Signatures | None = None,
        regions: Regions | None = None,
        prompt: bool = False,
        writers: int = WRITERS,
        waiting_writers: int = WAITING_WRITERS,
        request_id: Callable[[], str] = new_request_id,
    ) -> None:
        self._backend = backend
        self._healthy = f"healthy: dynamodb.{region}.amazonaws.com ".encode()
        self._guard = guard
        self._signatures = signatures
        self._regions = regions
        self._prompt = prompt
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="hansang-wire-read")
        self._writers = ThreadPoolExecutor(writers, thread_name_prefix="hansang-wire-write")
        self._writing, self._most_writing = 0, writers + waiting_writers
        self._gathered = GatheredWrites(self._answer_together)
        self._lone = LoneClient()
        self._request_id = request_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._lone.heard(scope.get("client"))
        try:
            response = await self._respond(WireRequest.from_scope(scope), receive)
        except ConnectionError:
            return
        lines = response.lines(self._request_id())
        await send({"type": "http.response.start", "status": response.status, "headers": lines})
        await send({"type": "http.response.body", "body": response.body})

    def close(self) -> None:
        """Finish the calls that have begun, and begin no more."""
        self._readers.shutdown()
        self._writers.shutdown()
        self._gathered.close()

    def may_answer_at_once(self, data: bytes, client: object) -> bool:
        """Whether a piece of the network is worth being looked at: there may be a read in it, or its client is alone."""
        return self._prompt and (b".GetItem" in data or b".Query" in data or self._is_alone(client))

    def answer_at_once(self, request: WireRequest, client: object) -> tuple[Response, str] | None:
        """The answer to a small request that is whole, and its id; None if it has to go the usual way."""
        if (
            not self._is_prompt(request)
            or request.head_size > HEAD_LIMIT
            or not self._guard.admits(request.headers)
        ):
            return None
        response: Response | None
        if _is_small_read(request):
            response = self._answer(request)
        elif self._is_alone(client) and request.headers.get("x-amz-target") in _SMALL_WRITES:
            response = self._written_at_once(request)
        else:
            return None
        if response is None:
            return None
        self._lone.heard(client)
        return response, self._request_id()

    async def _respond(self, request: WireRequest, receive: Receive) -> Response:
        if not self._guard.admits(request.headers):
            refusal = WireError("AccessDeniedException", "Requests of other sites' pages are not served.")
            return json_response(request, refusal.body(), 403)
        if request.head_size > HEAD_LIMIT:
            return _TOO_LONG_HEAD
        if request.method == "GET" and request.path == "/":
            return Response(200, self._healthy)
        if request.method != "POST":
            return _NO_SUCH_PAGE
        try:
            whole = request.with_body(await _body(request, receive))
        except WireError as error:
            return error_response(request, error)
        except RefusedBody as refused:
            return _TOO_SLOW if refused.status_code == 408 else error_response(request, _too_large())
        if self._is_prompt(whole) and _is_small_read(whole):
            return self._answer(whole)
        return await (self._read(whole) if _is_reading(whole) else self._written(whole))

    def _is_prompt(self, request: WireRequest) -> bool:
        if not self._prompt or len(request.body) > SMALL_BODY or "content-encoding" in request.headers:
            return False
        # The file of another region may have to be opened first.
        return self._regions is None or self._regions.is_home(region_of(request))

    def _is_alone(self, client: object) -> bool:
        return not self._writing and self._lone.is_(client) and isinstance(self._backend, Embedded)

    def _written_at_once(self, request: WireRequest) -> Response | None:
        """The answer to a write; None if others write now, and it has not happened."""
        begun = monotonic()
        try:
            return self._answer(request, at_once=True)
        except StoreBusy:
            self._lone.pause()
            return None
        finally:
            if monotonic() - begun > LONG_SECONDS:
                self._lone.pause()

    async def _read(self, request: WireRequest) -> Response:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._answer, request)

    async def _written(self, request: WireRequest) -> Response:
        if self._writing >= self._most_writing:
            busy = WireError("ServiceUnavailable", "Too many writes wait already. Send this one again.")
            return _after(error_response(request, busy), RETRY_AFTER)
        self._writing += 1
        try:
            if self._is_small_write(request):
                return await self._gathered.answer(request)
            return await asyncio.get_running_loop().run_in_executor(self._writers, self._answer, request)
        finally:
            self._writing -= 1

    def _is_small_write(self, request: WireRequest) -> bool:
        """Whether a write takes a moment, so that others can wait for it and share its commit."""
        if request.headers.get("x-amz-target") not in _SMALL_WRITES or not self._is_prompt(request):
            return False
        # Each item of a transaction names its table.
        return request.body.count(b'"TableName"') <= SMALL_TRANSACTION and isinstance(self._backend, Embedded)

    def _answer_together(self, requests: Sequence[WireRequest]) -> list[Response]:
        """The answers to small writes, which have one commit if none of them fails halfway."""
        assert isinstance(self._backend, Embedded)
        calls = [partial(self._answer, each, at_once=True) for each in requests]
        answers: list[Response] | None = None
        if len(calls) > 1:
            try:
                answers = self._backend.engine.store.share(calls)
            except StoreBusy as error:
                return [_busy(each, error) for each in requests]
            except StoreError:
                pass  # Each by itself finds the reason that it is to be told.
        return answers or [self._answer(each) for each in requests]

    def _answer(self, request: WireRequest, *, at_once: bool = False) -> Response:
        if request.body and request.content_type not in JSON_TYPES:
            return _NO_SUCH_PAGE
        try:
            answer = self._call(request, at_once=at_once)
            return json_response(request, answer) if answer or not _is_silent(request) else Response(200, b"")
        except WireError as error:
            return error_response(request, error)
        except StoreBusy as error:
            if at_once:
                raise
            return _busy(request, error)
        except DamagedFile as error:
            _log.exception("%s failed", request.headers.get("x-amz-target"))
            told = str(error) if error.values else "The data file is damaged. Run hansang check on it."
            return error_response(request, WireError("InternalServerError", told))
        except Exception:
            _log.exception("%s failed", request.headers.get("x-amz-target"))
            return error_response(request, WireError("InternalServerError", "Internal server error"))

    def _call(self, request: WireRequest, *, at_once: bool) -> dict[str, Any]:
        # AWS reads the JSON first, then the target, then the signature; an absent body is found last.
        document = _document(request) if request.body else None
        operation = _operation(request.headers.get("x-amz-target", ""))
        if self._signatures is not None:
            self._signatures.verify(request)
        if document is None:
            raise WireError("SerializationException", None)
        backend = self._backend
        if self._regions is not None:
            backend = self._regions.backend(region_of(request), operation)
        if isinstance(backend, Embedded):
            call = backend.call_at_once if at_once else partial(backend.call, splices=True)
            answer = call(operation, document)
        else:
            answer = backend.call(operation, document)
        if operation == "DescribeEndpoints" and "host" in request.headers:
            # The client goes on where it came to.
            return {
                "Endpoints": [each | {"Address": request.headers["host"]} for each in answer["Endpoints"]]
            }
        return answer


async def _body(request: WireRequest, receive: Receive) -> bytes:
    if request.length > LIMIT:
        raise _too_large()
    bounded, body = BoundedBody(receive, LIMIT), bytearray()
    while not bounded.ended:
        message = await bounded()
        if bounded.left:
            raise ConnectionResetError
        body += message["body"]
    return bytes(body)


def _is_silent(request: WireRequest) -> bool:
    """Whether AWS answers this without a body, not even an empty document."""
    return request.headers.get("x-amz-target", "").endswith("agResource")


def _is_reading(request: WireRequest) -> bool:
    operation = request.headers.get("x-amz-target", "").partition(".")[2]
    if operation in _STATEMENTS:
        return _SELECT.search(request.body) is not None
    return operation.removeprefix("Transact").removeprefix("Batch").startswith(_READING)


def _is_small_read(request: WireRequest) -> bool:
    """Whether an answer takes a moment: a single item, or a page of few items that are not filtered."""
    target = request.headers.get("x-amz-target", "")
    if target.endswith(".GetItem"):
        return True
    return (
        target.endswith(".Query")
        and b"Filter" not in request.body
        and bool(_SMALL_LIMIT.search(request.body))
    )


def _busy(request: WireRequest, error: StoreBusy) -> Response:
    # SDKs send a request again that was answered with 503; nothing of this one was kept.
    return _after(error_response(request, WireError("ServiceUnavailable", str(error))), error.retry_after)


def _after(response: Response, seconds: float) -> Response:
    """An answer that says when to come back."""
    return replace(response, headers={**response.headers, "retry-after": str(math.ceil(seconds))})


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
    decode = compression.DECODERS.get(encoding)
    if decode is None:
        raise WireError("SerializationException", None)
    try:
        return decode(request.body, LIMIT)
    except compression.OversizedError:
        raise _too_large() from None
    except compression.CorruptError:
        raise WireError("SerializationException", None) from None


def _operation(target: str) -> str:
    service, _, operation = target.partition(".")
    if not operation or service != (_STREAMS if operation in _STREAM_OPERATIONS else _TABLES):
        raise WireError("UnknownOperationException", None)
    return operation
