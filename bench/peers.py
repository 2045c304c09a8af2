"""The peers, each started as a server of its own and spoken to with boto3."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from contenders import Pace, Wire, through_boto3

DYNALITE = "dynalite@4.0.0"
DYNOXIDE = "@dynoxide/linux-x64@1.2.1"


class MissingError(Exception):
    """A peer that cannot be had here, and why."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class PeerProcess:
    """A server that listens."""

    port: int
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def processor_seconds(self) -> float:
        """The processor time that all of its threads have taken so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(command: Sequence[str | Path], port: int, patience: float = 120) -> PeerProcess:
    """Start a server and wait until it listens."""
    server = PeerProcess(
        port,
        subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ),
    )
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return server
    server.stop()
    raise MissingError("did not start")


def npm_folder() -> Path:
    """Where the npm packages are kept between runs: outside of the repository."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path(tempfile.gettempdir())) / "hansang-bench"


def npm_package(package: str, file: str) -> Path:
    """A file of an npm package, which is installed when it is not there."""
    name = package.rpartition("@")[0]
    found = npm_folder() / "node_modules" / name / file
    if not found.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise MissingError("npm is not installed")
        npm_folder().mkdir(parents=True, exist_ok=True)
        command = [
            npm,
            "install",
            "--prefix",
            str(npm_folder()),
            "--no-audit",
            "--no-fund",
            "--no-save",
            package,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not found.exists():
            raise MissingError("npm could not install it")
    return found


def moto(_folder: Path, pace: Pace) -> Wire:
    port = free_port()
    server = start([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port)
    return through_boto3("moto, in memory", port, server.stop, pace)


def dynalite(folder: Path, pace: Pace) -> Wire:
    script, port = npm_package(DYNALITE, "cli.js"), free_port()
    node = shutil.which("node") or "node"
    options = [
        "--port",
        str(port),
        "--path",
        str(folder / "dynalite"),
        "--createTableMs",
        "0",
        "--deleteTableMs",
        "0",
    ]
    return through_boto3("dynalite, on disk", port, start([node, script, *options], port).stop, pace)


def dynoxide_server(folder: Path) -> PeerProcess:
    """dynoxide on disk."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise MissingError("it has a binary for Linux on x86-64 only")
    binary, port = npm_package(DYNOXIDE, "dynoxide"), free_port()
    binary.chmod(0o755)
    return start([binary, "--port", str(port), "--db-path", folder / "dynoxide.db"], port)


def dynoxide(folder: Path, pace: Pace) -> Wire:
    server = dynoxide_server(folder)
    return through_boto3("dynoxide, on disk", server.port, server.stop, pace)


def hansang_server(folder: Path) -> PeerProcess:
    """Our endpoint on disk."""
    port = free_port()
    program = Path(sys.executable).with_name("hansang")
    return start([program, "dynamodb", "--data", folder / "served.db", "--port", str(port)], port)


def hansang(folder: Path, pace: Pace) -> Wire:
    server = hansang_server(folder)
    return through_boto3("hansang, on disk, full", server.port, server.stop, pace)


def nothing(_folder: Path, pace: Pace) -> Wire:
    port = free_port()
    server = start([sys.executable, Path(__file__).with_name("null_server.py"), str(port)], port)
    return through_boto3("boto3 alone", port, server.stop, pace)


PEERS: dict[str, Callable[[Path, Pace], Wire]] = {"moto": moto, "dynalite": dynalite, "dynoxide": dynoxide}
OTHERS: dict[str, Callable[[Path, Pace], Wire]] = {"hansang served": hansang, "boto3 alone": nothing}
