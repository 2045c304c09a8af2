"""The commands of the news list on a terminal of eighty columns, in a process of their own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from hansang.apps.news.design import NewsItem, NewsItems, NewsWork
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from tests.apps.news.lists import link, links
from tests.apps.news.recent import recent_runs

_STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
KOREAN = "온새미푸드, 새 새벽 배송 서비스를 내년 봄에 공개하고 배송 지역을 전국으로 넓힌다"


def shown(place: Path, *words: str) -> tuple[str, int]:
    """What a terminal of eighty columns is sent, without its styles, and the exit code."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    command = [str(Path(sys.executable).with_name("hansang")), "news", *words, "--data", str(place)]
    unset = {"COLUMNS", "NO_COLOR", "PYTEST_CURRENT_TEST"}
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    with subprocess.Popen(
        command,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment | {"TERM": "xterm-256color"},
    ) as process:
        os.close(follower)
        text = _STYLES.sub("", _all_of(leader).decode())
        return text.replace("\r\n", "\n"), process.wait()


def _all_of(terminal: int) -> bytes:
    """Everything until the last process has left the terminal."""
    found = b""
    try:
        while raw := os.read(terminal, 65536):
            found += raw
    except OSError:  # Linux says so, instead of an end.
        pass
    finally:
        os.close(terminal)
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    found = tmp_path / "news.db"
    with Embedded.open(found) as backend:
        database = Database(backend)
        database.create_tables(NewsItems, NewsWork)
        news = News(database, system_clock)
        first = NewsItem.uploaded(datetime(2026, 1, 1, tzinfo=UTC), **link(9) | {"url": "https://a\x1b[2J"})
        database.create(first.model_copy(update={"pk": pk_of(link(1)["url"])}))
        given = [link(2, "ONSM-B", title=KOREAN), link(1), link(3, title="\x1b]0;owned\x07Trap")]
        news.loader.load(given, source="a_source_with_a_rather_long_name")
    return found


def month_of_run(place: Path) -> str:
    """Not that of now, which may have begun since."""
    with Embedded.open(place) as backend:
        database = Database(backend)
        return recent_runs(database, News(database, system_clock))[0].month


KEY = r"(id|h)#[0-9a-f]{16}"


@pytest.mark.parametrize(
    ("words", "unbroken"),
    [
        (("runs", "--month", "of the run"), r"\d{8}T\d{6}Z-[0-9a-f]{6}   finished +2 "),
        (("collisions",), f"{KEY} "),
        (("queue", "list"), f"{KEY} +20\\d\\d-\\d\\d-\\d\\d "),
        (("queue", "counts"), "waiting +2"),
        (("queue", "take", "w1"), f"{KEY} +[0-9a-f]{{32}} "),
    ],
)
def test_a_table_fits_and_its_keys_are_not_broken(place: Path, words: tuple[str, ...], unbroken: str) -> None:
    text, code = shown(place, *(month_of_run(place) if word == "of the run" else word for word in words))
    assert code == 0
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    assert re.search(f"^{unbroken}", text, re.MULTILINE), text


def test_a_link_has_its_address_whole_in_a_line_of_its_own(place: Path) -> None:
    text, code = shown(place, "list", "--text", "온새미")
    assert code == 0
    first, second = text.splitlines()
    assert first.endswith(f"  {KOREAN}  [ONSM-B]")
    assert second == f"{'':18}{link(2)['url']}"


def test_nothing_that_was_loaded_can_speak_to_the_terminal(place: Path) -> None:
    assert "\x07" not in shown(place, "list")[0]
    run = json.loads(_piped(place, "runs", "--month", month_of_run(place), "--json"))[0]["id"]
    assert (
        "Its key is that of a link that came first: https://a\N{REPLACEMENT CHARACTER}[2J"
        in shown(place, "report", run)[0]
    )


def _piped(place: Path, *words: str) -> str:
    command = [str(Path(sys.executable).with_name("hansang")), "news", *words, "--data", str(place)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_progress_is_shown_while_a_list_is_loaded_and_its_report_stays(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "list.jsonl"
    file.write_text("\n".join(map(json.dumps, links(1200, first=100))))
    text, code = shown(place, "load", str(file))
    assert code == 0
    assert re.search(r"links .* 1200/1200 ", text)
    assert re.search(r"^inserted +1,200$", text, re.MULTILINE)


def test_a_mistake_is_one_line_that_says_what_to_do(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("a,b\n1,2\n")
    text, code = shown(place, "load", str(file))
    assert code == 2
    said = "hansang: The first line of the CSV has to name its columns: title,url,tickers. It names: a, b."
    assert text.splitlines()[-1].endswith(said)
