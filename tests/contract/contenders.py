"""The backends that keep the contract, each opened with nothing in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from hansang.backends.aws import Aws
from hansang.backends.base import Backend
from hansang.backends.chaos import Chaos, Faults
from hansang.backends.embedded import Embedded
from hansang.backends.recording import Recording
from hansang.backends.urls import open_backend
from hansang.errors import WireError
from tests.surfaces.support import KEYS, serving

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

REGION, ENDPOINT = "HANSANG_TEST_AWS_REGION", "HANSANG_TEST_ENDPOINT"


@dataclass(frozen=True)
class Contender:
    """A backend under test, under its name."""

    name: str
    backend: Backend

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self.backend.call(operation, request)
        except WireError as error:
            if self.name == "endpoint" and error.code == "UnknownOperationException":
                pytest.skip(f"The endpoint of {ENDPOINT} does not know {operation}.")
            raise


@contextmanager
def embedded() -> Iterator[Backend]:
    with Embedded.open() as backend:
        yield backend


@contextmanager
def recording() -> Iterator[Backend]:
    with Embedded.open() as backend:
        yield Recording(backend)


@contextmanager
def chaos() -> Iterator[Backend]:
    """Without a fault, but with every index read answered from the copy."""
    with (
        Embedded.open() as backend,
        Chaos(backend, Faults(lag=1, lag_calls=0), seed=1) as chaos,
    ):
        yield chaos


@contextmanager
def wire() -> Iterator[Backend]:
    """boto3 to our own endpoint, with signatures."""
    with (
        Embedded.open() as backend,
        serving(backend, keys=KEYS) as address,
        _sdk(address.url, KEYS.access_key, KEYS.secret_key) as aws,
    ):
        yield aws


class InTurn:
    """Answers one request after the other: moto reads an item and writes it back, and loses updates that meet."""

    def __init__(self, app: WSGIApplication) -> None:
        self.app, self.lock = app, Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        with self.lock:
            return list(self.app(environ, start_response))


@contextmanager
def moto() -> Iterator[Backend]:
    """boto3 to moto's server."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    assert server._server
    server._server.app = InTurn(server._server.app)
    host, port = server.get_host_and_port()
    try:
        with _sdk(f"http://{host}:{port}", "testing", "testing") as aws:
            yield aws
    finally:
        server.stop()


def _sdk(url: str, key: str, secret: str) -> Aws:
    session = boto3.Session(aws_access_key_id=key, aws_secret_access_key=secret, region_name="us-east-1")
    return Aws("us-east-1", endpoint=url, attempts=1, session=session)


@contextmanager
def aws() -> Iterator[Backend]:
    with open_backend(f"aws:{os.environ[REGION]}") as backend:
        yield backend


@contextmanager
def endpoint() -> Iterator[Backend]:
    with open_backend(os.environ[ENDPOINT]) as backend:
        yield backend


HERE: dict[str, Callable[[], AbstractContextManager[Backend]]] = {
    "embedded": embedded,
    "recording": recording,
    "chaos": chaos,
    "wire": wire,
    "moto": moto,
}
ELSEWHERE: dict[str, Callable[[], AbstractContextManager[Backend]]] = {
    name: open_one
    for name, variable, open_one in (("aws", REGION, aws), ("endpoint", ENDPOINT, endpoint))
    if os.environ.get(variable)
}
