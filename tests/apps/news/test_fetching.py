"""Pages that are fetched from a real server, and from files; what is refused on the way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote

import pytest

from hansang.apps.news.downloading import download
from hansang.apps.news.fetching import fetch
from hansang.errors import InvalidInput, Unavailable
from hansang.parts.sandbox import Sandbox, SandboxLimits
from tests.apps.news.sites import Site, page, served

LOOPBACK = ("127.0.0.1",)
SLOW = SandboxLimits(cpu_seconds=5, seconds=50)
QUICK = SandboxLimits(cpu_seconds=5, seconds=1.5)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(most=1) as found:
        yield found


@pytest.fixture
def site() -> Iterator[str]:
    with served() as url:
        yield url


def test_a_page_is_fetched_and_its_links_made_whole(site: str, sandbox: Sandbox) -> None:
    found = fetch(f"{site}/section/latest", sandbox, private=LOOPBACK)
    assert found.links[0]["url"] == f"{site}/news/story-000000000.html"


def test_a_page_that_moved_gives_links_of_where_it_is_now(site: str, sandbox: Sandbox) -> None:
    found = fetch(f"{site}/moved", sandbox, private=LOOPBACK)
    assert found.links[0]["url"] == f"{site}/news/story-000000000.html"


def test_the_name_that_was_asked_for_is_told_to_the_server(site: str, sandbox: Sandbox) -> None:
    found = fetch(
        f"{site.replace('127.0.0.1', 'localhost')}/section/latest", sandbox, private=(*LOOPBACK, "::1")
    )
    assert found.links[0]["url"].startswith("http://localhost:")
    assert Site.hosts[-1].startswith("localhost:")


def test_a_busy_server_is_asked_again(site: str, sandbox: Sandbox) -> None:
    assert len(fetch(f"{site}/busy", sandbox, private=LOOPBACK).links) == 5


@pytest.mark.parametrize(
    ("told", "waited"),
    [("7", 7.0), ("0", 0.5), ("-5", 0.5), ("soon", 0.5), ("", 0.5), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.5)],
)
def test_a_busy_server_is_asked_again_when_it_says(site: str, told: str, waited: float) -> None:
    slept: list[float] = []
    content, _ = download(f"{site}/wait?{quote(told)}", LOOPBACK, (0.5,), slept.append)
    assert (content, slept) == (page(5).encode(), [waited])


def test_a_moment_to_come_back_is_counted_from_the_clock_of_the_server(site: str) -> None:
    told = formatdate(time.time() + 3_600, usegmt=True)
    with pytest.raises(Unavailable, match="asks to be left alone") as caught:
        download(f"{site}/wait?{quote(told)}", LOOPBACK, (0.0,))
    assert 3_500 < int(str(caught.value.values["seconds"])) <= 3_600


@pytest.mark.parametrize("told", ["11", "9" * 5_000, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_server_that_asks_for_more_time_than_a_page_has_is_left_alone(site: str, told: str) -> None:
    slept: list[float] = []
    with pytest.raises(
        Unavailable, match=r"answered 429 and asks to be left alone for [\d,]+ seconds"
    ) as caught:
        download(f"{site}/wait?{quote(told)}", LOOPBACK, (0.5,), slept.append)
    assert (caught.value.code, slept, Site.tries) == ("news.page-wait", [], 1)


def test_a_page_that_is_compressed_is_read(site: str, sandbox: Sandbox) -> None:
    assert len(fetch(f"{site}/gzip", sandbox, private=LOOPBACK).links) == 5


def test_alarms_come_through_as_they_are(site: str, sandbox: Sandbox) -> None:
    [alarm] = fetch(f"{site}/empty", sandbox, private=LOOPBACK).alarms
    assert (alarm.code, alarm.values) == ("news.no-links", {"adapter": "yahoo"})


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("nothing", "answered 404"),
        ("round", "redirects more than 5 times"),
        ("drip", "within 1.5 seconds"),
        ("drip-head", "within 1.5 seconds"),
        ("not-gzip", "not compressed as it says"),
    ],
)
def test_a_page_that_cannot_be_had_is_told_with_its_reason(
    site: str, sandbox: Sandbox, path: str, why: str
) -> None:
    with pytest.raises(Unavailable, match=why):
        fetch(f"{site}/{path}", sandbox, private=LOOPBACK, limits=SLOW if path == "not-gzip" else QUICK)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("huge", "larger than 20 MB"),
        ("bomb", "larger than 20 MB"),
        ("layers", "not asked for: gzip, gzip"),
        ("to-private", "10.1.2.3, which is not a public address"),
        ("to-file", "not an address of the web"),
    ],
)
def test_a_page_that_is_not_wanted_is_refused(site: str, sandbox: Sandbox, path: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        fetch(f"{site}/{path}", sandbox, private=LOOPBACK)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::1]", "0"]
)
def test_the_own_machine_is_not_asked_unless_it_is_named(site: str, sandbox: Sandbox, host: str) -> None:
    Site.hosts.clear()
    with pytest.raises(InvalidInput, match="not a public address") as caught:
        fetch(site.replace("127.0.0.1", host) + "/section/latest", sandbox)
    assert caught.value.code == "news.private-address"
    assert Site.hosts == []


def test_an_address_that_is_none_is_said_to_be_so(sandbox: Sandbox) -> None:
    with pytest.raises(Unavailable, match="could not be read: Failed to parse"):
        fetch("http://[x/", sandbox)


def test_a_server_that_is_not_there_is_said_to_be_so() -> None:
    with pytest.raises(Unavailable, match=r"could not be read: .*refused\. Try again later\."):
        download("http://127.0.0.1:1/", LOOPBACK, pauses=())


def test_a_saved_page_is_read_from_its_file(tmp_path: Path, sandbox: Sandbox) -> None:
    saved = tmp_path / "latest.html"
    saved.write_text(page(5))
    found = fetch(str(saved), sandbox, address="https://finance.example/latest/")
    assert [each["url"] for each in found.links][1] == "https://finance.example/news/story-000000001.html"
    with pytest.raises(InvalidInput, match="cannot be read"):
        fetch(str(tmp_path / "nothing"), sandbox)


def test_a_saved_file_without_end_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(InvalidInput, match="larger than 20 MB"):
        fetch("/dev/zero", sandbox)
