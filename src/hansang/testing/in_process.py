"""DynamoDB for boto3, and for all that stands on botocore, answered in the process: no socket and no credentials."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import wraps
from os import PathLike, fspath, urandom
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, cast

import orjson
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.client import BaseClient

from hansang.backends.base import Backend
from hansang.backends.chaos import Chaos, Faults
from hansang.backends.embedded import Embedded
from hansang.design import Database, Table
from hansang.design.meter import Cost
from hansang.engine import Engine
from hansang.errors import SettingsError, StoreBusy, WireError
from hansang.testing.hook import HOOK, bound, register, registered
from hansang.testing.metering import Metered
from hansang.testing.movable_clock import MovableClock

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient, DynamoDBServiceResource
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=BaseClient)
Attached = Any
"""A client, a resource or a session of boto3; its stubs have a type for each service."""

_JSON = "application/x-amz-json-1.0"


class InProcess:
    """A block in which botocore's requests to DynamoDB are answered by an engine of its own.

    It is a backend as well: `Database(it)` sees the same tables. As a decorator it opens a new one for every call.
    """

    def __init__(self, path: str, tables: Iterable[type[Table] | Mapping[str, Any]], region: str) -> None:
        self._options = (path, tuple(tables), region)
        self.clock = MovableClock()
        """The engine's clock."""
        self._opened = ExitStack()
        self._backends: list[Backend] = []

    def __enter__(self) -> Self:
        if self._backends:
            raise SettingsError(
                "This block is open already. Call hansang.testing.boto3() again for another one."
            )
        path, tables, region = self._options
        with ExitStack() as opening:
            engine = Engine.open(path, clock=self.clock, region=region, sweep_seconds=None)
            self._engine = opening.enter_context(engine)
            self._backends = [Embedded(engine)]
            opening.callback(self._backends.clear)
            self.create_tables(*tables)
            HOOK.enter(self)
            opening.callback(HOOK.leave, self)
            self._opened = opening.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._opened.close()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
            raise SettingsError(
                "hansang.testing.boto3() decorates functions. Use it as a block in a generator."
            )
        if inspect.isclass(function):
            raise SettingsError(
                "hansang.testing.boto3() decorates functions. Decorate the methods of a class."
            )

        @wraps(function)
        def opened(*arguments: P.args, **options: P.kwargs) -> R:
            with InProcess(*self._options):
                return function(*arguments, **options)

        @wraps(function)
        async def opened_while_awaited(*arguments: P.args, **options: P.kwargs) -> Any:
            with InProcess(*self._options):
                return await cast(Any, function(*arguments, **options))

        return cast(Any, opened_while_awaited) if inspect.iscoroutinefunction(function) else opened

    # ── answering ─────────────────────────────────────────────────────────────────────────────────

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer as DynamoDB does, with the chaos and the meters of the blocks that are open."""
        if not self._backends:
            raise SettingsError("This block of hansang.testing.boto3() has ended. Open another one.")
        return self._backends[-1].call(operation, request)

    def answer(self, request: AWSPreparedRequest) -> AWSResponse:
        """The response to a request that botocore is about to send."""
        target: Any = request.headers["X-Amz-Target"]
        operation = (target.decode() if isinstance(target, bytes) else target).partition(".")[2]
        try:
            status, document = 200, self.call(operation, orjson.loads(cast(Any, request.body)))
        except WireError as error:
            status, document = error.status, error.body()
        except StoreBusy as error:
            status, document = 503, WireError("ServiceUnavailable", str(error)).body()
        headers: Any = {"content-type": _JSON, "x-amzn-requestid": urandom(26).hex().upper()}
        return AWSResponse(request.url, status, headers, cast(Any, _Body(orjson.dumps(document))))

    # ── clients ───────────────────────────────────────────────────────────────────────────────────

    def client(self, **options: Any) -> DynamoDBClient:
        """A client of boto3 that this block answers, in every thread; `options` as `boto3.client` takes them."""
        with HOOK.making() as session:
            return self._bound(session.client("dynamodb", **options))

    def streams(self, **options: Any) -> DynamoDBStreamsClient:
        """The same for the streams of tables."""
        with HOOK.making() as session:
            return self._bound(session.client("dynamodbstreams", **options))

    def resource(self, **options: Any) -> DynamoDBServiceResource:
        """A resource of boto3 that this block answers, in every thread."""
        with HOOK.making() as session:
            found = session.resource("dynamodb", **options)
        self._bound(found.meta.client)
        return found

    def _bound(self, client: C) -> C:
        register(client.meta.events, bound(self))
        return client

    def attach(self, made_before: Attached) -> None:
        """Answer a client, a resource or a session that was made before the block, until the block ends."""
        of_resource = getattr(getattr(made_before, "meta", None), "client", None)
        owner = made_before if of_resource is None else of_resource
        events = owner.meta.events if hasattr(owner, "meta") else owner.events
        self._opened.enter_context(registered(events, bound(self)))

    def create_tables(self, *tables: type[Table] | Mapping[str, Any]) -> None:
        """Make tables: designs, or requests as `create_table` takes them."""
        for table in tables:
            if isinstance(table, Mapping):
                self.call("CreateTable", table)
            else:
                Database(self).create_tables(table)

    # ── at hand ───────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def meter(self) -> Iterator[Cost]:
        """Count what the calls cost, by operation, table and index."""
        metered = Metered(self._backends[-1])
        with self._behind(metered):
            yield metered.cost

    @contextmanager
    def chaos(self, faults: Faults, *, seed: int = 0) -> Iterator[Counter[str]]:
        """Let things go wrong; what is yielded counts how often each thing did."""
        with Chaos(self._backends[-1], faults, seed=seed, clock=self.clock) as chaos, self._behind(chaos):
            yield chaos.counts

    @contextmanager
    def _behind(self, backend: Backend) -> Iterator[None]:
        self._backends.append(backend)
        try:
            yield
        finally:
            self._backends.remove(backend)

    def sweep(self) -> int:
        """Delete what has expired by `clock`, as DynamoDB does in its own time; how much that was."""
        return self._engine.sweep()


class _Body:
    """What an answer consists of, as urllib3 would hand it over."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, *sizes: int, **options: Any) -> Iterator[bytes]:
        yield self._content


def boto3(
    path: str | PathLike[str] = ":memory:",
    *,
    tables: Iterable[type[Table] | Mapping[str, Any]] = (),
    region: str = "us-east-1",
) -> InProcess:
    """DynamoDB for boto3 in a block or a decorated function, in memory or in a data file at `path`.

    Everything that stands on botocore is answered: boto3, PynamoDB and the like. `tables` are made first.
    """
    return InProcess(fspath(path), tables, region)
