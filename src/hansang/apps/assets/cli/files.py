"""The commands of files: export, import; and those that fill a month or rename a code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter

from hansang.apps.assets.cli.entries import recorded_shown
from hansang.apps.assets.cli.place import Month, open_assets, tell_undo, who
from hansang.apps.assets.codes import CodeType
from hansang.apps.assets.entering import Place as EntryPlace
from hansang.apps.assets.exporting import FileForm
from hansang.apps.assets.importing import ImportPreview
from hansang.apps.assets.kinds import KIND_NAMES
from hansang.apps.assets.presets import Rules
from hansang.apps.assets.seen import SeenVersions
from hansang.apps.assets.sheets import read_sheet
from hansang.errors import InvalidInput
from hansang.parts.history import Change
from hansang.surfaces.cli.exit_codes import FAILED
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows, with_examples

FileNamed = Annotated[
    str, typer.Argument(metavar="FILE", help="The file; - is the standard input or output.")
]

SeenFile = Annotated[
    str | None,
    typer.Option(
        "--seen",
        metavar="FILE",
        help="What --dry-run --json has printed. If somebody has changed one of its entries since, nothing is "
        "written.",
    ),
]
EntryTold = tuple[str, str, int, int]
_ENTRY_HEADS = ("month", "entry", "lines", "won")
_LEFT_HEADS = ("line", "state", "reason")


@dataclass(frozen=True, slots=True)
class ImportTold:
    """What came of a file, or would."""

    count: int
    left: list[tuple[int, str, str]]
    is_dry_run: bool
    entries: list[EntryTold] = field(default_factory=list)
    change: Change | None = None
    seen: Mapping[str, str] = field(default_factory=dict)

    def shown(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "entered": self.count,
            "is_dry_run": self.is_dry_run,
            "entries": [dict(zip(_ENTRY_HEADS, each, strict=True)) for each in self.entries],
            "left": [dict(zip(_LEFT_HEADS, each, strict=True)) for each in self.left],
            "change": self.change and self.change.id,
            "seen": self.seen,
        }


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
        content = assets.exporting.content(form, first, last)
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
    word: Annotated[
        list[str] | None, typer.Option(metavar="WORD=KIND/NAME", help="Where lines with a word go.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="MEANING=COLUMN", help="What a column means: date, memo, out or in."),
    ] = None,
    card: Annotated[bool, typer.Option("--card", help="The file is that of a card.")] = False,
    remember: Annotated[
        str | None, typer.Option(metavar="NAME", help="Read the next file of its kind alike.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be entered.")] = False,
    seen: SeenFile = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Enter a sheet, the file of a bank or a card, or a whole household; exit code 1 if a line was refused."""
    content = _read(file)
    with open_assets(data) as assets:
        if content.lstrip()[:1] == b"{":
            lines = content.decode("utf-8-sig").splitlines()
            done = assets.transferring.restore(lines, dry_run=dry_run)
            left = [(each.line, "refused", each.reason) for each in done.refused]
            _tell(ImportTold(done.items, left, dry_run), data, as_json)
            return
        preview = assets.importing.preview(
            read_sheet(content), _rules(to, by, word), _pairs(column) or None, is_card=card, seen=_seen(seen)
        )
        taken = None if dry_run else assets.importing.take(preview, who())
        if remember and not dry_run:
            assets.importing.presets.remember(remember, preview.layout, preview.rules, who().actor)
    count, change = (len(preview.wanted), None) if taken is None else (taken.entered, taken.change)
    told = ImportTold(count, _left(preview), dry_run, _entries(preview), change, preview.seen)
    _tell(told, data, as_json)


def _rules(to: str | None, by: str | None, words: list[str] | None) -> Rules | None:
    """Where lines go; None leaves it to what was remembered."""
    if to is None and by is None and not words:
        return None
    named = {word: EntryPlace.parse(text) for word, text in _pairs(words).items()}
    return Rules(named, None if to is None else EntryPlace.parse(to), by)


def _pairs(given: list[str] | None) -> dict[str, str]:
    found = {}
    for each in given or ():
        name, sign, value = each.partition("=")
        if not sign or not name or not value:
            raise InvalidInput(
                "{given} has no value. Write NAME=VALUE.", code="assets.no-pair", values={"given": each}
            )
        found[name] = value
    return found


def _left(preview: ImportPreview) -> list[tuple[int, str, str]]:
    return [
        (each.line, each.state, each.reason)
        for each in preview.lines
        if each.state in ("unknown", "refused", "same")
    ]


def _entries(preview: ImportPreview) -> list[EntryTold]:
    """What comes to each entry of each month: lines and won."""
    found: dict[tuple[str, str], list[int]] = {}
    for each in preview.wanted:
        name = "" if each.place is None else " ".join((each.place.kind.name, *each.place.parts))
        found.setdefault((each.month, name), []).append(each.amount)
    return [(*key, len(amounts), sum(amounts)) for key, amounts in sorted(found.items())]


def _tell(told: ImportTold, data: str | None, as_json: bool) -> None:
    if as_json:
        print_json(told.shown())
    else:
        if told.entries:
            print_rows(_ENTRY_HEADS, told.entries, unbroken=("month",))
        if told.left:
            print_rows(_LEFT_HEADS, told.left)
        verb = "would be entered" if told.is_dry_run else "entered"
        typer.echo(f"{told.count:,} {verb}, {len(told.left):,} left out")
        tell_undo(told.change, data)
    if any(state == "refused" for _, state, _ in told.left):
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


def _seen(file: str | None) -> SeenVersions | None:
    """The versions that an earlier look has printed."""
    if file is None:
        return None
    try:
        found = TypeAdapter(dict[str, str]).validate_python(json.loads(_read(file))["seen"])
    except (ValueError, KeyError, TypeError) as fault:
        raise InvalidInput(
            "{file} has no versions. Give what --dry-run --json has printed.",
            code="assets.no-versions",
            values={"file": file},
        ) from fault
    return found


def paste(
    file: FileNamed = "-",
    month: Month = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be entered.")] = False,
    seen: SeenFile = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Enter a block of cells with tabs between them; exit code 1 if a cell cannot be used."""
    text = _read(file).decode("utf-8-sig", "replace")
    with open_assets(data) as assets:
        found = assets.pasting.preview(text, month or assets.reading.this_month, _seen(seen))
        change = None if dry_run else assets.pasting.take(found, who())[1]
    rows = [(each.month, each.name, each.text, each.amount, each.state) for each in found.cells]
    heads = ("month", "name", "text", "won", "state")
    if as_json:
        cells = [dict(zip(heads, row, strict=True)) for row in rows]
        print_json({"cells": cells, "change": change and change.id, "seen": found.seen})
    else:
        print_rows(heads, rows)
        tell_undo(change, data)
    if any(each.state in ("unknown", "unreadable") for each in found.cells):
        raise typer.Exit(FAILED)


def proposals(month: Month = None, data: Place = None, as_json: AsJson = False) -> None:
    """What a month could have: what comes back every month, and what last month had."""
    with open_assets(data) as assets:
        wanted = month or assets.reading.this_month
        found = [*assets.proposing.recurring(wanted), *assets.proposing.last_month(wanted, KIND_NAMES)]
    rows = [(each.reason, each.place.kind.name, " ".join(each.place.parts), each.amount) for each in found]
    if as_json:
        print_json([dict(zip(("reason", "kind", "name", "won"), row, strict=True)) for row in rows])
    else:
        print_rows(("reason", "kind", "name", "won"), rows)


def copy(
    month: Month = None,
    recurring: Annotated[
        bool, typer.Option("--recurring", help="What came in each of the last three months.")
    ] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Take over what the month before has, but for living expenses; what is filled is not touched."""
    with open_assets(data) as assets:
        wanted = month or assets.reading.this_month
        found = assets.proposing
        proposals = found.recurring(wanted) if recurring else found.last_month(wanted)
        done = found.take(wanted, proposals, who())
    if as_json:
        print_json(recorded_shown(done))
        return
    rows = [(each.place.kind.name, " ".join(each.place.parts), each.amount) for each in proposals]
    print_rows(("kind", "name", "won"), rows)
    typer.echo(f"Left of {done.month}: {done.totals.net_asset:,} won")
    tell_undo(done.change, data)


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
  hansang assets import 2025.csv --dry-run --json > look.json
  hansang assets import 2025.csv --seen look.json
  hansang assets import household.jsonl --data other.db""",
    ),
    paste: (
        None,
        """\
  hansang assets paste block.tsv --month 2025.02 --dry-run""",
    ),
    proposals: (
        None,
        """\
  hansang assets proposals --month 2025.02""",
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
