"""The client of an application in the same process: what it does when the application is killed."""

from __future__ import annotations

import gc
import socket

import pytest
from httpx2 import Client
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.leftovers import nothing_left
from tests.surfaces.asking import ADDRESS, Asking


async def killed(scope: Scope, receive: Receive, send: Send) -> None:
    raise SystemExit("killed")


def test_who_asks_hears_that_the_process_is_gone_and_nobody_is_told_later(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Client(transport=Asking(killed), base_url=ADDRESS) as client:
        with pytest.raises(SystemExit, match="killed"):
            client.get("/")
        gc.collect()
    assert caplog.records == []


def test_who_asks_is_answered_after_a_test_has_failed_and_left_something_open() -> None:
    with Client(transport=Asking(PlainTextResponse("here")), base_url=ADDRESS) as client:
        with nothing_left(lambda: True):
            left = socket.socket()
            assert client.get("/").text == "here"
        assert left.fileno() == -1
        assert client.get("/").text == "here"
