"""The commands of the rankings: import days, read them, and what concerns one player."""

from __future__ import annotations

import csv
import json
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from hansang.apps.rankings.cli import players
from hansang.apps.rankings.cli.place import open_rankings
from hansang.apps.rankings.design import Board, Snapshot, SnapshotDay
from hansang.apps.rankings.histories import Move, Period
from hansang.apps.rankings.inputs import DayForm, form_by_name, read_rows
from hansang.apps.rankings.reading import Mode, RankedRow
from hansang.engine.inspection import Watch
from hansang.errors import InvalidInput
from hansang.surfaces.cli.exit_codes import FAILED
from hansang.surfaces.cli.progress import watching
from hansang.surfaces.cli.support import AsJson, Place, new_group, print_json, print_rows, with_examples

group = new_group("Daily rankings: import days, read them, look at players.")

_DAY: dict[str, Any] = {"formats": ["%Y-%m-%d"], "metavar": "YYYY-MM-DD"}
Day = Annotated[datetime | None, typer.Option(**_DAY, help="The day. [default: the newest finished day]")]
DayNamed = Annotated[datetime, typer.Argument(**_DAY, help="The day.")]
BoardNamed = Annotated[Board, typer.Argument(help="By level or by power.")]

_command = partial(with_examples, group)


# ── days ──────────────────────────────────────────────────────────────────────────────────────────


@_command(
    """\
  hansang rankings import day.csv
  hansang rankings import day.jsonl --day 2026-02-21
  hansang rankings import corrected.csv --day 2026-02-21 --again
  curl -s https://game.example/ranking.json | hansang rankings import -""",
    "import",
)
def import_file(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="CSV, JSON or JSON Lines, UTF-8 or CP949; - is the standard input."
        ),
    ],
    day: Annotated[
        datetime | None, typer.Option(**_DAY, help="The day that the file is of. [default: today in Seoul]")
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
    _print_day(done, as_json=as_json)
    if done.status != "finished":
        typer.echo("The import was stopped. Go on with the same command, without --again.", err=True)
        raise typer.Exit(FAILED)


@_command("""\
  hansang rankings snapshot
  hansang rankings snapshot --day 2026-02-21""")
def snapshot(
    day: Annotated[datetime | None, typer.Option(**_DAY, help="The day. [default: today in Seoul]")] = None,
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
    _print_day(done, as_json=as_json)


@_command("""\
  hansang rankings finish 2026-02-21""")
def finish(day: DayNamed, data: Place = None, as_json: AsJson = False) -> None:
    """Finish a day whose parts were sent, or whose finishing was broken off."""
    with open_rankings(data) as rankings, watching() as watch:
        done = rankings.finisher.finish(day.date(), tell=lambda step, rows: watch(step, rows, 0))
    _print_day(done, as_json=as_json)


@_command("""\
  hansang rankings reopen 2026-02-21""")
def reopen(day: DayNamed, data: Place = None) -> None:
    """Open a day for another import from its first row on; readers have the day before meanwhile."""
    with open_rankings(data) as rankings:
        rankings.finisher.reopen(day.date())
    typer.echo(f"{day.date()} is open.")


@_command(
    """\
  hansang rankings roll-back 2026-02-21""",
    "roll-back",
)
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


@_command("""\
  hansang rankings days
  hansang rankings days --limit 7 --json""")
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


@_command("""\
  hansang rankings export 2026-02-21 > day.csv
  hansang rankings export 2026-02-21 --form jsonl""")
def export(
    day: DayNamed,
    form: Annotated[DayForm, typer.Option(help="csv, json or jsonl.")] = "csv",
    data: Place = None,
) -> None:
    """Print a finished day as import takes it."""
    with open_rankings(data) as rankings:
        _print_export(rankings.reading.each(day.date()), form)


# ── boards ────────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang rankings official level
  hansang rankings official power --day 2026-02-21""")
def official(board: BoardNamed, day: Day = None, data: Place = None, as_json: AsJson = False) -> None:
    """The official first hundred, with what changed since the finished day before."""
    with open_rankings(data) as rankings:
        found = rankings.reading.official_moves(board, _date(day))
    rows = [
        {
            "rank": each.row.rank,
            "rank_before": each.before,
            "uuid": each.row.uuid,
            "name": each.row.name,
            board: each.row.score,
        }
        for each in found.items
    ]
    if as_json:
        print_json({"date": str(found.day.day), "items": rows})
        return
    cells = [(row["rank"], _moved(row["rank_before"], row["rank"]), row["name"], row[board]) for row in rows]
    print_rows(("rank", "moved", "name", board), cells, unbroken=("rank", "moved"))
    typer.echo(f"{found.day.day}, against {found.against.day if found.against else 'no day before'}")


@_command("""\
  hansang rankings board level
  hansang rankings board power --page 9000 --size 100
  hansang rankings board level --mode below_official""")
def board(
    board: BoardNamed,
    page: Annotated[int, typer.Option(min=0, metavar="N", help="Which page, from 0.")] = 0,
    size: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many players a page.")] = 50,
    mode: Annotated[
        Mode, typer.Option(help="Everyone in order, or the official list first and then the others.")
    ] = "all",
    day: Day = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Any page of everyone."""
    with open_rankings(data) as rankings:
        found = rankings.reading.page(board, _date(day), page, size, mode)
    if as_json:
        items = [_row_shown(row, board) for row in found.items]
        print_json({"date": str(found.day.day), "total": found.total, "items": items})
        return
    _print_ranked(found.items, board)
    typer.echo(f"{found.day.day}: {found.total:,} players")


@_command(
    """\
  hansang rankings range level 50 80
  hansang rankings range power 1000000 2000000 --limit 20""",
    "range",
)
def range_of(
    board: BoardNamed,
    low: Annotated[int, typer.Argument(min=0, metavar="LOW", help="The lower end.")],
    high: Annotated[int, typer.Argument(min=0, metavar="HIGH", help="The upper end.")],
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many.")] = 50,
    day: Day = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Who had a level or a power from low to high, both included, the highest first."""
    with open_rankings(data) as rankings:
        found = rankings.reading.range(board, low, high, _date(day), limit)
    if as_json:
        items = [_row_shown(row, board) for row in found.items]
        print_json({"date": str(found.day.day), "total": found.total, "items": items})
        return
    _print_ranked(found.items, board)
    typer.echo(f"{found.day.day}: {found.total:,} players in the range")
    if found.is_other_day:
        typer.echo("The day asked for is not there; this is the newest.", err=True)


@_command("""\
  hansang rankings movers level
  hansang rankings movers power --period week --count 5""")
def movers(
    board: BoardNamed,
    period: Annotated[Period, typer.Option(help="Against a day, a week or a month ago.")] = "day",
    count: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="How many of each.")] = 10,
    day: Day = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Who climbed, fell and grew most among the first of a board."""
    with open_rankings(data) as rankings:
        found = rankings.histories.movers(board, period, _date(day), count)
    kinds = {"climbed": found.climbed, "fallen": found.fallen, "grown": found.grown}
    against = None if found.against is None else str(found.against.day)
    if as_json:
        moved = {kind: [_move_shown(each) for each in moves] for kind, moves in kinds.items()}
        new = [_row_shown(row, board) for row in found.new]
        print_json({"date": str(found.day.day), "against": against, **moved, "new": new})
        return
    for kind, moves in kinds.items():
        typer.echo(kind)
        rows = [
            (each.row.shared_rank, f"{each.climbed:+,}", each.row.name, f"{each.grown:+,}") for each in moves
        ]
        print_rows(("rank", "ranks", "name", board), rows, unbroken=("rank", "ranks"))
    typer.echo(f"{found.day.day}, against {against or 'no earlier day'}")


@_command("""\
  hansang rankings search ㅎㄸ
  hansang rankings search 호떡 --limit 5""")
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of a name, or Hangul initials.")],
    limit: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="How many.")] = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Find names of the last finished day by any part of them, or by Hangul initials."""
    with open_rankings(data) as rankings:
        _, found = rankings.search.search(text, limit)
    if as_json:
        print_json([{"uuid": each.uuid, "name": each.name, "level": each.level} for each in found])
        return
    print_rows(("name", "level", "uuid"), [(each.name, each.level, each.uuid) for each in found])


# ── what the commands share ───────────────────────────────────────────────────────────────────────


def _date(day: datetime | None) -> date | None:
    return None if day is None else day.date()


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


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl+C sets; a second Ctrl+C ends the program at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        typer.echo("Stopping after this part; press Ctrl+C again to stop at once.", err=True)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


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


def _print_ranked(rows: Iterable[RankedRow], board: Board) -> None:
    cells = [(row.rank, row.shared_rank, row.name, row.score, row.uuid) for row in rows]
    print_rows(("rank", "shared", "name", board, "uuid"), cells, unbroken=("rank", "shared"))


def _row_shown(row: RankedRow, board: Board) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "shared_rank": row.shared_rank,
        "uuid": row.uuid,
        "name": row.name,
        board: row.score,
    }


def _move_shown(move: Move) -> dict[str, Any]:
    return {
        "rank": move.row.shared_rank,
        "rank_before": move.rank_before,
        "climbed": move.climbed,
        "score": move.row.score,
        "grown": move.grown,
        "uuid": move.row.uuid,
        "name": move.row.name,
    }


def _moved(before: Any, rank: Any) -> str:
    if before is None:
        return "NEW"
    return "=" if before == rank else f"▲{before - rank}" if before > rank else f"▼{rank - before}"


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


players.add_to(group)
