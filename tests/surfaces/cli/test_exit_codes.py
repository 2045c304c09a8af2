"""Exit codes: every error has one, and every one has a meaning."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.errors import HansangError, LockedOut, NoSuchTable
from hansang.surfaces.cli import exit_codes
from hansang.surfaces.cli.exit_codes import MEANINGS, exit_code
from hansang.surfaces.error_kinds import KINDS
from tests.documents import ROOT


def kinds(above: type[HansangError] = HansangError) -> Iterator[type[HansangError]]:
    """Every error of the tree, at any depth; the engine has one below WireError that stays inside it."""
    yield above
    for kind in above.__subclasses__():
        if kind.__module__ == "hansang.errors":
            yield from kinds(kind)


def test_every_error_has_an_exit_code_of_its_own() -> None:
    assert set(kinds()) == set(KINDS)


@pytest.mark.parametrize("code", sorted({each.exit_code for each in KINDS.values()}))
def test_an_error_never_ends_well(code: int) -> None:
    assert code not in (exit_codes.DONE, exit_codes.INTERRUPTED)
    assert code in MEANINGS


def test_every_exit_code_is_documented() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    for code, meaning in MEANINGS.items():
        assert any(row.startswith(f"| {code} | {meaning}") for row in rows), code


def test_every_error_is_documented_beside_its_exit_code() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for kind, told in KINDS.items():
        if kind is not HansangError:
            [row] = [line for line in page.splitlines() if f"`{kind.__name__}`" in line]
            assert row.startswith(f"| {told.exit_code} |"), kind


def test_an_error_of_a_kind_that_is_not_listed_ends_as_the_kind_above_it() -> None:
    class Gone(NoSuchTable):
        """A kind that somebody has added."""

    assert exit_code(Gone("no")) == exit_codes.MISSING
    assert exit_code(LockedOut("wait", 1.0)) == exit_codes.REFUSED
