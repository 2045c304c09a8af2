"""The commands that concern one player, or a few."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Annotated, Any

import typer

from hansang.apps.rankings.cli.place import DAY, open_rankings
from hansang.apps.rankings.design import Board
from hansang.apps.rankings.histories import HistoryDay
from hansang.apps.rankings.service import Rankings
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows, with_examples

Player = Annotated[str, typer.Argument(metavar="UUID", help="The player, see hansang rankings lookup.")]
Since = Annotated[
    datetime | None, typer.Option(**DAY, help="The first day. [default: 29 days before --until]")
]
Until = Annotated[
    datetime | None, typer.Option(**DAY, help="The last day. [default: the newest finished day]")
]


def add_to(group: typer.Typer) -> None:
    """Make these functions commands of the group."""
    for command, examples in _EXAMPLES.items():
        with_examples(group, examples)(command)


def rank(
    uuid: Player,
    board: Annotated[Board, typer.Option(help="By level or by power.")] = "level",
    day: Annotated[
        datetime | None, typer.Option(**DAY, help="The day. [default: the newest finished day]")
    ] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """A player's exact rank on a finished day."""
    with open_rankings(data) as rankings:
        found = rankings.reading.rank(uuid, board, None if day is None else day.date())
    if as_json:
        shown = {"date": str(found.day), "rank": found.rank, "of": found.of}
        print_json({**shown, "percentile": float(found.percentile), board: found.score})
        return
    typer.echo(
        f"{found.rank:,} of {found.of:,} on {found.day}: {board} {found.score:,}, {found.equal:,} with the same"
    )


def history(
    uuid: Player,
    since: Since = None,
    until: Until = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """A player's days with the exact ranks, the newest first."""
    with open_rankings(data) as rankings:
        found = rankings.histories.history(uuid, *_span(rankings, since, until))
    if as_json:
        missing = [str(day) for day in found.missing]
        print_json({"uuid": uuid, "items": [_shown(each) for each in found.days], "missing": missing})
        return
    _print_days(found.days)
    if found.missing:
        typer.echo(f"Without a snapshot: {', '.join(map(str, found.missing))}")


def compare(
    uuids: Annotated[list[str], typer.Argument(metavar="UUID…", help="Up to five players.")],
    since: Since = None,
    until: Until = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Up to five players over the same days."""
    with open_rankings(data) as rankings:
        found = rankings.histories.compare(uuids, *_span(rankings, since, until))
    if as_json:
        print_json({uuid: [_shown(each) for each in history.days] for uuid, history in found.items()})
        return
    for uuid, history in found.items():
        typer.echo(uuid)
        _print_days(history.days)


def lookup(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A whole name, in any case.")],
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Every player of a name, with the present name and the last day with a snapshot."""
    with open_rankings(data) as rankings:
        found = rankings.profiles.lookup(name)
    rows = [
        (
            each.profile.name,
            each.profile.current_level,
            each.profile.current_power,
            each.last_day,
            each.profile.uuid,
        )
        for each in found
    ]
    columns = ("name", "level", "power", "last_day", "uuid")
    if as_json:
        named = (dict(zip(columns, row, strict=True)) for row in rows)
        print_json([{**row, "last_day": row["last_day"] and str(row["last_day"])} for row in named])
        return
    print_rows(columns, rows, unbroken=("last_day",))


def hide(uuid: Player, data: Place = None) -> None:
    """Neither name nor find a player from now on; the rows are still counted."""
    with open_rankings(data) as rankings:
        rankings.privacy.hide(uuid)
    typer.echo(f"{uuid} is hidden.")


def show(uuid: Player, data: Place = None) -> None:
    """Show a hidden player again."""
    with open_rankings(data) as rankings:
        rankings.privacy.show(uuid)
    typer.echo(f"{uuid} is shown.")


def erase(
    uuid: Player,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: Place = None,
) -> None:
    """Delete a player from every day and from the ranks of each; broken off, the same command goes on."""
    if not yes:
        typer.confirm(f"Erase {uuid} from every day?", abort=True)
    with open_rankings(data) as rankings:
        days = rankings.privacy.erase(uuid)
    typer.echo(f"{uuid} is erased from {days:,} days.")


def _span(rankings: Rankings, since: datetime | None, until: datetime | None) -> tuple[date, date]:
    last = rankings.days.finished().day if until is None else until.date()
    return (last - timedelta(days=29) if since is None else since.date()), last


def _print_days(days: list[HistoryDay]) -> None:
    rows = [
        (
            each.snapshot.day,
            each.snapshot.name,
            each.snapshot.level,
            each.ranks["level"].rank,
            each.snapshot.power,
            each.ranks["power"].rank,
        )
        for each in days
    ]
    print_rows(("day", "name", "level", "rank", "power", "rank "), rows, unbroken=("day",))


def _shown(each: HistoryDay) -> dict[str, Any]:
    return {
        "date": str(each.snapshot.day),
        "name": each.snapshot.name,
        "level": each.snapshot.level,
        "level_rank": each.ranks["level"].rank,
        "power": each.snapshot.power,
        "power_rank": each.ranks["power"].rank,
    }


_EXAMPLES: dict[Callable[..., None], str] = {
    rank: "  hansang rankings rank A101\n  hansang rankings rank A101 --board power --day 2026-02-21",
    history: "  hansang rankings history A101\n  hansang rankings history A101 --since 2026-01-01",
    compare: "  hansang rankings compare A101 A102",
    lookup: "  hansang rankings lookup Hello",
    hide: "  hansang rankings hide A101",
    show: "  hansang rankings show A101",
    erase: "  hansang rankings erase A101",
}
