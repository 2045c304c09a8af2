"""Streams of live messages on a real server: who gets them, what comes, and how they end."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.apps.platform.accounts import accounts_of
from hansang.design import Database
from hansang.parts.platform import Platform
from hansang.parts.topics import Topics
from hansang.surfaces.console.live import MOST_TOPICS
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.cookies import SESSION
from hansang.surfaces.shell import Shell
from tests.surfaces.http.listening import RUN, Live, eventually, next_message, served
from tests.surfaces.shells import SetClock, opened


@pytest.fixture
def shell() -> Iterator[Shell]:
    with opened(SetClock()) as found:
        yield found


@pytest.fixture(scope="module")
def rendering() -> Rendering:
    return Rendering([PLATFORM, *APPLICATIONS])


@pytest.fixture
def live_with(shell: Shell, rendering: Rendering) -> Iterator[Callable[..., Live]]:
    """Starts servers whose streams have other limits than those of a real one."""
    with ExitStack() as begun:
        yield lambda topics=shell.topics, **limits: begun.enter_context(
            served(shell, rendering, topics, **limits)
        )


@pytest.fixture
def live(live_with: Callable[..., Live]) -> Live:
    return live_with()


# ── what comes ────────────────────────────────────────────────────────────────────────────────────


def test_the_newest_message_comes_first_and_then_every_change(live: Live) -> None:
    live.publish(lines=1)
    live.publish(lines=2)
    with live.listening(live.headers("news:read")) as events:
        assert next(events) == "retry: 3000"
        assert next_message(events)["message"] == {"lines": 2}
        live.publish(lines=3)
        assert next_message(events) | {"id": "", "version": ""} == {
            "id": "",
            "version": "",
            "topic": RUN,
            "message": {"lines": 3},
        }


def test_what_another_process_publishes_comes_too(live: Live) -> None:
    elsewhere = Topics(Database(live.shell.database.backend), live.shell.clock)
    with live.listening(live.headers("news:read")) as events:
        eventually(lambda: live.count == 1)
        elsewhere.publish(RUN, {"from": "elsewhere"})
        assert next_message(events)["message"] == {"from": "elsewhere"}


def test_one_stream_carries_several_topics(live: Live) -> None:
    with live.listening(live.headers("*:read"), RUN, "platform.job.tidy", RUN) as events:
        live.publish("platform.job.tidy", state="running")
        assert next_message(events)["topic"] == "platform.job.tidy"
        live.publish("news.run.2", lines=1)
        live.publish(lines=1)
        assert next_message(events)["topic"] == RUN


def test_a_browser_that_comes_back_is_told_only_what_is_new(live: Live) -> None:
    live.publish(lines=1)
    headers = live.headers("news:read")
    with live.listening(headers) as events:
        last = next_message(events)["id"]
    with live.listening(headers | {"Last-Event-ID": last}) as events:
        assert next(events) == "retry: 3000"
        eventually(lambda: live.streams.newest != {})
        live.publish(lines=2)
        assert next_message(events)["message"] == {"lines": 2}
    with live.listening(headers | {"Last-Event-ID": last}) as events:
        assert next_message(events)["message"] == {"lines": 2}


def test_a_silent_stream_says_that_it_is_alive(live_with: Callable[..., Live]) -> None:
    live = live_with(heartbeat=0.05)
    with live.listening(live.headers("news:read")) as events:
        assert [next(events), next(events), next(events)] == ["retry: 3000", ": alive", ": alive"]


def test_nothing_between_holds_events_back(live: Live) -> None:
    headers = live.headers("news:read") | {"Accept-Encoding": "gzip"}
    with (
        httpx2.Client(timeout=60) as client,
        client.stream("GET", f"{live.url}/live?topic={RUN}", headers=headers) as answer,
    ):
        assert answer.headers["cache-control"] == "no-store, no-transform"
        assert answer.headers["x-accel-buffering"] == "no"
        assert not {"content-encoding", "content-length"} & set(answer.headers)
        assert answer.headers["x-request-id"]


def test_only_the_head_of_a_stream_can_be_asked_for(live: Live) -> None:
    answer = httpx2.head(f"{live.url}/live?topic={RUN}", headers=live.headers("news:read"), timeout=60)
    assert (answer.status_code, answer.content) == (200, b"")
    eventually(lambda: live.count == 0)


# ── who may listen ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["/live", "/live/state"])
def test_the_area_of_a_topic_says_who_may_listen(live: Live, path: str) -> None:
    def status(asked: str, *scopes: str) -> int:
        return live.get(f"{path}?{asked}", live.headers(*scopes) if scopes else {}).status_code

    assert status(f"topic={RUN}") == 401
    assert status(f"topic={RUN}", "codex:read") == 403
    assert status(f"topic={RUN}&topic=platform.job.tidy", "news:read") == 403
    assert status("topic=platform.job.tidy", "news:admin") == 403
    assert status("", "*:read") == 400
    assert status("topic=news", "*:read") == 400
    assert status("&".join(f"topic=news.run.{each}" for each in range(MOST_TOPICS + 1)), "*:read") == 400


def test_a_refusal_is_a_problem_in_json_and_no_way_to_a_form(live: Live) -> None:
    answer = live.get(f"/live?topic={RUN}", {"Accept": "text/event-stream", "Accept-Language": "en"})
    assert answer.json()["code"] == "not-signed-in"


def test_a_stream_ends_with_the_session_that_it_was_opened_in(live_with: Callable[..., Live]) -> None:
    live = live_with(heartbeat=0.05)
    accounts = accounts_of(live.shell.identity)
    person = accounts.people.create("mina", "Mina", {"news": "viewer"})
    cookie = accounts.sessions.start(person, "127.0.0.1", "a test")
    with live.listening({"Cookie": f"{SESSION.name}={cookie}"}) as events:
        assert [next(events), next(events)] == ["retry: 3000", ": alive"]
        accounts.sessions.end_all("mina")
        assert set(events) <= {": alive"}
    eventually(lambda: live.count == 0)


def test_a_stream_ends_when_a_role_is_taken_away(live_with: Callable[..., Live]) -> None:
    live = live_with(heartbeat=0.05)
    accounts = accounts_of(live.shell.identity)
    person = accounts.people.create("mina", "Mina", {"news": "viewer"})
    cookie = accounts.sessions.start(person, "127.0.0.1", "a test")
    with live.listening({"Cookie": f"{SESSION.name}={cookie}"}) as events:
        next(events)
        accounts.people.set_roles("mina", {"codex": "viewer"})
        assert set(events) <= {": alive"}


# ── how many ──────────────────────────────────────────────────────────────────────────────────────


def test_one_listener_has_only_so_many_streams(live_with: Callable[..., Live]) -> None:
    live = live_with(most_of_one=1)
    headers, others = live.headers("news:read"), live.headers("news:read")
    with live.listening(headers), live.listening(others):
        answer = live.get(f"/live?topic={RUN}", headers)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
        assert answer.json()["code"] == "too-many-streams"
        assert live.get(f"/live/state?topic={RUN}", headers).status_code == 200


def test_all_together_have_only_so_many_streams(live_with: Callable[..., Live]) -> None:
    live = live_with(most=1)
    with live.listening(live.headers("news:read")):
        assert live.get(f"/live?topic={RUN}", live.headers("news:read")).status_code == 503


def test_a_client_that_leaves_frees_its_slot_and_what_was_kept_for_it(live: Live) -> None:
    live.publish(lines=1)
    with live.listening(live.headers("news:read")) as events:
        next_message(events)
        assert (live.count, set(live.streams.newest)) == (1, {RUN})
    eventually(lambda: live.shell.topics._listeners == ())
    assert (live.count, live.streams.newest, dict(live.streams._wanted)) == (0, {}, {})


def test_a_client_that_breaks_off_frees_its_slot(live: Live) -> None:
    address = urlsplit(live.url)
    lines = [
        f"GET /live?topic={RUN} HTTP/1.1",
        "Host: localhost",
        f"Authorization: {live.headers('news:read')['Authorization']}",
    ]
    with socket.create_connection((address.hostname, address.port or 0), timeout=60) as client:
        client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        eventually(lambda: live.count == 1)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    eventually(lambda: live.count == 0)


def test_streams_are_no_requests_in_progress_and_their_time_is_that_of_their_head(live: Live) -> None:
    headers = live.headers("*:read")
    with live.listening(headers) as events:
        next(events)
        text = live.get("/metrics", headers).text
        found = {
            (each.name, each.labels.get("route", "")): each.value
            for family in text_string_to_metric_families(text)
            for each in family.samples
        }
    assert found["hansang_http_streams", ""] == 1
    assert found["hansang_http_requests_in_progress", ""] == 1  # The scrape itself.
    assert found["hansang_http_request_seconds_count", "/live"] == 1
    eventually(lambda: "hansang_http_streams 0.0" in live.get("/metrics", headers).text)


# ── the end ───────────────────────────────────────────────────────────────────────────────────────


def test_a_server_that_stops_ends_its_streams_well(live: Live) -> None:
    with live.listening(live.headers("news:read")) as events:
        next(events)
        live.server.should_exit = True
        assert list(events) == []  # An end, and no torn connection.
    live.thread.join(60)
    assert not live.thread.is_alive()


def test_a_stream_ends_well_when_the_tables_cannot_be_read(
    live_with: Callable[..., Live], shell: Shell
) -> None:
    live = live_with(Topics(Database(shell.database.backend, names={Platform: "Gone"}), shell.clock))
    with live.listening(live.headers("news:read")) as events:
        assert list(events) == ["retry: 3000"]
    eventually(lambda: live.count == 0)


# ── polling ───────────────────────────────────────────────────────────────────────────────────────


def test_whoever_polls_gets_the_newest_messages_and_then_304_until_something_changes(live: Live) -> None:
    headers, path = live.headers("*:read"), f"/live/state?topic={RUN}&topic=platform.job.tidy"
    empty = live.get(path, headers)
    assert empty.json() == {"topics": []}
    live.publish(lines=1)
    first = live.get(path, headers | {"If-None-Match": empty.headers["etag"]})
    assert [(each["topic"], each["message"]) for each in first.json()["topics"]] == [(RUN, {"lines": 1})]
    known = headers | {"If-None-Match": first.headers["etag"]}
    unchanged = live.get(path, known)
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    live.publish("platform.job.tidy", state="done")
    assert len(live.get(path, known).json()["topics"]) == 2


def test_the_tag_of_the_state_is_the_id_of_the_last_event(live: Live) -> None:
    headers = live.headers("news:read")
    live.publish(lines=1)
    with live.listening(headers) as events:
        last = next_message(events)["id"]
    assert live.get(f"/live/state?topic={RUN}", headers).headers["etag"] == f'"{last}"'
