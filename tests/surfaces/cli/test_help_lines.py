"""What the help says of commands: whole sentences, none cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from hansang.surfaces.cli.main import app


def groups(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every group of commands, by the words that lead to it."""
    names = getattr(command, "list_commands", None)
    if names is not None:
        yield path
        for name in names(None):
            yield from groups(command.get_command(None, name), (*path, name))


def lines(*path: str) -> list[str]:
    """The lines of a help that say what the commands do, as a terminal of 80 columns has them."""
    told = CliRunner().invoke(app, [*path, "--help"], terminal_width=80).output
    return told.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()


def test_no_line_of_any_help_is_cut() -> None:
    found = {path: lines(*path) for path in groups(get_command(app))}
    assert len(found) > 10
    assert all(found.values())
    cut = [line for told in found.values() for line in told if line.endswith("...") or len(line) > 80]
    assert cut == []


def test_each_command_of_the_first_help_has_one_line() -> None:
    told = lines()
    assert [line for line in told if line.startswith("   ")] == []
    assert len(told) == len([each for each in get_command(app).list_commands(None) if each != "users"])  # type: ignore[attr-defined]
