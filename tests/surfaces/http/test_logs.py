"""One line an event, for machines or for eyes."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

from hansang.apps.platform.accounts import accounts_of
from hansang.surfaces.http.logs import AccessLog, logging_to
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell
from tests.surfaces.http.framing import framing
from tests.surfaces.shells import SetClock, new_key

log = logging.getLogger("hansang.test")


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_request_is_one_line_of_json(shell: Shell, clock: SetClock) -> None:
    stream = io.StringIO()
    key, text = accounts_of(shell.identity).keys.create("loader", ["news:read"], "a test")
    with framing(shell, access=AccessLog("json", clock, stream)) as client:
        headers = {"authorization": f"Bearer {text}", "x-request-id": "request-1"}
        client.get("/api/who?token=secret", headers=headers)
    [line] = lines(stream)
    assert line.pop("ms") > 0
    assert line == {
        "time": "2096-10-02T07:06:40.250000Z",
        "level": "info",
        "logger": "hansang.access",
        "message": "request",
        "request_id": "request-1",
        "method": "GET",
        "route": "/api/who",
        "status": 200,
        "principal": f"key:{key.id}",
    }


def test_no_secret_of_an_address_or_a_header_is_logged(shell: Shell, clock: SetClock) -> None:
    stream, text = io.StringIO(), new_key(shell, "news:read")
    with framing(shell, access=AccessLog("json", clock, stream)) as client:
        client.get("/large/5?token=swordfish", headers={"authorization": f"Bearer {text}"})
        client.get("/sign-in/lnk/swordfish", headers={"cookie": "hansang_session=swordfish"})
        client.get("/static/swordfish-404", headers={"x-request-id": "swordfish secret"})
    assert [line["route"] for line in lines(stream)] == ["/large/{size}", "(none)"]
    assert "swordfish" not in stream.getvalue()
    assert text not in stream.getvalue()


def test_what_comes_every_few_seconds_is_not_logged_unless_it_fails(shell: Shell, clock: SetClock) -> None:
    stream = io.StringIO()
    with framing(shell, access=AccessLog("json", clock, stream)) as client:
        client.get("/health/live")
        client.get("/static/page.css")
        client.get("/static/")
    assert [line["status"] for line in lines(stream)] == [404]


def test_for_eyes_a_request_is_a_line_of_text(clock: SetClock) -> None:
    stream = io.StringIO()
    AccessLog("text", clock, stream).write("id-1", "GET", "/apps/{app}", 200, 0.01234, None)
    assert stream.getvalue() == "2096-10-02T07:06:40Z info    GET /apps/{app} 200 12.34 ms - [id-1]\n"


def test_nobody_from_outside_can_begin_a_line(clock: SetClock) -> None:
    stream = io.StringIO()
    AccessLog("text", clock, stream).write("id-1", "GET", "/한\n2096 info\x1b[2J", 200, 0.01, None)
    assert "GET /한\\n2096 info\\x1b[2J 200" in stream.getvalue()
    with logging_to("text", stream):
        log.info("two\r\nlines")
    assert stream.getvalue().count("\n") == 2
    assert "two\\r\\nlines" in stream.getvalue()


def test_a_log_that_nobody_reads_any_more_fails_no_request(clock: SetClock) -> None:
    stream = io.StringIO()
    stream.close()
    AccessLog("json", clock, stream).write("id-1", "GET", "/", 200, 0.1, None)


def test_what_modules_log_becomes_json_with_the_id_of_the_request() -> None:
    stream = io.StringIO()
    mark = current.set("request-7")
    with logging_to("json", stream):
        log.info("%s items", 3)
    current.reset(mark)
    [line] = lines(stream)
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "hansang.test",
        "message": "3 items",
        "request_id": "request-7",
    }


def test_an_error_is_logged_with_its_trace_in_one_line() -> None:
    stream = io.StringIO()
    with logging_to("json", stream):
        _fail_loudly()
    [line] = lines(stream)
    assert line["level"] == "error"
    assert line["error"].endswith("ZeroDivisionError: division by zero")


def test_for_eyes_the_trace_stands_in_lines_of_its_own() -> None:
    stream = io.StringIO()
    mark = current.set("request-7")
    with logging_to("text", stream):
        _fail_loudly()
    current.reset(mark)
    first, *rest = stream.getvalue().splitlines()
    assert first.endswith(" error   it failed [request-7]")
    assert rest[-1] == "ZeroDivisionError: division by zero"


def test_afterwards_logging_is_as_it_was() -> None:
    ours, root = logging.getLogger("hansang"), logging.getLogger()
    before = ours.level, list(root.handlers)
    with logging_to("json", io.StringIO()):
        assert ours.level == logging.INFO
    assert (ours.level, list(root.handlers)) == before


def _fail_loudly() -> None:
    try:
        _ = 1 / 0
    except ZeroDivisionError:
        log.exception("it failed")
