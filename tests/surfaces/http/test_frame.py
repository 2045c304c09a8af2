"""What every request goes through, and every answer, on a real socket."""

from __future__ import annotations

import logging
import re
from dataclasses import replace

import httpx2
import pytest

from hansang.apps.platform.accounts import accounts_of
from hansang.settings import ServerSettings
from hansang.surfaces.shell import Shell
from tests.surfaces.http.framing import framing

HTML = {"accept": "text/html,application/xhtml+xml"}
EVERYWHERE = ["/who", "/no-such-page", "/failing", "/streamed", "/health/live", "/teapot"]


@pytest.mark.parametrize("path", EVERYWHERE)
def test_every_answer_has_the_security_headers(client: httpx2.Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "strict-transport-security" not in headers


def test_the_content_policy_lets_pages_use_nothing_but_their_own(client: httpx2.Client) -> None:
    policy = client.get("/who").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "data:" not in policy
    assert "*" not in policy


def test_behind_https_browsers_are_told_to_stay_there(shell: Shell) -> None:
    settings = replace(shell.settings, public_url="https://hansang.example")
    with framing(replace(shell, settings=settings)) as client:
        assert client.get("/who").headers["strict-transport-security"] == "max-age=31536000"


def test_answers_are_not_stored_unless_they_say_so(client: httpx2.Client) -> None:
    assert client.get("/who").headers.get_list("cache-control") == ["no-store"]
    assert client.get("/cached").headers.get_list("cache-control") == ["max-age=9"]


@pytest.mark.parametrize("path", EVERYWHERE)
def test_every_answer_has_the_id_that_came_with_its_request(client: httpx2.Client, path: str) -> None:
    answer = client.get(path, headers={"x-request-id": "build-4711.a_b"})
    assert answer.headers.get_list("x-request-id") == ["build-4711.a_b"]


@pytest.mark.parametrize("given", ["short", "x" * 65, "with space", 'quote"quote', "<script>alert"])
def test_an_id_that_is_not_sane_is_replaced(client: httpx2.Client, given: str) -> None:
    found = client.get("/who", headers={"x-request-id": given}).headers["x-request-id"]
    assert re.fullmatch("[0-9a-f]{24}", found)


def test_two_requests_have_two_ids(client: httpx2.Client) -> None:
    assert client.get("/who").headers["x-request-id"] != client.get("/who").headers["x-request-id"]


# ── errors ────────────────────────────────────────────────────────────────────────────────────────


def test_a_failure_tells_nothing_of_its_insides_and_is_logged_with_the_id(
    client: httpx2.Client, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.get("/api/failing", headers={"x-request-id": "request-1"})
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert answer.json() == {
        "type": "/api/problems/internal",
        "title": "서버 오류",
        "status": 500,
        "detail": "요청을 처리하다가 문제가 생겼습니다.",
        "code": "internal",
        "remedy": "잠시 뒤 다시 시도하고, 계속되면 요청 번호를 관리자에게 알려 주십시오.",
        "request_id": "request-1",
    }
    [record] = [each for each in caplog.records if each.name == "hansang.http"]
    assert record.getMessage() == "GET /api/failing failed"
    assert record.exc_info is not None
    assert "swordfish" in str(record.exc_info[1])


def test_problems_are_told_in_the_language_of_the_caller(client: httpx2.Client) -> None:
    answer = client.get("/api/nothing", headers={"accept-language": "en-US,en;q=0.9"})
    assert answer.status_code == 404
    assert answer.headers["content-language"] == "en"
    assert answer.json()["detail"] == "Nothing was found at this address, or under this key."


def test_a_method_that_is_not_taken_says_which_are(client: httpx2.Client) -> None:
    answer = client.get("/api/echo")
    assert (answer.status_code, answer.json()["code"]) == (405, "method-not-allowed")
    assert answer.headers["allow"] == "POST"


def test_what_an_error_of_the_application_says_to_machines_is_kept(client: httpx2.Client) -> None:
    answer = client.get("/teapot")
    assert (answer.status_code, answer.json()["status"], answer.json()["code"]) == (418, 418, "bad-request")
    assert answer.headers["retry-after"] == "7"
    assert "x-secret" not in answer.headers


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/no-such-page", "<h1>404 not-found ko</h1>"),
        ("/echo", "<h1>405 method-not-allowed ko</h1>"),
        ("/failing", "<h1>500 internal ko</h1>"),
        ("/forbidden", "<h1>403 not-allowed ko</h1>"),
        ("/no-such-page?lang=en", "<h1>404 not-found en</h1>"),
    ],
)
def test_a_browser_is_shown_the_page_of_the_console(client: httpx2.Client, path: str, shown: str) -> None:
    answer = client.get(path, headers=HTML)
    assert answer.text == shown
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_api_answers_a_browser_with_a_problem_too(client: httpx2.Client) -> None:
    answer = client.get("/api/nothing", headers=HTML)
    assert answer.headers["content-type"] == "application/problem+json"


def test_an_error_page_that_fails_becomes_a_problem(shell: Shell, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no template")

    with framing(shell, error_page=broken) as client:
        answer = client.get("/no-such-page", headers=HTML)
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
    assert "the page for the error not-found failed" in caplog.messages


@pytest.mark.usefixtures("caplog")
def test_an_answer_that_breaks_off_is_not_taken_for_whole(client: httpx2.Client) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        client.get("/torn", headers={"accept-encoding": "identity"})
    assert client.get("/who").status_code == 200


def test_a_head_has_no_body_and_all_headers(client: httpx2.Client) -> None:
    answer = client.head("/large/1000")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == "10000"
    assert answer.headers["x-frame-options"] == "DENY"


# ── compression ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("size", [1000, 100_000])
def test_a_large_text_is_compressed_for_who_can_read_it(client: httpx2.Client, size: int) -> None:
    answer = client.get(f"/large/{size}", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "Accept-Encoding"
    assert int(answer.headers["content-length"]) < size
    assert answer.text == "가나다 " * size


def test_a_stream_is_compressed_piece_by_piece(client: httpx2.Client) -> None:
    answer = client.get("/streamed", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert "content-length" not in answer.headers
    assert answer.text.splitlines()[-1] == "line 4999"


def test_a_page_is_compressed_harder_than_another_text(client: httpx2.Client) -> None:
    page, text = (
        client.get(f"/listed/{kind}", headers={"accept-encoding": "gzip"}) for kind in ("html", "plain")
    )
    assert page.text == text.text
    assert int(page.headers["content-length"]) < int(text.headers["content-length"])


@pytest.mark.parametrize(
    ("path", "accepts"), [("/large/1000", "identity"), ("/large/1000", "gzip;q=0"), ("/large/10", "gzip")]
)
def test_other_answers_are_sent_as_they_are(client: httpx2.Client, path: str, accepts: str) -> None:
    answer = client.get(path, headers={"accept-encoding": accepts})
    assert "content-encoding" not in answer.headers
    assert answer.text.startswith("가나다 ")


# ── who asks from where ───────────────────────────────────────────────────────────────────────────


def test_an_address_that_anyone_can_write_is_not_believed(client: httpx2.Client) -> None:
    answer = client.get("/who", headers={"x-forwarded-for": "203.0.113.9"})
    assert answer.json()["from"] == "127.0.0.1"


def test_behind_our_proxy_the_address_is_the_one_that_it_added(shell: Shell) -> None:
    settings = replace(shell.settings, trusted_proxies=("127.0.0.0/8",))
    with framing(replace(shell, settings=settings)) as client:
        answer = client.get("/who", headers={"x-forwarded-for": "198.51.100.1, 203.0.113.9"})
    assert answer.json()["from"] == "203.0.113.9"


def test_a_public_url_alone_believes_nobody(shell: Shell) -> None:
    settings = replace(shell.settings, public_url="http://hansang.example")
    with framing(replace(shell, settings=settings)) as client:
        answer = client.get("/who", headers={"x-forwarded-for": "203.0.113.9"})
    assert answer.json()["from"] == "127.0.0.1"


def test_a_request_for_another_host_is_refused_with_the_way_out(client: httpx2.Client) -> None:
    answer = client.get("/api/who?lang=en", headers={"host": "evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (421, "wrong-host")
    assert "--allowed-host" in answer.json()["remedy"]
    assert client.get("/health/live", headers={"host": "evil.example"}).status_code == 200
    assert client.get("/api/who", headers={"host": "localhost:1"}).status_code == 200


def test_too_many_requests_are_refused_with_the_time_to_wait(shell: Shell) -> None:
    with framing(replace(shell, settings=ServerSettings(rate=5))) as client:
        assert [client.get("/who").status_code for _ in range(6)] == [200] * 5 + [429]
        answer = client.get("/api/who")
        assert answer.json()["code"] == "too-many-requests"
        assert answer.headers["retry-after"] == "12"
        assert client.get("/health/live").status_code == 200
        assert client.get("/static/page.css").status_code == 200


def test_a_known_key_is_not_counted_with_its_neighbours(shell: Shell) -> None:
    _, text = accounts_of(shell.identity).keys.create("loader", ["news:read"], "a test")
    mine = {"authorization": f"Bearer {text}"}
    with framing(replace(shell, settings=ServerSettings(rate=5))) as client:
        assert client.get("/who", headers=mine).json()["who"].startswith("key:")
        assert [client.get("/who").status_code for _ in range(5)] == [200] * 4 + [429]
        assert [client.get("/who", headers=mine).status_code for _ in range(6)] == [200] * 5 + [429]


def test_a_key_may_have_a_rate_of_its_own(shell: Shell) -> None:
    _, text = accounts_of(shell.identity).keys.create("game", ["leaderboards:write"], "a test", rate=9)
    mine = {"authorization": f"Bearer {text}"}
    with framing(replace(shell, settings=ServerSettings(rate=5))) as client:
        assert client.get("/who", headers=mine).status_code == 200
        assert [client.get("/who", headers=mine).status_code for _ in range(10)] == [200] * 9 + [429]


def test_forged_keys_are_counted_with_the_address_that_sends_them(shell: Shell) -> None:
    with framing(replace(shell, settings=ServerSettings(rate=5))) as client:
        forged = [{"authorization": f"Bearer hsk_00000000000{number}_{'x' * 43}"} for number in range(6)]
        statuses = [client.get("/who", headers=headers).status_code for headers in forged]
    assert statuses == [200] * 5 + [429]


def test_nothing_of_this_is_logged_as_an_error(
    client: httpx2.Client, caplog: pytest.LogCaptureFixture
) -> None:
    for path in ("/who", "/no-such-page", "/teapot", "/streamed"):
        client.get(path)
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []
