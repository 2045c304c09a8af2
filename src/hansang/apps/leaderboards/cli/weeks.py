"""The commands of weeks: closing them, their rewards, deliveries and the archive."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer

from hansang.apps.leaderboards.cli.place import WeekGiven, open_boards
from hansang.apps.leaderboards.closing import ClosingRehearsal
from hansang.apps.leaderboards.work import BoardWeek, Tier
from hansang.errors import InvalidInput
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows, with_examples

Tiers = Annotated[
    list[str] | None,
    typer.Option(
        "--tier", metavar="NAME=RANK", help="A reward for ranks, gold=3, or for a share, silver=10%."
    ),
]
DAY: dict[str, Any] = {"formats": ["%Y-%m-%d"], "metavar": "YYYY-MM-DD"}


def add_to(group: typer.Typer) -> None:
    """Make these functions commands of the group."""
    for command, examples in _EXAMPLES.items():
        with_examples(group, examples)(command)


def weeks(
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many.")] = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """The weeks that are closed, the newest first."""
    with open_boards(data) as opened:
        found = opened.boards.weeks.page(limit).items
    if as_json:
        print_json([json.loads(each.model_dump_json()) for each in found])
        return
    print_rows(
        ("week", "state", "players", "rewards", "check", "closed"),
        [(each.start, each.state, each.players, each.rewards, each.check, each.closed_at) for each in found],
        unbroken=("week",),
    )


def close(
    week: WeekGiven,
    tiers: Tiers = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would come of it, and write nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Make a week final, with its rewards; no score of it changes from then on."""
    given = [tier_of(each) for each in tiers or []]
    with open_boards(data) as opened:
        named = opened.boards.weeks.named(week)
        if dry_run:
            _print_dry_run(opened.boards.closing.rehearse(named, given), as_json=as_json)
            return
        if not yes:
            typer.confirm(f"Make the week from {named.start} final?", abort=True)
        done = opened.recorded.close(named, given)
    _print_week(done, as_json=as_json)


def rewards(
    week: WeekGiven,
    csv_form: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """The rewards of a final week, the best first, and which were delivered."""
    with open_boards(data) as opened:
        found = list(opened.boards.closing.each_reward(opened.boards.weeks.named(week)))
    columns = ("place", "rank", "id", "name", "score", "tier", "delivered_at", "receipt")
    if as_json:
        print_json([{name: getattr(each, name) for name in columns} for each in found])
    elif csv_form:
        writer = csv.writer(sys.stdout)
        writer.writerow(columns)
        writer.writerows([getattr(each, name) for name in columns] for each in found)
    else:
        print_rows(columns, [[getattr(each, name) for name in columns] for each in found])


def deliver(
    week: WeekGiven,
    place: Annotated[int, typer.Argument(min=1, metavar="PLACE", help="The place of the reward.")],
    receipt: Annotated[str, typer.Argument(metavar="RECEIPT", help="What the game calls the delivery.")],
    data: Place = None,
) -> None:
    """Mark a reward as delivered, once; another receipt for it is refused."""
    with open_boards(data) as opened:
        named = opened.boards.weeks.named(week)
        done = opened.recorded.deliver(named, place, receipt)
    typer.echo(f"The reward of {done.name} ({done.tier}) is delivered.")


def archive(
    since: Annotated[datetime, typer.Argument(**DAY, help="The first day of the first week.")],
    until: Annotated[datetime, typer.Argument(**DAY, help="The first day of the last week.")],
    data: Place = None,
) -> None:
    """Print every row of final weeks as JSON Lines, for a season to be kept elsewhere."""
    with open_boards(data) as opened:
        named = opened.boards.closing.season(since.date(), until.date())
        for final, row in opened.boards.closing.archive(named):
            line = {
                "week": str(final.start),
                "rank": row.rank,
                "id": row.id,
                "name": row.name,
                "score": row.score,
            }
            typer.echo(json.dumps(line, ensure_ascii=False))


def tier_of(text: str) -> Tier:
    """A tier as it is typed: gold=3 or silver=10%."""
    name, _, size = text.partition("=")
    number = size.removesuffix("%")
    if not name or not number.isdecimal() or not 1 <= int(number) <= (100 if size.endswith("%") else 10**9):
        raise InvalidInput(
            "{text} is not a tier. Write gold=3 for ranks, or silver=10% for a share.",
            "tier",
            code="leaderboards.tier-text",
            values={"text": text},
        )
    return Tier(name=name, percent=int(number)) if size.endswith("%") else Tier(name=name, rank=int(number))


def _print_dry_run(found: ClosingRehearsal, *, as_json: bool) -> None:
    if as_json:
        print_json({**asdict(found), "week": str(found.week)})
        return
    rows = [(each.name, each.players, each.rank, each.score) for each in found.tiers]
    print_rows(("tier", "players", "last rank", "last score"), rows)
    typer.echo(f"{found.week}: {found.players:,} players, {found.suspects} to look at; nothing was changed.")


def _print_week(week: BoardWeek, *, as_json: bool) -> None:
    if as_json:
        print_json(json.loads(week.model_dump_json()))
        return
    print_rows(("rank", "name", "score"), [(row.rank, row.name, row.score) for row in week.podium])
    typer.echo(
        f"{week.start} is final: {week.players:,} players, {week.rewards:,} rewards, check {week.check}"
    )


_EXAMPLES: dict[Callable[..., None], str] = {
    weeks: "  hansang leaderboards weeks",
    close: "  hansang leaderboards close 2014-05-09 --dry-run --tier gold=3 --tier silver=10%\n"
    "  hansang leaderboards close 2014-05-09 --tier gold=3 --yes",
    rewards: "  hansang leaderboards rewards 2014-05-09 --csv",
    deliver: "  hansang leaderboards deliver 2014-05-09 1 mail-1001",
    archive: "  hansang leaderboards archive 2014-05-02 2014-05-30",
}
