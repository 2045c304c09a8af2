"""The commands of files: export, import; and those that fill a month or rename a code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from hansang.apps.assets.cli.place import Month, open_assets, who
from hansang.apps.assets.codes import CodeType
from hansang.apps.assets.entering import Place as EntryPlace
from hansang.apps.assets.importing import ImportPreview, Rules, sheet_rows
from hansang.apps.assets.kinds import KIND_NAMES
from hansang.apps.assets.sheets import read_sheet, write_sheet
from hansang.errors import InvalidInput
from hansang.surfaces.cli.exit_codes import FAILED
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows, with_examples

FileForm = Literal["jsonl", "csv", "csv-cp949", "xlsx"]
FileNamed = Annotated[
    str, typer.Argument(metavar="FILE", help="The file; - is the standard input or output.")
]


def add_to(group: typer.Typer) -> None:
    """Make these functions commands of the group."""
    for command, (name, examples) in _EXAMPLES.items():
        with_examples(group, examples, name)(command)


def export(
    file: FileNamed,
    form: Annotated[
        FileForm, typer.Option(help="The whole household as JSON Lines, or a period as a sheet.")
    ] = "jsonl",
    first: Annotated[
        str | None,
        typer.Option("--from", metavar="YYYY.MM", help="The first month of a sheet. [default: the first]"),
    ] = None,
    last: Annotated[
        str | None,
        typer.Option("--to", metavar="YYYY.MM", help="The last month of a sheet. [default: the last]"),
    ] = None,
    data: Place = None,
) -> None:
    """Write the whole household as JSON Lines, or the entries of a period as CSV or Excel."""
    with open_assets(data) as assets:
        if form == "jsonl":
            content = "".join(f"{line}\n" for line in assets.transferring.export()).encode()
        else:
            book = assets.reading.book()
            now = assets.reading.this_month
            period = assets.reading.period(first or book.first or now, last or book.last or now)
            content = write_sheet(sheet_rows(period), form)
    if file == "-":
        sys.stdout.buffer.write(content)
    else:
        Path(file).write_bytes(content)
        typer.echo(f"{len(content):,} bytes written to {file}", err=True)


def import_file(
    file: FileNamed,
    to: Annotated[
        str | None,
        typer.Option(metavar="KIND/NAME", help="The entry that lines go to which do not name one."),
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who paid.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be entered.")] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Enter a sheet, the file of a bank or a card, or a whole household; exit code 1 if a line was refused."""
    content = _read(file)
    with open_assets(data) as assets:
        if content.lstrip()[:1] == b"{":
            done = assets.transferring.restore(content.decode("utf-8-sig").splitlines())
            _tell(done.items, [(each.line, "refused", each.reason) for each in done.refused], as_json)
            return
        rules = Rules(otherwise=None if to is None else _place(to), by=by)
        preview = assets.importing.preview(read_sheet(content), rules)
        if not dry_run:
            assets.importing.take(preview, who())
    _tell(len(preview.wanted), _left(preview), as_json)


def _place(text: str) -> EntryPlace:
    kind, _, names = text.partition("/")
    found = next((each for each in KIND_NAMES if each == kind), None)
    if found is None or not names:
        raise InvalidInput(
            "{text} is not an entry. Write its kind and its name, such as living-expense/food.",
            code="assets.not-an-entry",
            values={"text": text},
        )
    return EntryPlace.of(found, names.split("/"))


def _left(preview: ImportPreview) -> list[tuple[int, str, str]]:
    return [
        (each.line, each.state, each.reason)
        for each in preview.lines
        if each.state in ("unknown", "refused", "same")
    ]


def _tell(count: int, left: Sequence[tuple[int, str, str]], as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "entered": count,
                "left": [{"line": line, "state": state, "reason": why} for line, state, why in left],
            }
        )
    else:
        print_rows(("line", "state", "reason"), left)
        typer.echo(f"{count:,} entered, {len(left):,} left out")
    if any(state == "refused" for _, state, _ in left):
        raise typer.Exit(FAILED)


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as reason:
        raise InvalidInput(
            "{file} cannot be read: {reason}.",
            code="assets.unreadable-file",
            values={"file": file, "reason": reason.strerror},
        ) from None


def copy(
    month: Month = None,
    recurring: Annotated[
        bool, typer.Option("--recurring", help="What came in each of the last three months.")
    ] = False,
    data: Place = None,
) -> None:
    """Take over what the month before has, but for living expenses; what is filled is not touched."""
    with open_assets(data) as assets:
        wanted = month or assets.reading.this_month
        found = assets.proposing
        proposals = found.recurring(wanted) if recurring else found.last_month(wanted)
        done = found.take(wanted, proposals, who())
    rows = [(each.place.kind.name, " ".join(each.place.parts), each.amount) for each in proposals]
    print_rows(("kind", "name", "won"), rows)
    typer.echo(f"Left of {done.month}: {done.totals.net_asset:,} won")


def rename(
    kind: Annotated[CodeType, typer.Argument(metavar="TYPE", help="The kind of code, such as NAME.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The present name.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new name.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be written again.")] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Rename a code in every entry that has it; broken off, the same command goes on."""
    with open_assets(data) as assets:
        renaming = assets.renaming
        found = renaming.preview(kind, old, new) if dry_run else renaming.rename(kind, old, new, who())
    if as_json:
        print_json({"entries": found.entries, "clashes": found.clashes})
        return
    print_rows(("month", "entries"), list(found.entries.items()))
    typer.echo(f"{found.count:,} entries {'would be' if dry_run else 'were'} written again")


_EXAMPLES: dict[Callable[..., None], tuple[str | None, str]] = {
    export: (
        None,
        """\
  hansang assets export household.jsonl
  hansang assets export 2025.xlsx --form xlsx --from 2025.01 --to 2025.12""",
    ),
    import_file: (
        "import",
        """\
  hansang assets import card.xlsx --to living-expense/식비 --by 배우자1 --dry-run
  hansang assets import household.jsonl --data other.db""",
    ),
    copy: (
        None,
        """\
  hansang assets copy
  hansang assets copy --month 2025.02 --recurring""",
    ),
    rename: (
        None,
        """\
  hansang assets rename ACCOUNT_TYPE 여행 제주 --dry-run
  hansang assets rename NAME 배우자1 서연""",
    ),
}
