"""Requests under Idempotency-Keys while their process is killed, again and again: each is done once.

    python -m tests.crash.once FOLDER --kills 100

A worker sends a plan of requests to the product on a data file, in several threads, and notes every answer. It is
killed at a random moment; the next one sends whatever has no answer yet, under the same keys, and waits for no lease
of the one before. The last one ends the plan, sends all of it once more, and what is stored is counted.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from typing import Any

import orjson
from httpx2 import ASGITransport, AsyncClient
from starlette.types import ASGIApp

from hansang.apps.news import loading
from hansang.apps.news.design import NewsDay, Run, Work
from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.api_keys import ApiKey
from hansang.clock import system_clock
from hansang.settings import ServerSettings
from hansang.surfaces.api.app import create_api
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell

THREADS = 4
LINKS = 30
TAKEN = 2
_TIMES = dict.fromkeys(("created_at", "updated_at"), "2026-11-15T09:30:00Z")


@dataclass(frozen=True)
class Step:
    """One request of the plan; its place in it is its Idempotency-Key."""

    number: int

    @property
    def kind(self) -> str:
        return ("key", "category", "load", "take", "key", "replace")[self.number % 6]

    def request(self) -> tuple[str, str, Any]:
        n = self.number
        if self.kind == "key":
            return "POST", "/api/platform/keys", {"label": f"k{n}", "scopes": ["codex:read"]}
        if self.kind == "load":
            found = [
                {"title": "t", "url": f"https://news.example/{n}-{each:06d}.html"} for each in range(LINKS)
            ]
            return "POST", f"/api/news/loads?name=list-{n}", found
        if self.kind == "take":
            return (
                "POST",
                "/api/news/queue/take",
                {"worker": f"w{n}", "limit": TAKEN, "lease_seconds": 86_400},
            )
        body = {"id": f"c{n - n % 6}", "title": self.kind, "desc": ""} | _TIMES
        if self.kind == "category":
            return "POST", "/api/codex/entities/Category", body
        return "PUT", f"/api/codex/entities/Category?id={body['id']}", body


class Plan:
    """What is to be done, and what was answered so far; a file of lines survives every kill."""

    def __init__(self, folder: Path, length: int) -> None:
        self.folder, self.steps = folder, [Step(number) for number in range(length)]
        self.data, self._answers = folder / "data.db", folder / "answers.jsonl"

    def answers(self) -> dict[int, dict[str, Any]]:
        """The answers by the number of their step; a line that was cut off is none."""
        lines = self._answers.read_bytes().split(b"\n")[:-1] if self._answers.exists() else []
        return {found["step"]: found for found in map(orjson.loads, lines)}

    def note(self, answer: dict[str, Any]) -> None:
        with self._answers.open("ab", buffering=0) as file:
            file.write(orjson.dumps(answer) + b"\n")


# ── a worker ──────────────────────────────────────────────────────────────────────────────────────


class Worker:
    """One process: it sends what has no answer yet, until it is done or killed."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._answered = plan, plan.answers()
        loading.PART = LINKS // 3  # So that a load has several parts to be killed between.

    @contextmanager
    def opened(self) -> Iterator[Shell]:
        settings = ServerSettings(data=str(self._plan.data), apps=("codex", "news"), jobs=False)
        with open_shell(settings, system_clock, jobs=()) as shell:
            yield shell

    def work(self, ready: Callable[[], object]) -> None:
        with self.opened() as shell:
            api, key = create_api(shell), self._key(shell)
            ready()
            threads = [
                threading.Thread(target=self._send_group, args=(api, key, number))
                for number in range(THREADS)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def _key(self, shell: Shell) -> str:
        """The text of a key that may do everything, the same in every lifetime."""
        kept = self._plan.folder / "key"
        if not kept.exists():
            _, text = accounts_of(shell.identity).keys.create("plan", ["*:admin"], "plan")
            kept.write_text(text)
        return kept.read_text()

    def _send_group(self, api: ASGIApp, key: str, group: int) -> None:
        """Send the steps of one thread, in order: some rest on others."""
        with sending(api, key) as send:
            for step in self._plan.steps:
                if step.number // 6 % THREADS == group and step.number not in self._answered:
                    self._plan.note(send(step))

    def faults(self) -> list[str]:
        """What is not as it has to be when every step has its answer: done once, and answered the same again."""
        with self.opened() as shell:
            with sending(create_api(shell), self._key(shell)) as send:
                again = [
                    _difference(each, send(each), self._answered[each.number]) for each in self._plan.steps
                ]
            return [*filter(None, again), *_miscounted(self._plan, shell)]


Send = Callable[[Step], dict[str, Any]]


@contextmanager
def sending(api: ASGIApp, key: str) -> Iterator[Send]:
    """Sends steps, each until it is answered for good."""
    headers = {"Authorization": f"Bearer {key}", "If-Match": "*"}
    with asyncio.Runner() as runner:
        client = AsyncClient(transport=ASGITransport(api), base_url="http://hansang.test", headers=headers)

        def send(step: Step) -> dict[str, Any]:
            method, path, body = step.request()
            own = {"Idempotency-Key": f"step {step.number}"}
            answer = runner.run(client.request(method, path, json=body, headers=own))
            if answer.status_code >= 300:
                raise RuntimeError(f"{step} was answered with {answer.status_code}: {answer.text}")
            shown = {name: each for name, each in answer.json().items() if name != "text"}
            return {"step": step.number, "status": answer.status_code, "body": shown}

        try:
            yield send
        finally:
            runner.run(client.aclose())


# ── the judge ─────────────────────────────────────────────────────────────────────────────────────


def _difference(step: Step, again: dict[str, Any], first: dict[str, Any]) -> str | None:
    return None if again == first else f"{step} was answered with {first}, and then with {again}"


def _miscounted(plan: Plan, shell: Shell) -> Iterator[str]:
    """What is not there once."""
    wanted = Counter({f"{each.kind} {each.number}": 1 for each in plan.steps})
    for name, times in (_done(plan, shell) - wanted).items():
        yield f"{name} was done {times} times too often"
    for name in wanted - _done(plan, shell):
        yield f"{name} was answered and is not done"
    loads = sum(each.kind == "load" for each in plan.steps)
    counted = sum(each.inserted for each in shell.database.all(NewsDay.since(date(2026, 1, 1))))
    if counted != loads * LINKS:
        yield f"{counted} links were counted, of {loads} lists of {LINKS}"


def _done(plan: Plan, shell: Shell) -> Counter[str]:
    """How often each step was done, by what it has made."""
    database, found = shell.database, Counter[str]()
    found.update(
        f"key {each.label[1:]}" for each in database.all(ApiKey.everything()) if each.label != "plan"
    )
    for change in shell.history.each("codex"):
        group = int(change.subject.split("#c")[1].partition("/")[0])
        found[f"category {group + 1}" if change.verb == "create" else f"replace {group + 5}"] += 1
    months = {f"{datetime.fromtimestamp(shell.clock() - ago, UTC):%Y-%m}" for ago in (0, 86_400)}
    runs = [each for month in months for each in database.all(Run.of_month(month))]
    found.update(f"load {each.name.removeprefix('list-')}" for each in runs if each.inserted == LINKS)
    workers = Counter(each.worker for each in database.all(Work.in_state("claimed")))
    found.update({f"take {name[1:]}": -(-times // TAKEN) for name, times in workers.items()})
    return found


# ── killing ───────────────────────────────────────────────────────────────────────────────────────


def storm(folder: Path, kills: int, seed: int) -> list[str]:
    """Let workers do a plan, kill so many of them on the way, and say what is wrong then."""
    plan, dice = Plan(folder, 6 * (kills + THREADS)), Random(seed)
    for lifetime in range(kills):
        _lifetime(plan, lifetime, dice.randint(0, 3), dice.uniform(0.0, 0.05))
    _lifetime(plan, kills, None)
    return Worker(plan).faults()


def _lifetime(plan: Plan, lifetime: int, answers: int | None, seconds: float = 0.0) -> None:
    """A worker in a process of its own, killed so many seconds after so many answers, or left until it is done."""
    known = len(plan.answers())
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            Worker(plan).work(lambda: os.write(writing, b"."))
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as ready:
        ready.read(1)
    if answers is not None:
        while len(plan.answers()) < min(known + answers, len(plan.steps)) and not _has_ended(pid):
            time.sleep(0.002)
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    if os.waitstatus_to_exitcode(status) not in (0, -signal.SIGKILL):
        raise SystemExit(f"the worker of lifetime {lifetime} failed")


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    faults = storm(asked.folder, asked.kills, asked.seed)
    sys.stdout.writelines(f"{each}\n" for each in faults or ["Every step was done once."])
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
