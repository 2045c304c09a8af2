"""The command that runs the server, run as people run it."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from urllib.parse import urlsplit

from hansang.backends.embedded import Embedded
from hansang.settings import ServerSettings
from hansang.surfaces.cli.exit_codes import MISSING, USAGE
from tests.surfaces.cli.test_main import COMMAND, environment, run, said
from tests.surfaces.http.listening import eventually
from tests.surfaces.support import Address, Reply, serving


@dataclass(frozen=True)
class Up:
    """A server that is up, and what it said."""

    process: subprocess.Popen[str]
    said: str

    @property
    def address(self) -> Address:
        parts = urlsplit(re.findall(r"http://\S+", self.said)[0])
        return Address(str(parts.hostname), int(parts.port or 0))

    @property
    def link(self) -> str | None:
        found = re.search(r"http://\S+?(/sign-in/link/\S+)", self.said)
        return None if found is None else found.group(1)

    def get(self, path: str) -> Reply:
        return self.address.request("GET", path)

    def is_ready(self) -> bool:
        """Whether it says so; on a busy machine it may find itself too slow at first."""
        return self.get("/health/ready").status == 200

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def up(*words: str | Path, **more: str) -> Iterator[Up]:
    """The command in a process of its own, up to and with the last line that it says at its start."""
    process = subprocess.Popen(
        [COMMAND, "up", "--port", "0", *map(str, words)],
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield Up(process, said(process, "/api/docs"))
    finally:
        process.kill()
        process.communicate()


def test_the_first_start_prints_a_link_that_signs_in_once(tmp_path: Path) -> None:
    with up("--data", tmp_path / "a.db") as server:
        eventually(server.is_ready)
        assert server.link is not None
        assert server.get(server.link).status < 400
        assert server.get("/api/codex").status == 401
        assert server.stop(signal.SIGINT) == 0


def test_several_workers_serve_only_the_applications_that_are_named(tmp_path: Path) -> None:
    words = ("--workers", "2", "--no-jobs", "--log", "text", "--app", "codex")
    with up("--data", tmp_path / "a.db", *words, HANSANG_APPS="news") as server:
        eventually(server.is_ready)
        assert server.stop(signal.SIGTERM) == 0
    listed = run("tables", "list", "--data", str(tmp_path / "a.db")).stdout
    assert "FMWebAppTable" in listed
    assert "news_items" not in listed


def test_with_demo_the_applications_have_items(tmp_path: Path) -> None:
    with up("--data", tmp_path / "a.db", "--demo", "--app", "codex") as server:
        assert re.search(r"^codex: [\d,]+ sample items$", server.said, re.MULTILINE)
        assert server.stop() == 0
    with up("--data", tmp_path / "a.db", "--demo", "--app", "codex") as again:
        assert "sample items" not in again.said


def test_what_cannot_be_served_is_one_line(tmp_path: Path) -> None:
    foreign = tmp_path / "notes.txt"
    foreign.write_text("rice " * 1000)
    for words, code in (
        (["--data", str(foreign)], 3),
        (["--data", str(tmp_path / "a.db"), "--app", "shop"], 4),
        (["--data", "ftp://somewhere"], 2),
    ):
        done = run("up", "--port", "0", *words)
        [line] = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (code, ""), line
        assert line.startswith("hansang: ")


def test_elsewhere_tables_are_not_created_unasked_and_the_command_that_does_is_told() -> None:
    keys = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}
    with Embedded.open(":memory:") as backend, serving(backend) as address:
        place = f"http://{address.host}:{address.port}"
        start = ("up", "--data", place, "--port", "0", "--app", "news")
        refused = run(*start, **keys)
        assert refused.returncode == MISSING
        assert refused.stderr == (
            f"hansang: Tables not found in {place}: HansangPlatform, news_items, news_work. "
            f"Run: hansang tables create platform news --data {place}\n"
        )
        assert backend.call("ListTables", {}) == {"TableNames": []}
        run(*refused.stderr.rpartition("hansang ")[2].split(), **keys)
        keyless = run(*start, **keys)
        assert keyless.returncode == USAGE
        assert "HANSANG_ENCRYPTION_KEY" in keyless.stderr
        key = {"HANSANG_ENCRYPTION_KEY": "a random text of thirty-two characters or more"}
        with up("--data", place, "--app", "news", **keys, **key) as server:
            eventually(server.is_ready)


def test_help_has_examples_and_every_setting() -> None:
    text = run("up", "--help").stdout
    assert "hansang up --demo" in text
    options = set(re.findall("--[a-z-]+", text))
    names = {
        {"trusted_proxies": "trusted_proxy"}.get(each.name, each.name.removesuffix("s"))
        if each.type.startswith(("tuple", "Mapping"))
        else each.name
        for each in fields(ServerSettings)
        if each.name != "encryption_key"  # The list of processes would show it.
    }
    assert {f"--{name.replace('_', '-')}" for name in names} <= options
