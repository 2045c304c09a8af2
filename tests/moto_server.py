"""S3 as moto plays it, in a process of its own, so that it shares nothing with the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.request import Request, urlopen

import boto3
import pytest
from botocore.config import Config

_RUNNING = re.compile(rb"Running on (http://127\.0\.0\.1:[0-9]+)")


@contextmanager
def moto_server() -> Iterator[str]:
    """The address of a server that answers until the block ends."""
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    with (
        TemporaryFile() as log,  # A pipe that nobody reads would fill.
        subprocess.Popen(command, stderr=log, stdout=log) as process,
    ):
        try:
            yield _address(process, log)
        finally:
            process.kill()


def _address(process: subprocess.Popen[bytes], log: IO[bytes]) -> str:
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if found := _RUNNING.search(os.pread(log.fileno(), 10_000, 0)):
            return found[1].decode()
        time.sleep(0.02)
    raise AssertionError("moto's server did not start")


@pytest.fixture(scope="session")
def moto_url() -> Iterator[str]:
    with moto_server() as url:
        yield url


@pytest.fixture
def s3(moto_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A client of an S3 that is empty, and that whatever uses boto3 finds."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", moto_url)
    make: Any = boto3.client
    with closing(make("s3", config=Config(s3={"addressing_style": "path"}))) as client:
        yield client
    with urlopen(Request(f"{moto_url}/moto-api/reset", method="POST"), timeout=60):
        pass
