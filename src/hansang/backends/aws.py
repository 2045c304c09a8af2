"""The backend that asks AWS, or whatever else speaks as DynamoDB does, through boto3."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack, closing
from types import TracebackType
from typing import Any, Literal, Self

from hansang.errors import SettingsError, WireError, not_installed

try:
    import boto3
    from botocore.client import BaseClient
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError
except ModuleNotFoundError as missing:
    raise not_installed(missing, "aws") from missing

from hansang.backends.aws_errors import from_sdk
from hansang.backends.binaries import from_json, to_json

Service = Literal["dynamodb", "dynamodbstreams"]

STREAMS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
_FOREIGN = (BotoCoreError, ClientError, ResponseParserError)


def _config(attempts: int, connect_seconds: float, read_seconds: float) -> Config:
    # Adaptive: exponential pauses with jitter, and fewer requests while the table throttles.
    return Config(
        retries={"mode": "adaptive", "total_max_attempts": attempts},
        connect_timeout=connect_seconds,
        read_timeout=read_seconds,
        max_pool_connections=64,
        tcp_keepalive=True,
    )


class Aws:
    """DynamoDB in a region, or at an endpoint. Nothing is connected before the first call.

    Credentials come from the SDK's own chain: the environment, the profile, the role of the machine. An
    `http://` endpoint without any is signed to with a placeholder, for those that do not look.
    """

    def __init__(
        self,
        region: str | None = None,
        *,
        profile: str | None = None,
        endpoint: str | None = None,
        attempts: int = 8,
        connect_seconds: float = 3.0,
        read_seconds: float = 15.0,
        session: boto3.Session | None = None,
    ) -> None:
        self.region, self.profile, self.endpoint = region, profile, endpoint
        self._session = session
        self._config = _config(attempts, connect_seconds, read_seconds)
        self._clients: dict[Service, BaseClient] = {}
        self._methods: dict[str, str] = {}
        self._making = threading.Lock()

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in request.items() if value is not None}
        converted = from_json(given)
        try:
            response: dict[str, Any] = self._method(operation)(**converted)
        except _FOREIGN as error:
            raise from_sdk(error) from error
        response.pop("ResponseMetadata", None)
        answer: dict[str, Any] = to_json(response)
        return answer

    def _method(self, operation: str) -> Any:
        service: Service = "dynamodbstreams" if operation in STREAMS else "dynamodb"
        client = self._clients.get(service) or self._client(service)
        name = self._methods.get(operation)
        if name is None:
            raise WireError("UnknownOperationException", None)
        return getattr(client, name)

    def _client(self, service: Service) -> BaseClient:
        with self._making:
            if service not in self._clients:
                client = self._connected(service)
                self._methods |= {api: name for name, api in client.meta.method_to_api_mapping.items()}
                self._clients[service] = client
            return self._clients[service]

    def _connected(self, service: Service) -> BaseClient:
        """A client of a service; only one thread at a time may make one of a session."""
        if self._session is None:
            self._session = boto3.Session(profile_name=self.profile, region_name=self.region)
        make: Any = self._session.client
        keys = {}
        if (self.endpoint or "").startswith("http://") and self._session.get_credentials() is None:
            keys = {"aws_access_key_id": "hansang", "aws_secret_access_key": "hansang"}
        try:
            client: BaseClient = make(
                service, self.region, endpoint_url=self.endpoint, config=self._config, **keys
            )
        except ValueError as error:
            raise SettingsError(f"{self.endpoint} is not a valid endpoint: {error}") from error
        return client

    def close(self) -> None:
        """Give the connections free; a later call opens new ones."""
        with self._making, ExitStack() as stack:
            for client in self._clients.values():
                stack.enter_context(closing(client))
            self._clients.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
