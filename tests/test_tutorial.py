"""The tutorial is followed word by word: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
TUTORIAL = ROOT / "docs" / "tutorial.md"
BIN = Path(sys.executable).parent
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^`([\w/]+\.(?:py|html|toml))`", re.MULTILINE)


@dataclass
class Lesson:
    """What the page has: files, commands with what they print, and what is left for a second window."""

    files: dict[str, str] = field(default_factory=dict)
    steps: list[tuple[list[str], str]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


def lesson() -> Lesson:
    text, found, at = TUTORIAL.read_text(encoding="utf-8"), Lesson(), 0
    for match in _BLOCK.finditer(text):
        language, block = match[1], match[2]
        named = _FILE.findall(text[at : match.start()])
        at = match.end()
        if language in ("python", "html", "toml") and named:
            found.files[named[-1]] = block
        elif language == "sh" and "curl" in block:
            found.calls += block.splitlines()
        elif language == "sh":
            found.steps.append((block.splitlines(), ""))
        elif language == "text":
            found.steps[-1] = (found.steps[-1][0], block)
    return found


LESSON = lesson()


def run(line: str, folder: Path) -> str:
    command = [*shlex.split(line)]
    command[0] = command[0].replace(".venv/bin", str(BIN))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a reader has, with the files of the page in it."""
    folder = tmp_path_factory.mktemp("library")
    for name, text in LESSON.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def followed(library: Path) -> list[tuple[str, str]]:
    """What the commands of the page print, beside what it says."""
    steps = [step for step in LESSON.steps if step[1]]
    return [("".join(run(line, library) for line in lines), said) for lines, said in steps]


def test_every_block_of_code_has_its_file() -> None:
    assert list(LESSON.files) == [
        "library.py",
        "lending.py",
        "fill.py",
        "lend.py",
        "ask.py",
        "cost.py",
        "api.py",
        "application.py",
        "desk.py",
        "templates/desk.html",
        "words.toml",
    ]


def test_every_command_prints_what_the_page_says(followed: list[tuple[str, str]]) -> None:
    assert len(followed) == 4
    for printed, said in followed:
        assert printed == said


def test_what_fills_the_library_can_be_run_again(library: Path, followed: list[tuple[str, str]]) -> None:
    assert followed
    assert "아몬드" in run(".venv/bin/python fill.py", library)


def test_what_is_installed_is_the_clone() -> None:
    [install] = [line for lines, _ in LESSON.steps for line in lines if "pip install" in line]
    assert install.endswith(" '../hansang[server]'")
    assert (ROOT / "pyproject.toml").is_file()


# ── the API ───────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def address(library: Path, followed: list[tuple[str, str]]) -> Iterator[str]:
    """Where the API of the page is served."""
    assert followed
    if shutil.which("curl") is None:
        if os.environ.get("CI"):
            pytest.fail("the tutorial's calls need curl, and it is not installed")
        pytest.skip("the tutorial's calls need curl")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(BIN / "uvicorn"), "api:app", "--port", str(port), "--log-level", "warning"]
    server = subprocess.Popen(command, cwd=library)
    try:
        _wait(port)
        yield f"127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)


def _wait(port: int) -> None:
    for _ in range(300):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the API of the tutorial did not start")


def test_the_calls_of_the_page_are_answered(library: Path, address: str) -> None:
    borrowed, listed, forged = (
        json.loads(run(line.replace("127.0.0.1:8000", address), library)) for line in LESSON.calls
    )
    assert (borrowed["title"], borrowed["member"]) == ("쇼코의 미소", "지우")
    assert {loan["title"] for loan in listed["loans"]} == {"아몬드", "쇼코의 미소"}
    assert "does not belong to this question" in forged["detail"]
    code = run(
        f"curl -s -o /dev/null -w %{{http_code}} http://{address}/loans?member=x&cursor=forged", library
    )
    assert code == "400"


# ── the console ───────────────────────────────────────────────────────────────────────────────────


def test_the_page_of_the_library_lends_a_book(library: Path, followed: list[tuple[str, str]]) -> None:
    assert followed
    [line] = [line for lines, _ in LESSON.steps for line in lines if "hansang up" in line]
    command = [*shlex.split(line.replace(".venv/bin", str(BIN))), "--port", "0"]
    server = subprocess.Popen(
        command, cwd=library, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert server.stdout is not None
        link = next(each.split()[-1] for each in server.stdout if "Sign in once" in each)
        with httpx2.Client(follow_redirects=True, timeout=60, headers={"Accept-Language": "en"}) as browser:
            base = link.partition("/sign-in/")[0]
            browser.post(link, data={"csrf": _token(browser.get(link).text)})
            page = browser.get(f"{base}/library")
            assert "What is out" in page.text
            assert "아몬드" in page.text
            wish = {"csrf": _token(page.text), "isbn": "9788936434267", "member": "하린"}
            refused = browser.post(f"{base}/library", data=wish)
            assert refused.status_code == 409
            loan = {"member": "하린", "since": "2026-03-02", "isbn": "1", "title": "x", "due": None}
            csrf = browser.get(f"{base}/api/platform/me").json()["csrf"]
            forged = browser.post(
                f"{base}/api/library/entities/Loan", json=loan, headers={"X-CSRF-Token": csrf}
            )
            assert (forged.status_code, "Lend at the desk" in forged.json()["detail"]) == (403, True)
            assert "Loan.of" in browser.get(f"{base}/data/library").text
    finally:
        server.terminate()
        server.communicate(timeout=60)


def _token(text: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', text)
    assert found is not None
    return found[1]


# ── the readme ────────────────────────────────────────────────────────────────────────────────────


def test_the_example_of_the_readme_runs_any_number_of_times(tmp_path: Path) -> None:
    for page in ("README.md", "README.ko.md"):
        blocks = _BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
        [example] = [text for _, text in blocks if "class Notes" in text]
        (tmp_path / "notes.py").write_text(example, encoding="utf-8")
        for _ in range(2):
            printed = run(".venv/bin/python notes.py", tmp_path)
            assert ("밥 먹자" in printed, "밥 먹었어?" in printed) == (True, True)
