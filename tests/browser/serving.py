"""A server of the whole product in a process of its own, with sample items and three people."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

from hansang.apps.samples import fill
from hansang.parts.permissions import Role
from hansang.settings import ServerSettings
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell

PASSWORD = "한 상 차림 2026"
FILLED = ("assets", "news", "codex")
"""The smaller samples; the pages are the same with all of them."""
PEOPLE: dict[str, tuple[str, dict[str, Role]]] = {
    "seoyeon": ("윤서연", {"*": "owner"}),
    "junho": ("박준호", {"codex": "editor", "news": "editor"}),
    "mina": ("최미나", {"codex": "viewer"}),
}


@dataclass(frozen=True)
class Site:
    """Where the server is, and what signs the owner in."""

    url: str
    data: Path


@contextmanager
def served(folder: Path) -> Iterator[Site]:
    """The product on a data file of its own."""
    data = folder / "browser.db"
    with open_shell(ServerSettings(data=str(data), jobs=False)) as shell:
        _prepare(shell)
    command = [str(Path(sys.executable).with_name("hansang")), "up", "--data", str(data), "--port", "0"]
    options = ["--rate", "1000000", "--log", "text", "--no-jobs"]
    said, told = folder / "said.txt", folder / "log.txt"
    with said.open("w") as out, told.open("w") as log:
        process = subprocess.Popen([*command, *options], stdout=out, stderr=log)
    try:
        yield Site(_address(process, said, told), data)
    finally:
        process.terminate()
        assert process.wait(30) == 0


def _prepare(shell: Shell) -> None:
    now = datetime.fromtimestamp(shell.clock(), UTC)
    for application in shell.applications:
        if application.name in FILLED:
            fill(shell.database, application, now, lambda _: None)
    for name, (shown, roles) in PEOPLE.items():
        shell.people.create(name, shown, roles, PASSWORD)


def _address(process: subprocess.Popen[bytes], said: Path, told: Path) -> str:
    end = monotonic() + 60
    while monotonic() < end and process.poll() is None:
        found = re.search(r"Hansang is at (\S+)\n", said.read_text())
        if found:
            return found[1]
        sleep(0.1)
    raise AssertionError(f"The server did not start:\n{said.read_text()}\n{told.read_text()}")
