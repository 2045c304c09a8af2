"""The backend on boto3: how it connects, what it does when it cannot, and what it passes on."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import boto3
import pytest

from hansang.backends.aws import Aws
from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.design.translation import translated
from hansang.errors import SettingsError, Throttled, Unavailable, WireError
from tests.surfaces.support import KEYS, Address, Stub, serving


class CountingSession(boto3.Session):
    """A session that knows how many clients were made of it."""

    made = 0

    def client(self, *given: Any, **named: Any) -> Any:
        self.made += 1
        return super().client(*given, **named)


def session() -> CountingSession:
    return CountingSession(aws_access_key_id=KEYS.access_key, aws_secret_access_key=KEYS.secret_key)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which nobody has set up AWS."""
    for name in (
        "AWS_PROFILE",
        "AWS_DEFAULT_PROFILE",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_ENDPOINT_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of something that takes connections and never answers."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def code_of(backend: Backend, operation: str = "ListTables") -> WireError:
    with pytest.raises(WireError) as caught:
        backend.call(operation, {})
    return caught.value


def served(answer: Stub) -> Any:
    return serving(answer, keys=KEYS)


def at(address: Address, **more: Any) -> Aws:
    return Aws("us-east-1", endpoint=address.url, **{"attempts": 1, "session": session(), **more})


# ── connecting ────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_connected_before_the_first_call() -> None:
    found = session()
    with Aws("nowhere-1", endpoint="http://127.0.0.1:1", session=found):
        assert found.made == 0


def test_many_threads_make_one_client_of_each_service() -> None:
    found = session()
    with (
        Embedded.open() as engine,
        serving(engine) as address,
        at(address, session=found) as backend,
        ThreadPoolExecutor(16) as threads,
    ):
        answers = list(threads.map(lambda _: backend.call("ListTables", {}), range(64)))
        streams = list(threads.map(lambda _: backend.call("ListStreams", {}), range(16)))
    assert answers == [{"TableNames": []}] * 64
    assert streams == [{"Streams": []}] * 16
    assert found.made == 2


def test_a_closed_backend_opens_again() -> None:
    with Embedded.open() as engine, serving(engine) as address, at(address) as backend:
        backend.call("ListTables", {})
        backend.close()
        assert backend.call("ListTables", {}) == {"TableNames": []}


@pytest.mark.usefixtures("bare")
def test_an_http_endpoint_needs_no_credentials() -> None:
    with (
        Embedded.open() as engine,
        serving(engine) as address,
        Aws("us-east-1", endpoint=address.url) as backend,
    ):
        assert backend.call("ListTables", {}) == {"TableNames": []}


@pytest.mark.usefixtures("bare")
def test_aws_itself_needs_credentials() -> None:
    with Aws("ap-northeast-2", attempts=1) as backend:
        assert code_of(backend).code == "UnrecognizedClientException"


@pytest.mark.usefixtures("bare")
def test_credentials_come_from_the_chain_of_the_sdk(tmp_path: Path) -> None:
    (tmp_path / "credentials").write_text(
        f"[shop]\naws_access_key_id = {KEYS.access_key}\naws_secret_access_key = {KEYS.secret_key}\n"
    )
    with (
        Embedded.open() as engine,
        serving(engine, keys=KEYS) as address,
        Aws("us-east-1", endpoint=address.url, profile="shop") as backend,
    ):
        assert backend.call("ListTables", {}) == {"TableNames": []}


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"region": "us-east-1", "profile": "nobody"}, "nobody"),
        ({}, "region"),
        ({"region": "us-east-1", "endpoint": "http://no host"}, "is not a valid endpoint"),
    ],
    ids=["profile", "region", "endpoint"],
)
def test_a_wrong_setting_is_said_to_be_one(given: dict[str, str], words: str) -> None:
    with Aws(**given) as backend, pytest.raises(SettingsError, match=words):  # type: ignore[arg-type]
        backend.call("ListTables", {})


# ── what does not arrive ──────────────────────────────────────────────────────────────────────────


def test_a_service_that_cannot_be_reached_is_unavailable() -> None:
    with Aws("us-east-1", endpoint="http://127.0.0.1:1", attempts=1, session=session()) as backend:
        error = code_of(backend)
    assert error.code == "ServiceUnavailable"
    assert isinstance(translated(error), Unavailable)


def test_a_service_that_does_not_answer_in_time_is_unavailable(silent: str) -> None:
    with Aws("us-east-1", endpoint=silent, attempts=1, read_seconds=0.1, session=session()) as backend:
        assert isinstance(translated(code_of(backend)), Unavailable)


def failing(times: int, code: str) -> Stub:
    """A backend that fails at first."""
    left = [WireError.answered(code, "not yet", {})] * times

    def answer(_: str, __: Mapping[str, Any]) -> dict[str, Any]:
        if left:
            raise left.pop()
        return {"TableNames": ["Rice"]}

    return Stub(answer)


@pytest.mark.parametrize("code", ["InternalServerError", "ThrottlingException"])
def test_what_passes_is_tried_again(code: str) -> None:
    with served(failing(1, code)) as address, at(address, attempts=3) as backend:
        assert backend.call("ListTables", {}) == {"TableNames": ["Rice"]}


def test_what_does_not_pass_is_throttled_after_every_attempt() -> None:
    stub = failing(9, "ProvisionedThroughputExceededException")
    with served(stub) as address, at(address, attempts=2) as backend:
        assert isinstance(translated(code_of(backend)), Throttled)


# ── what is passed on ─────────────────────────────────────────────────────────────────────────────


def test_a_null_parameter_is_one_that_is_not_there() -> None:
    with Embedded.open() as engine, serving(engine) as address, at(address) as backend:
        assert backend.call("ListTables", {"Limit": None}) == {"TableNames": []}


def test_an_operation_that_dynamodb_does_not_have_is_its_own_error() -> None:
    with Aws("us-east-1", session=session()) as backend:
        assert code_of(backend, "MakeCoffee").code == "UnknownOperationException"


def test_a_request_that_the_sdk_refuses_is_refused_as_dynamodb_would() -> None:
    with Aws("us-east-1", session=session()) as backend:
        error = code_of(backend, "PutItem")
    assert error.code == "ValidationException"
    assert "TableName" in str(error)
