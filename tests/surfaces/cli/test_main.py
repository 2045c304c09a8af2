"""The command line, run as people run it."""

from __future__ import annotations

import fcntl
import gc
import os
import re
import signal
import socket
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import boto3
import pytest
from typer import Context
from typer.main import get_group

import hansang
from hansang.settings import WireSettings
from hansang.surfaces.cli.dynamodb import welcome
from hansang.surfaces.cli.main import app
from tests.engine.holding import eventually
from tests.surfaces.support import Address

pytestmark = pytest.mark.long

COMMAND = str(Path(sys.executable).parent / "hansang")


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HANSANG_")}
    # A busy machine takes its time, such as for the document of the API, which is made when it is first asked for.
    return kept | {"PYTHONUNBUFFERED": "1", "HANSANG_TIME_LIMIT": "600"} | more


def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *words], env=environment(**more), capture_output=True, text=True, timeout=60
    )


@contextmanager
def running(*words: str, **more: str) -> Iterator[tuple[subprocess.Popen[str], Address, str]]:
    """The command in a process of its own, up to and with its welcome."""
    process = subprocess.Popen(
        [COMMAND, "dynamodb", *words],
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        text = said(process, "aws dynamodb list-tables")
        parts = urlsplit(text.split()[4])
        yield process, Address(str(parts.hostname), int(parts.port or 0)), text
    finally:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[str], last: str) -> str:
    """What a process says up to and with the line that has these words."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if last in line:
            break
    return "".join(lines)


def test_the_collector_waits_until_a_command_is_found() -> None:
    """Then it looks at what is new, and never again at what was imported."""
    command = get_group(app)
    asleep = gc.get_freeze_count()
    gc.disable()
    try:
        assert command.resolve_command(Context(command), ["capacity"])[0] == "capacity"
        assert gc.isenabled()
        assert gc.get_freeze_count() > asleep
    finally:
        gc.enable()


def test_it_tells_its_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"hansang {hansang.__version__}\n")


@pytest.mark.parametrize("words", [["--version"], ["dynamodb", "--help"]])
def test_what_a_command_does_not_need_is_not_imported(words: list[str]) -> None:
    asked = (
        "import sys; from typer.testing import CliRunner; from hansang.surfaces.cli.main import app;"
        f"assert CliRunner().invoke(app, {words!r}).exit_code == 0; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True, text=True)
    assert not {"hansang.apps.catalog", "fastapi", "uvicorn", "boto3"} & set(done.stdout.split())


def test_without_a_command_it_helps() -> None:
    done = run()
    assert "dynamodb" in done.stdout + done.stderr


@cache
def overview() -> str:
    """What the command says of itself, which imports every application."""
    return run("--help").stdout


def test_people_are_still_found_under_their_former_name() -> None:
    assert run("users", "list", "--help").returncode == 0
    assert "  people " in overview()
    assert not re.search(r"^  users ", overview(), flags=re.MULTILINE)


def test_help_lists_every_command_on_one_line_each() -> None:
    text = overview()
    for name in ("up", "dynamodb", "demo", "backup", "restore", "people", "keys", "jobs", "tables"):
        [line] = re.findall(rf"^  {name} .*$", text, flags=re.MULTILINE)
        assert line.endswith("."), line
        assert "..." not in line


def test_help_has_examples_and_every_option() -> None:
    text = run("dynamodb", "--help").stdout
    assert "hansang dynamodb --data shop.db --port 8001" in text
    options = set(re.findall("--[a-z-]+", text))
    assert {
        f"--{name.replace('_', '-')}" for name in WireSettings.__slots__ if name != "table_names"
    } <= options


def test_it_serves_on_a_free_port(tmp_path: Path) -> None:
    with running("--data", str(tmp_path / "a.db"), "--port", "0") as (_, address, text):
        assert address.request("GET").status == 200
        assert f'endpoint_url="{address.url}"' in text


def test_settings_come_from_the_environment(tmp_path: Path) -> None:
    data = tmp_path / "b.db"
    settings = {"HANSANG_DATA": str(data), "HANSANG_PORT": "0", "HANSANG_REGION": "ap-northeast-2"}
    with running(**settings) as (_, address, _text):
        assert address.request("GET").body == b"healthy: dynamodb.ap-northeast-2.amazonaws.com "
    assert data.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_without_an_error(number: signal.Signals, tmp_path: Path) -> None:
    with running("--data", str(tmp_path / "a.db"), "--port", "0") as (process, address, _):
        with address.connect() as idle:
            idle.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert idle.recv(65536)
            process.send_signal(number)
            assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_the_examples_that_it_prints_run(tmp_path: Path) -> None:
    with running("--data", ":memory:", "--port", "0") as (_, _address, text):
        python = text.partition("Python:\n")[2].partition("AWS CLI:")[0]
        code = "\n".join(line.removeprefix("    ") for line in python.splitlines())
        shell = text.partition("AWS CLI:\n")[2]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        for command in ([sys.executable, "-c", code], ["sh", "-c", shell]):
            done = subprocess.run(
                command, env=environment(PATH=path), capture_output=True, text=True, timeout=60
            )
            assert done.returncode == 0, done.stderr
            assert "[]" in done.stdout


def test_a_secret_is_never_printed() -> None:
    text = welcome("http://127.0.0.1:1", WireSettings(access_key="shop", secret_key="hush"))
    assert "shop" in text
    assert "hush" not in text


def test_with_keys_boto3_has_to_have_them() -> None:
    keys = {"HANSANG_ACCESS_KEY": "shop", "HANSANG_SECRET_KEY": "hush"}
    with running("--data", ":memory:", "--port", "0", **keys) as (_, address, _text):
        client = boto3.client(
            "dynamodb",
            endpoint_url=address.url,
            region_name="us-east-1",
            aws_access_key_id="shop",
            aws_secret_access_key="hush",
        )
        assert client.list_tables()["TableNames"] == []
        client.close()
        assert address.post("DynamoDB_20120810.ListTables").code == "MissingAuthenticationTokenException"


def test_an_interruption_is_one_line_and_130(tmp_path: Path) -> None:
    """The command reads a password, whose end never comes."""
    words = ["people", "create", "minji", "--role", "owner", "--password-stdin"]
    with subprocess.Popen(
        [COMMAND, *words, "--data", str(tmp_path / "a.db")],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write("the beginning")
        process.stdin.flush()
        eventually(lambda: unread_bytes(process.stdin) == 0)
        process.send_signal(signal.SIGINT)
        said, error = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "")
    assert error.splitlines()[-1] == "hansang: interrupted."
    assert "Traceback" not in error


def unread_bytes(pipe: IO[str] | None) -> int:
    """How much of what was written to a pipe has not been read at its other end."""
    assert pipe is not None
    answer = fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))
    return int.from_bytes(answer, sys.byteorder)


def test_an_error_of_the_system_is_one_line(tmp_path: Path) -> None:
    state = tmp_path / "gone" / "state.json"
    place = str(tmp_path / "a.db")
    assert run("tables", "create", "news", "--data", place).returncode == 0
    done = run("tables", "copy", "--from", place, "--to", str(tmp_path / "b.db"), "--state", str(state))
    assert done.returncode == 1
    [line] = [each for each in done.stderr.splitlines() if each.startswith("hansang: ")]
    assert "No such file or directory" in line
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_learn_the_commands(shell: str) -> None:
    done = run(_HANSANG_COMPLETE=f"source_{shell}")
    assert "hansang" in done.stdout


def test_commands_are_completed() -> None:
    words = {"_HANSANG_COMPLETE": "complete_bash", "COMP_WORDS": "hansang re", "COMP_CWORD": "1"}
    assert run(**words).stdout.split() == ["restore"]


def failure(*words: str, **more: str) -> tuple[int, str]:
    """The exit code and the one line that a failing command says."""
    done = run("dynamodb", *words, **more)
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    return done.returncode, line


def test_another_address_needs_keys() -> None:
    code, line = failure("--host", "0.0.0.0", "--data", ":memory:")
    assert code == 1
    assert line.endswith("Give --access-key and --secret-key to serve it, or use --host 127.0.0.1.")


def test_one_key_alone_is_wrong_usage() -> None:
    code, line = failure("--access-key", "a", "--data", ":memory:")
    assert (code, line) == (2, "hansang: Give both --access-key and --secret-key, or neither.")


def test_a_wrong_variable_is_wrong_usage() -> None:
    code, line = failure(HANSANG_PORT="many")
    assert code == 2
    assert "HANSANG_PORT" in line


def test_a_wrong_option_is_wrong_usage() -> None:
    done = run("dynamodb", "--port", "65536")
    assert done.returncode == 2
    assert "--port" in done.stderr


def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, line = failure("--data", ":memory:", "--port", str(port))
    assert code == 1
    assert line == (
        f"hansang: Cannot listen on 127.0.0.1 port {port}: Address already in use. "
        "Choose another port with --port; 0 is a free one."
    )


def test_a_foreign_file_is_one_line_and_left_as_it_is(tmp_path: Path) -> None:
    foreign = tmp_path / "notes.txt"
    foreign.write_text("rice " * 1000)
    code, line = failure("--data", str(foreign), "--port", "0")
    assert code == 3
    assert "notes.txt" in line
    assert foreign.read_text() == "rice " * 1000


@pytest.mark.parametrize("path", ["no/such/folder/a.db", "."])
def test_a_path_that_cannot_be_is_one_line(path: str, tmp_path: Path) -> None:
    code, line = failure("--data", str(tmp_path / path), "--port", "0")
    assert code == 3
    assert str(tmp_path) in line
