"""The commands of the rankings: import days, read them, and what concerns one player."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from functools import partial
from typing import Annotated, Any

import typer

from hansang.apps.rankings.cli import days, discord, players
from hansang.apps.rankings.cli.place import DAY, open_rankings
from hansang.apps.rankings.design import Board, Period
from hansang.apps.rankings.histories import Move
from hansang.apps.rankings.reading import Mode, RankedRow
from hansang.surfaces.cli.support import (
    AsJson,
    Figure,
    Place,
    new_group,
    print_json,
    print_rows,
    with_examples,
)

group = new_group("Daily rankings: import days, read them, look at players.")

Day = Annotated[datetime | None, typer.Option(**DAY, help="The day. [default: the newest finished day]")]
BoardNamed = Annotated[Board, typer.Argument(help="By level or by power.")]

_command = partial(with_examples, group)
days.add_to(group)
group.add_typer(discord.group, name="discord")


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
    """Who climbed, fell and grew most."""
    with open_rankings(data) as rankings:
        found = rankings.histories.movers(board, period, _date(day), count)
    kinds = {"climbed": found.climbed, "fallen": found.fallen, "grown": found.grown}
    against = None if found.against is None else str(found.against.day)
    if as_json:
        moved = {kind: [_move_shown(each) for each in moves] for kind, moves in kinds.items()}
        new = [_row_shown(row, board) for row in found.new]
        print_json(
            {"date": str(found.day.day), "against": against, "among": found.among, **moved, "new": new}
        )
        return
    for kind, moves in kinds.items():
        typer.echo(kind)
        rows = [
            (each.row.shared_rank, Figure(f"{each.climbed:+,}"), each.row.name, Figure(f"{each.grown:+,}"))
            for each in moves
        ]
        print_rows(("rank", "ranks", "name", board), rows, unbroken=("rank", "ranks"))
    typer.echo(f"{found.day.day}, against {against or 'no earlier day'}, among {found.among:,} players")


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


players.add_to(group)
