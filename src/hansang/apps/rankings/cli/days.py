"""The commands that concern days: importing, finishing, listing and removing them."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from hansang.apps.rankings.cli.place import DAY, open_rankings
from hansang.apps.rankings.design import Snapshot, SnapshotDay
from hansang.apps.rankings.inputs import DayForm, form_by_name, read_rows
from hansang.engine.inspection import Watch
from hansang.errors import InvalidInput
from hansang.surfaces.cli.exit_codes import FAILED
from hansang.surfaces.cli.exports import exported
from hansang.surfaces.cli.progress import watching
from hansang.surfaces.cli.stopping import stopping
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows, with_examples

DayNamed = Annotated[datetime, typer.Argument(**DAY, help="The day.")]


def add_to(group: typer.Typer) -> None:
    """Make these functions commands of the group."""
    for command, (examples, name) in _EXAMPLES.items():
        with_examples(group, examples, name)(command)


def import_file(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="CSV, JSON or JSON Lines, UTF-8 or CP949; - is the standard input."
        ),
    ],
    day: Annotated[
        datetime | None, typer.Option(**DAY, help="The day that the file is of. [default: today in Seoul]")
    ] = None,
    form: Annotated[
        DayForm | None,
        typer.Option(help="The format of the file. [default: detected by its name or its first character]"),
    ] = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Import a day again that is there; readers have the day before meanwhile."
        ),
    ] = False,
    pace: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Write at most so many players a second.")
    ] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Import a day and finish it: uuid, name, level, power, and level_rank and power_rank where they are known.

    Ctrl+C stops after the part that is being written, and the same command goes on.
    """
    with (
        _opened(file) as opened,
        open_rankings(data, pace) as rankings,
        stopping() as stop,
        watching() as watch,
    ):
        wanted = rankings.days.today if day is None else day.date()
        if again and rankings.days.find(wanted) is not None:
            rankings.finisher.reopen(wanted)
        done = rankings.import_day(
            wanted,
            read_rows(opened, form or form_by_name(file)),
            progress=_counting(watch),
            tell=lambda step, rows: watch(step, rows, 0),
            stop=stop,
        )
        if done.status == "finished":
            rankings.movement.keep(lambda step, rows: watch(step, rows, 0))
    _print_day(done, as_json=as_json)
    if done.status != "finished":
        typer.echo("The import was stopped. Go on with the same command, without --again.", err=True)
        raise typer.Exit(FAILED)


def snapshot(
    day: Annotated[datetime | None, typer.Option(**DAY, help="The day. [default: today in Seoul]")] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Take the live profiles as the snapshot of a day; a finished day stays as it is."""
    with open_rankings(data) as rankings, watching() as watch:
        done = rankings.snapshots.take(
            None if day is None else day.date(),
            progress=_counting(watch),
            tell=lambda step, rows: watch(step, rows, 0),
        )
        rankings.movement.keep(lambda step, rows: watch(step, rows, 0))
    _print_day(done, as_json=as_json)


def finish(day: DayNamed, data: Place = None, as_json: AsJson = False) -> None:
    """Finish a day whose parts were sent, or whose finishing was broken off."""
    with open_rankings(data) as rankings, watching() as watch:
        done = rankings.finisher.finish(day.date(), tell=lambda step, rows: watch(step, rows, 0))
        rankings.movement.keep(lambda step, rows: watch(step, rows, 0))
    _print_day(done, as_json=as_json)


def reopen(day: DayNamed, data: Place = None) -> None:
    """Open a day for another import from its first row on; readers have the day before meanwhile."""
    with open_rankings(data) as rankings:
        rankings.finisher.reopen(day.date())
    typer.echo(f"{day.date()} is open.")


def roll_back(
    day: DayNamed,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: Place = None,
) -> None:
    """Remove a day whole: its rows, ranks and trees."""
    if not yes:
        typer.confirm(f"Remove everything of {day.date()}?", abort=True)
    with open_rankings(data) as rankings, watching() as watch:
        rankings.finisher.roll_back(day.date(), tell=lambda step, rows: watch(step, rows, 0))
    typer.echo(f"{day.date()} is removed.")


def days(
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many.")] = 30,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """The days that there are, the newest first."""
    with open_rankings(data) as rankings:
        found = rankings.days.page(limit).items
    if as_json:
        print_json([_day_shown(each) for each in found])
        return
    columns = ("day", "status", "players", "official", "mismatches", "rejected")
    print_rows(
        columns,
        [
            (
                each.day,
                each.status,
                each.players,
                f"{each.level_ranked}/{each.power_ranked}",
                each.level_mismatches + each.power_mismatches,
                each.rejected,
            )
            for each in found
        ],
        unbroken=("day", "players"),
    )


def export(
    day: DayNamed,
    form: Annotated[DayForm, typer.Option(help="csv, json or jsonl.")] = "csv",
    data: Place = None,
) -> None:
    """Print a finished day as import takes it."""
    with open_rankings(data) as rankings:
        rows = rankings.reading.each(day.date())
        _print_export(exported(rankings.database, rows, f"{day:%Y-%m-%d}.{form}"), form)


# ── what they share ───────────────────────────────────────────────────────────────────────────────


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        try:
            yield sys.stdin.buffer if file == "-" else stack.enter_context(Path(file).open("rb"))
        except OSError as reason:
            raise InvalidInput(
                "{file} cannot be read: {reason}.",
                code="rankings.unreadable-file",
                values={"file": file, "reason": reason.strerror},
            ) from None


def _counting(watch: Watch) -> Any:
    done = 0

    def tell(count: int) -> None:
        nonlocal done
        done += count
        watch("players", done, 0)

    return tell


def _day_shown(day: SnapshotDay) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(day.model_dump_json())
    return found


def _print_day(day: SnapshotDay, *, as_json: bool) -> None:
    if as_json:
        print_json(_day_shown(day))
        return
    rows = [
        ("players", day.players),
        ("official by level", day.level_ranked),
        ("official by power", day.power_ranked),
        ("out of place", day.level_mismatches + day.power_mismatches),
        ("rejected", day.rejected),
        ("removed", day.removed),
    ]
    print_rows(("what", "count"), rows)
    typer.echo(f"{day.day}: {day.status}")


def _print_export(rows: Iterable[Snapshot], form: DayForm) -> None:
    names = ("uuid", "name", "level", "power", "level_rank", "power_rank")
    shown = ({name: getattr(row, name) for name in names} for row in rows)
    if form == "csv":
        writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(shown)
        return
    before = "[" if form == "json" else ""
    for row in shown:
        typer.echo(before + json.dumps(row, ensure_ascii=False), nl=form == "jsonl")
        before = ",\n" if form == "json" else ""
    if form == "json":
        typer.echo("[]" if before == "[" else "]")


_EXAMPLES: dict[Callable[..., None], tuple[str, str | None]] = {
    import_file: (
        """\
  hansang rankings import day.csv
  hansang rankings import day.jsonl --day 2026-02-21
  hansang rankings import corrected.csv --day 2026-02-21 --again
  curl -s https://game.example/ranking.json | hansang rankings import -""",
        "import",
    ),
    snapshot: (
        """\
  hansang rankings snapshot
  hansang rankings snapshot --day 2026-02-21""",
        None,
    ),
    finish: (
        """\
  hansang rankings finish 2026-02-21""",
        None,
    ),
    reopen: (
        """\
  hansang rankings reopen 2026-02-21""",
        None,
    ),
    roll_back: (
        """\
  hansang rankings roll-back 2026-02-21""",
        "roll-back",
    ),
    days: (
        """\
  hansang rankings days
  hansang rankings days --limit 7 --json""",
        None,
    ),
    export: (
        """\
  hansang rankings export 2026-02-21 > day.csv
  hansang rankings export 2026-02-21 --form jsonl""",
        None,
    ),
}
