"""The command that plays a synthetic week, and says what it cost and where the ceiling is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

import typer

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.board_rows import SHARDED, week_shard
from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.leaderboards.metering import MeteredBackend
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.sharded_index import ShardedIndex
from hansang.apps.leaderboards.simulation import THREADS, SimulatedWeek, Simulation, WeekPlan
from hansang.backends.embedded import Embedded
from hansang.blueprint.prices import prices
from hansang.clock import system_clock
from hansang.design import Database
from hansang.surfaces.application_settings import settings_of
from hansang.surfaces.cli.progress import watching
from hansang.surfaces.cli.stopping import stopping
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    names_of,
    open_place,
    place_of,
    print_json,
    print_rows,
    with_examples,
)

SUFFIX = "-simulated"
REGION = "ap-northeast-2"


@dataclass(frozen=True, slots=True)
class SimulatedPlace:
    """Boards in tables of their own, and what they cost."""

    boards: Leaderboards
    simulation: Simulation


def add_to(group: typer.Typer) -> None:
    """Make the function a command of the group."""
    with_examples(
        group,
        "  hansang leaderboards simulate --players 10000 --plays-per-second 200 --seconds 30\n"
        "  HANSANG_THROTTLING=yes hansang leaderboards simulate --plays-per-second 2000 --json\n"
        "  hansang leaderboards simulate --players 1000000 --data aws:ap-northeast-2",
    )(simulate)


def simulate(
    players: Annotated[
        int, typer.Option(min=1, max=10**8, metavar="N", help="How many players the week has.")
    ] = 10_000,
    plays_per_second: Annotated[
        int, typer.Option(min=1, max=10**6, metavar="R", help="How many plays come in a second.")
    ] = 100,
    seconds: Annotated[int, typer.Option(min=1, max=10**6, metavar="S", help="For how long.")] = 30,
    threads: Annotated[int, typer.Option(min=1, max=512, help="How many submit at a time.")] = THREADS,
    region: Annotated[str, typer.Option(metavar="REGION", help="Whose prices the money is at.")] = REGION,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep", help="Leave the simulated tables there; the next run goes on with their players."
        ),
    ] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Play a synthetic week in tables of its own (their names end with -simulated), and say what it cost.

    Everybody has a score before the plays begin. Ctrl+C ends it with what there is so far. On AWS it costs money.
    """
    plan = WeekPlan(players, plays_per_second, seconds, threads)
    with simulated_place(data, region, keep=keep) as opened, stopping() as stop, watching() as watch:
        found = opened.simulation.run(plan, stop, watch)
    if as_json:
        print_json(_document(found))
    else:
        _print(found, region)


@contextmanager
def simulated_place(data: str | None, region: str, *, keep: bool = False) -> Iterator[SimulatedPlace]:
    """Boards in tables of their own at a place, made for it and deleted after it."""
    settings: LeaderboardsSettings = replace(settings_of(APPLICATION), plays_a_minute=0, token_secret="")
    names = names_of(APPLICATION.tables, SUFFIX)
    designs = {name: table for table, name in names.items()}

    def shard_key(item: Any) -> str:
        week, player = Week.parse(item["Week"]["S"]), int(item["Id"]["N"])
        return week_shard(week, player, settings.write_shards) or ""

    with open_place(place_of(data)) as backend:
        derived = {SHARDED: lambda item: "" if "Week" not in item else shard_key(item)}
        meter = MeteredBackend(backend, designs, derived)
        database = Database(meter, names=names)
        made = database.create_tables(*APPLICATION.tables)
        throttling = backend.engine.throttling if isinstance(backend, Embedded) else None
        try:
            if settings.write_shards and names[UsersLeaderboard] in made:
                index = ShardedIndex(database, settings.index_shards)
                index.create()
                if settings.week_index == "sharded":
                    index.drop_old()
            boards = Leaderboards(database, system_clock, settings)
            yield SimulatedPlace(
                boards,
                Simulation(
                    boards,
                    meter,
                    prices(region),
                    refused=lambda: sum(each.count for each in throttling.refused) if throttling else 0,
                ),
            )
        finally:
            if not keep:
                for name in made:
                    backend.call("DeleteTable", {"TableName": name})


def _document(found: SimulatedWeek) -> dict[str, Any]:
    places = [{**asdict(each), "cost": str(each.cost)} for each in found.places]
    return {
        "players": found.filled,
        "seconds_to_fill": round(found.filling, 3),
        "plays": found.plays,
        "improved": found.improved,
        "failed": found.failed,
        "throttled": found.throttled,
        "seconds": round(found.elapsed, 3),
        "plays_per_second": round(found.rate, 1),
        "p50_ms": round(found.p50 * 1000, 2),
        "p99_ms": round(found.p99 * 1000, 2),
        "places": places,
        "cost": str(found.cost),
        "cost_a_month": str(found.monthly),
        "hot": [asdict(each) for each in found.hot],
    }


def _print(found: SimulatedWeek, region: str) -> None:
    money = prices(region)
    print_rows(
        ("table or index", "read units", "write units", f"{money.currency} on demand"),
        [
            (each.place, f"{each.read:,.1f}", f"{each.write:,.0f}", f"{each.cost:.6f}")
            for each in found.places
        ],
    )
    typer.echo(f"{found.filled:,} players were there after {found.filling:,.0f} s.")
    typer.echo(
        f"{found.plays:,} plays of {found.filled:,} players in {found.elapsed:.1f} s: {found.rate:,.0f} a second of "
        f"{found.plan.plays_a_second:,} asked for; {found.improved:,} were new bests."
    )
    typer.echo(f"A submit with its rank: p50 {found.p50 * 1000:,.1f} ms, p99 {found.p99 * 1000:,.1f} ms.")
    typer.echo(f"Throttled requests: {found.throttled:,}; plays that failed: {found.failed:,}.")
    typer.echo(
        f"Cost: {found.cost:.6f} {money.currency}; at this pace {found.monthly:,.0f} a month on demand ({region})."
    )
    if found.hot:
        print_rows(
            ("hottest key of", "key", "kind", "units a second", "full at plays a second"),
            [
                (each.place, each.key, each.units, f"{each.a_second:,.1f}", f"{each.ceiling:,.0f}")
                for each in found.hot[:6]
            ],
        )
        first = found.hot[0]
        typer.echo(
            f"The ceiling: one partition of {first.place} is full at {first.ceiling:,.0f} plays a second; "
            f"its hot key is {first.key}."
        )
