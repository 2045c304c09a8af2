"""A server of the whole product in a process of its own, with sample items, three people and a change."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fcntl import LOCK_EX, flock
from pathlib import Path
from shutil import copy
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode

from hansang.apps.codex.design import Banner, Credentials, FMWebApp
from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.platform.accounts import accounts_of
from hansang.apps.rankings.rules import day_in_seoul
from hansang.apps.rankings.service import Rankings
from hansang.apps.samples import fill
from hansang.design.shape import Item
from hansang.parts.history import Actor, Change
from hansang.parts.permissions import Role
from hansang.settings import ServerSettings
from hansang.surfaces.addresses import address
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell
from tests.apps.rankings.imports import known
from tests.spoiling import put_item

PASSWORD = "한 상 차림 2026"
BAD_ITEM: Item = {
    "Id": {"N": "424242"},
    "Week": {"S": "2014-05-09,2014-05-15"},
    "Name": {"S": "John"},
    "TopScore": {"N": "1500"},
}
"""A week that is written without its space, which no entity can read."""
FILLED = frozenset({"assets", "news", "codex", "leaderboards"})
"""The samples; of the rankings there are two small days."""
PEOPLE: dict[str, tuple[str, dict[str, Role]]] = {
    "seoyeon": ("윤서연", {"*": "owner"}),
    "junho": ("박준호", {"codex": "editor", "news": "editor"}),
    "mina": ("최미나", {"codex": "viewer"}),
}


@dataclass(frozen=True)
class Site:
    """Where the server is, what it works on, and what was changed before it started."""

    url: str
    data: Path
    change: str
    """The id of the change."""
    item: str
    """The key of the item, as the data pages write it behind the question mark."""
    process: int = 0
    """The id of the server's process, where it has one of its own."""
    today: date = date.min
    """The day that it was in Seoul when the samples were made; midnight may have passed since."""


@contextmanager
def served(folder: Path, filled: Collection[str] = FILLED, shared: Path | None = None) -> Iterator[Site]:
    """The product on a data file of its own, with the samples of these applications.

    Processes that are given one `shared` folder fill the samples once, and take a copy each.
    """
    filled_data, change_id, item, today = _filled(shared or folder, filled)
    with _serving(folder, filled_data) as (url, data, process):
        yield Site(url, data, change_id, item, process, today)


@contextmanager
def served_empty(folder: Path, application: str) -> Iterator[Site]:
    """One application alone on a data file of its own, with its owner and nothing else."""
    made = folder / "empty.db"
    with open_shell(ServerSettings(data=str(made), jobs=False, apps=(application,))) as shell:
        _create_person(shell, "seoyeon")
        today = day_in_seoul(shell.clock())
    with _serving(folder, made, "--app", application) as (url, data, process):
        yield Site(url, data, "", "", process, today)


@contextmanager
def _serving(folder: Path, filled_data: Path, *more: str) -> Iterator[tuple[str, Path, int]]:
    """A server on a copy of a data file: its address, its file and its process."""
    data = folder / "served.db"
    for ending in ("", ".key"):
        copy(f"{filled_data}{ending}", f"{data}{ending}")
    command = [
        str(Path(sys.executable).with_name("hansang")),
        "up",
        "--data",
        str(data),
        "--port",
        "0",
        "--time-limit",
        "600",
    ]
    options = ["--rate", "1000000", "--time-limit", "600", "--log", "text", "--no-jobs"]
    said, told = folder / "said.txt", folder / "log.txt"
    with said.open("w") as out, told.open("w") as log:
        process = subprocess.Popen([*command, *options, *more], stdout=out, stderr=log)
    try:
        yield _address(process, said, told), data, process.pid
    finally:
        process.terminate()
        assert process.wait(120) == 0


def _filled(folder: Path, filled: Collection[str]) -> tuple[Path, str, str, date]:
    """The data file with its samples, the change in it, and the day, made by whoever comes first."""
    data = folder / "browser.db"

    def make() -> list[str]:
        with open_shell(ServerSettings(data=str(data), jobs=False)) as shell:
            today = day_in_seoul(shell.clock())
            change = _prepare(shell, filled, today)
        return [change.id, urlencode(address(FMWebApp, change.key or {})), today.isoformat()]

    change_id, item, day = made_once(folder, "browser", make)
    return data, change_id, item, date.fromisoformat(day)


def made_once(folder: Path, name: str, make: Callable[[], Any]) -> Any:
    """What the first process makes that comes to the folder, and the others read there."""
    told = folder / f"{name}.json"
    with (folder / f"{name}.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not told.exists():
            told.write_text(json.dumps(make()))
    return json.loads(told.read_text())


def _prepare(shell: Shell, filled: Collection[str], today: date) -> Change:
    now = datetime.fromtimestamp(shell.clock(), UTC)
    for application in shell.applications:
        if application.name in filled:
            fill(shell.database, application, now, lambda _: None)
    if "rankings" not in filled:
        rankings = Rankings(shell.database, shell.clock)
        for place in (1, 2):
            rankings.import_day(today - timedelta(days=3 - place), known(place))
    for name in PEOPLE:
        _create_person(shell, name)
    shell.database.put(Credentials(user_id="u001", password_hash="the hash of a password"))
    put_item(shell.database, UsersLeaderboard, BAD_ITEM)
    return _changed(shell)


def _create_person(shell: Shell, name: str) -> None:
    shown, roles = PEOPLE[name]
    accounts_of(shell.identity).people.create(name, shown, roles, PASSWORD)


def _changed(shell: Shell) -> Change:
    """A change with something before and after it."""
    banner = shell.database.page(Banner.latest(), 1).items[0]
    wanted = banner.model_copy(update={"title": f"{banner.title} (새 소식)", "btn2_text": "자세히"})
    change = shell.editing.replace(
        wanted, shell.editing.etag(banner), Actor("person", "junho", PEOPLE["junho"][0])
    ).change
    assert change is not None
    return change


def _address(process: subprocess.Popen[bytes], said: Path, told: Path) -> str:
    end = monotonic() + 180
    while monotonic() < end and process.poll() is None:
        found = re.search(r"Hansang is at (\S+)\n", said.read_text())
        if found:
            return found[1]
        sleep(0.1)
    raise AssertionError(f"The server did not start:\n{said.read_text()}\n{told.read_text()}")
