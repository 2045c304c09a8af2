"""Somebody else's application: written by `hansang new`, built as a wheel, installed beside Hansang and served."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.surfaces.cli.test_main import environment
from tests.surfaces.cli.test_up import Up, up

HERE = Path(sys.executable).parent


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which somebody has started an application."""
    folder = tmp_path_factory.mktemp("project")
    run(folder, HERE / "hansang", "new", "notes")
    return folder


@pytest.fixture(scope="module")
def site(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages that has the application's wheel in it."""
    built, installed = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("site")
    pip = (sys.executable, "-m", "pip", "-q", "--disable-pip-version-check")
    run(project, *pip, "wheel", ".", "--no-deps", "--no-build-isolation", "--wheel-dir", built)
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as found:
        names = found.namelist()
    assert "notes/console/templates/board.html" in names
    assert "notes/console/words.toml" in names
    run(project, *pip, "install", "--no-deps", "--target", installed, wheel)
    return installed


@pytest.fixture(scope="module")
def server(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    data = tmp_path_factory.mktemp("data") / "notes.db"
    with up("--data", data, PYTHONPATH=str(site), HANSANG_NOTES_COUNT_HOUR="7") as found:
        yield found


@pytest.fixture(scope="module")
def browser(server: Up) -> Iterator[httpx2.Client]:
    """A browser in which the owner has signed in by the link that the server printed."""
    assert server.link is not None
    with httpx2.Client(base_url=server.address.url, follow_redirects=True, timeout=60) as found:
        page = found.get(server.link)
        found.post(server.link, data={"csrf": token(page.text)})
        yield found


def run(folder: Path, *command: object, **more: str) -> str:
    done = subprocess.run(
        [str(each) for each in command],
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def token(text: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', text)
    assert found is not None
    return found[1]


def test_its_own_test_passes(project: Path) -> None:
    assert "passed" in run(project, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "notes")


def test_its_page_is_served_in_both_languages(browser: httpx2.Client) -> None:
    page = browser.get("/notes", headers={"Accept-Language": "ko"})
    assert "새로 고침" in page.text
    sent = {"csrf": token(page.text), "board": "kitchen", "text": "Buy rice"}
    assert "Buy rice" in browser.post("/notes", data=sent).text
    assert "Mark as done" in browser.get("/notes", headers={"Accept-Language": "en"}).text
    style = re.search(r'href="(/static/[^"]+/notes/notes\.css)"', page.text)
    assert style is not None
    assert "note-form" in browser.get(style[1]).text


def test_a_refusal_of_its_verb_is_said_at_the_field(browser: httpx2.Client) -> None:
    page = browser.get("/notes", headers={"Accept-Language": "en"})
    sent = {"csrf": token(page.text), "board": "a#b", "text": "x"}
    refused = browser.post("/notes", data=sent)
    assert refused.status_code == 422
    assert "# cannot be in it" in refused.text or "쓸 수 없습니다" in refused.text


def test_it_has_the_navigation_the_explorer_and_the_cost_of_ours(browser: httpx2.Client) -> None:
    home = browser.get("/")
    assert 'href="/notes"' in home.text
    assert "Note.latest" in browser.get("/data/notes").text
    assert browser.get("/data/notes/tables/Notes").status_code == 200
    assert "/api/notes/entities/Note" in browser.get("/api/openapi.json").text


def test_the_api_reads_and_writes_it(browser: httpx2.Client) -> None:
    me = browser.get("/api/platform/me").json()
    note = {"board": "office", "id": "1", "text": "Call", "done": False, "at": "2026-11-15T09:00:00Z"}
    made = browser.post("/api/notes/entities/Note", json=note, headers={"X-CSRF-Token": me["csrf"]})
    assert made.status_code == 201
    found = browser.get("/api/notes/patterns/Note.of_board", params={"board": "office"}).json()
    assert [each["text"] for each in found["items"]] == ["Call"]
    exported = browser.get("/api/notes/patterns/Note.of_board", params={"board": "office", "format": "csv"})
    assert "Call" in exported.text


def test_its_job_is_there_with_its_setting(browser: httpx2.Client) -> None:
    [job] = [each for each in browser.get("/api/platform/jobs").json()["items"] if each["area"] == "notes"]
    assert job["name"] == "notes-count"
    assert "07:00" in json.dumps(job)


def test_its_commands_are_beside_ours(site: Path, tmp_path: Path) -> None:
    data = ("--data", tmp_path / "b.db")
    run(tmp_path, HERE / "hansang", "notes", "write", "kitchen", "Buy tea", *data, PYTHONPATH=str(site))
    listed = run(tmp_path, HERE / "hansang", "notes", "latest", "--json", *data, PYTHONPATH=str(site))
    assert [each["text"] for each in json.loads(listed)] == ["Buy tea"]
    checked = run(tmp_path, HERE / "hansang", "tables", "check", "notes", *data, PYTHONPATH=str(site))
    assert "all as the design says" in checked


def test_keys_and_roles_know_an_application_that_is_named(project: Path, tmp_path: Path) -> None:
    data, known = ("--data", tmp_path / "c.db"), {"HANSANG_APPS": "notes", "PYTHONPATH": str(project)}
    run(tmp_path, HERE / "hansang", "keys", "create", "loader", "--scope", "notes:write", *data, **known)
    run(
        tmp_path,
        HERE / "hansang",
        "people",
        "create",
        "minji",
        "--role",
        "editor",
        "--app",
        "notes",
        *data,
        **known,
    )
    demo = run(tmp_path, HERE / "hansang", "demo", *data, HANSANG_TABLE_SUFFIX="-dev", **known)
    assert "notes: 0 items written" in demo
    listed = run(tmp_path, HERE / "hansang", "tables", "list", "--json", *data)
    assert {each["table"] for each in json.loads(listed)} == {
        "HansangPlatform",
        "HansangPlatform-dev",
        "Notes-dev",
    }


def test_broken_commands_leave_the_others_alone(project: Path, tmp_path: Path) -> None:
    shutil.copytree(project / "notes", tmp_path / "notes")
    (tmp_path / "notes" / "cli.py").write_text("1 / 0\n", encoding="utf-8")
    done = subprocess.run(
        [HERE / "hansang", "--help"],
        cwd=tmp_path,
        env=environment(HANSANG_APPS="notes", PYTHONPATH=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "The commands of notes are left out" in done.stderr


def test_one_that_cannot_be_loaded_does_not_take_ours_with_it(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('no')\n", encoding="utf-8")
    done = subprocess.run(
        [HERE / "hansang", "--help"],
        cwd=tmp_path,
        env=environment(HANSANG_APPS="broken:APPLICATION"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert (
        "The application broken:APPLICATION is left out. The module broken cannot be imported" in done.stderr
    )
