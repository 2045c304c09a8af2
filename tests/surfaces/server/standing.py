"""A real server in processes of its own, for the tests of starting, dying and ending."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import httpx2

from tests.surfaces.support import Address

HANG = 120
"""Seconds after which something that does not come is given up: several processes share a busy machine."""


@dataclass
class Standing:
    """A server that runs."""

    process: subprocess.Popen[str]
    url: str
    data: Path
    log: IO[str]

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=HANG)

    def pids(self, number: int) -> set[int]:
        """The processes that answer, when so many of them have."""
        found, deadline = set[int](), time.monotonic() + HANG
        while len(found) < number:
            assert time.monotonic() < deadline, f"only {found} answer"
            found.add(self.pid())
        return found

    @property
    def address(self) -> Address:
        url = httpx2.URL(self.url)
        return Address(url.host, url.port or 0)

    def pid(self) -> int:
        """The process that answers a request on a connection of its own; one that dies meanwhile does not."""
        while True:
            try:
                return int(self.address.request("GET", "/pid").document["pid"])
            except (OSError, HTTPException):
                time.sleep(0.05)

    def end(self) -> tuple[int, str]:
        """Its exit code and all that it has logged."""
        code = self.process.wait(HANG)
        self.log.seek(0)
        return code, self.log.read()


@contextmanager
def standing(folder: Path, built: str = "plain_build", **settings: object) -> Iterator[Standing]:
    """A server on a data file in a folder, killed at the end if it has not ended."""
    data = folder / "shop.db"
    usual: dict[str, object] = {"data": str(data), "port": 0, "jobs": False, "rate": 1_000_000, "grace": HANG}
    chosen = json.dumps(usual | settings)
    command = [sys.executable, "-m", "tests.surfaces.server.builds", chosen, built]
    with (
        TemporaryFile("w+") as log,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield Standing(process, process.stdout.readline().strip(), data, log)
        finally:
            process.kill()
