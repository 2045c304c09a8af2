"""The commands of the leaderboards: submit scores, read boards, friends; and what operators do."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.board_names import VARIABLE, BoardNames
from hansang.apps.leaderboards.cli import operating, sharding, simulate, weeks
from hansang.apps.leaderboards.cli.place import (
    THIS_WEEK,
    PlayerNumber,
    Ties,
    WeekNamed,
    board_rows,
    choose,
    open_boards,
    print_board,
)
from hansang.apps.leaderboards.normalizing import normalize as normalize_items
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.surfaces.application_settings import settings_of
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    new_group,
    open_database,
    print_json,
    print_rows,
    with_examples,
)

group = new_group("Weekly leaderboards: scores, boards, friends, final weeks.")
_command = partial(with_examples, group)
group.callback()(choose)

Other = Annotated[int, typer.Argument(min=0, metavar="OTHER", help="The id of the friend.")]


@_command("""\
  hansang leaderboards submit 2 Maria 42710""")
def submit(
    player: PlayerNumber,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the player is called.")],
    score: Annotated[int, typer.Argument(min=0, metavar="SCORE", help="The points of the play.")],
    token: Annotated[str | None, typer.Option(metavar="TOKEN", help="The token of the play.")] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Keep a score if it is the best of the week, and say where its player stands."""
    with open_boards(data) as opened:
        found = opened.boards.submitter.submit(GivenPlay(player, name, score, token), "operator:cli")
        opened.boards.settle()
    if as_json:
        print_json(
            {
                "week": str(found.week),
                "best": found.best,
                "improved": found.improved,
                "rank": found.rank,
                "of": found.of,
                "next": found.next and {"id": found.next.id, "score": found.next.score},
            }
        )
        return
    better = "a new best" if found.improved else "no new best"
    typer.echo(f"{found.best:,} is rank {found.rank} of {found.of:,} ({better})")


# ── boards ────────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang leaderboards board
  hansang leaderboards board --week 2014-05-09 --page 20 --ties dense""")
def board(
    week: WeekNamed = THIS_WEEK,
    page: Annotated[int, typer.Option(min=0, metavar="N", help="Which page, from 0.")] = 0,
    size: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many players a page.")] = 50,
    ties: Ties = "competition",
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Any page of everyone in a week."""
    with open_boards(data) as opened:
        found = opened.boards.reading.page(opened.boards.weeks.named(week), page, size, ties)
    if as_json:
        print_json({"week": str(found.week), "total": found.total, "items": board_rows(found.items)})
        return
    print_board(found.items)
    typer.echo(f"{found.week}: {found.total:,} players")


@_command("""\
  hansang leaderboards around 2 --k 3""")
def around(
    player: PlayerNumber,
    week: WeekNamed = THIS_WEEK,
    k: Annotated[int, typer.Option(min=0, max=100, metavar="N", help="How many to either side.")] = 5,
    ties: Ties = "competition",
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """A player, and k players to either side."""
    with open_boards(data) as opened:
        found = opened.boards.reading.around(opened.boards.weeks.named(week), player, k, ties)
    if as_json:
        print_json({"week": str(found.week), "total": found.total, "items": board_rows(found.items)})
        return
    print_board(found.items)


@_command("""\
  hansang leaderboards rank 2
  hansang leaderboards rank 2 --week 2014-05-09""")
def rank(
    player: PlayerNumber,
    week: WeekNamed = THIS_WEEK,
    ties: Ties = "competition",
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """A player's exact rank in a week."""
    with open_boards(data) as opened:
        found = opened.boards.reading.rank(opened.boards.weeks.named(week), player, ties)
    if as_json:
        share = None if found.percentile is None else float(found.percentile)
        print_json(
            {
                "week": str(found.week),
                "score": found.score,
                "rank": found.rank,
                "of": found.of,
                "percentile": share,
            }
        )
    elif found.rank is None:
        typer.echo(f"{player} has no score in {found.week}.")
    else:
        typer.echo(f"{found.rank:,} of {found.of:,} with {found.score:,} in {found.week}")


@_command("""\
  hansang leaderboards histogram --bars 10""")
def histogram(
    week: WeekNamed = THIS_WEEK,
    bars: Annotated[int, typer.Option(min=2, max=100, metavar="N", help="How many bars.")] = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """How many players have which scores in a week."""
    with open_boards(data) as opened:
        found = opened.boards.reading.histogram(opened.boards.weeks.named(week), bars)
    if as_json:
        print_json([{"low": bar.low, "high": bar.high, "players": bar.players} for bar in found])
        return
    most = max(1, *(bar.players for bar in found))
    rows = [(bar.low, bar.high, bar.players, "█" * (30 * bar.players // most)) for bar in found]
    print_rows(("from", "to", "players", ""), rows)


@_command("""\
  hansang leaderboards scores 2""")
def scores(
    player: PlayerNumber,
    limit: Annotated[int, typer.Option(min=1, max=200, metavar="N", help="How many weeks.")] = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """The weekly bests of a player, the last week first, and the best of all."""
    with open_boards(data) as opened:
        found, best = opened.boards.reading.scores(player, limit), opened.boards.reading.best(player)
    if as_json:
        items = [{"week": str(each.week), "name": each.name, "score": each.score} for each in found]
        print_json({"best": None if best is None else best.score, "items": items})
        return
    print_rows(("week", "name", "score"), [(each.week, each.name, each.score) for each in found])


# ── friends ───────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang leaderboards friends 2""")
def friends(
    player: PlayerNumber,
    week: WeekNamed = THIS_WEEK,
    ties: Ties = "competition",
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """A player and the friends in a week."""
    with open_boards(data) as opened:
        found = opened.boards.reading.friends_board(opened.boards.weeks.named(week), player, ties)
    if as_json:
        print_json({"week": str(found.week), "items": board_rows(found.items), "waiting": found.waiting})
        return
    print_board(found.items)
    if found.waiting:
        typer.echo(f"Without a score: {', '.join(map(str, found.waiting))}")


@_command("""\
  hansang leaderboards befriend 1 2""")
def befriend(player: PlayerNumber, other: Other, data: Place = None) -> None:
    """Make two players friends; each is on the other's board at once."""
    with open_boards(data) as opened:
        opened.recorded.befriend(player, other)
    typer.echo(f"{player} and {other} are friends.")


@_command("""\
  hansang leaderboards unfriend 1 2""")
def unfriend(player: PlayerNumber, other: Other, data: Place = None) -> None:
    """End a friendship; past weeks stay as they are."""
    with open_boards(data) as opened:
        opened.recorded.unfriend(player, other)
    typer.echo(f"{player} and {other} are no friends any more.")


# ── the data themselves ───────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang leaderboards settle""")
def settle(data: Place = None) -> None:
    """Count every score and tell every friend that still waits; a server does it by itself."""
    with open_boards(data) as opened:
        done = opened.boards.settle()
    typer.echo(f"{done:,} changes are settled.")


@_command("""\
  hansang leaderboards repair
  hansang leaderboards repair --week 2014-05-09""")
def repair(week: WeekNamed = THIS_WEEK, data: Place = None) -> None:
    """Make the friends' boards of a week anew from its scores."""
    with open_boards(data) as opened:
        boards = opened.boards
        named = boards.weeks.named(week)
        boards.settle()
        done = boards.fan_outs.repair(named, [row.id for row in boards.rows.each(named)])
    typer.echo(f"{done:,} players of {named} are repaired.")


@_command("""\
  hansang leaderboards name-first-board arcade""")
def name_first_board(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the first board is called from now on.")],
    data: Place = None,
) -> None:
    """Call the first board otherwise; its scores stay. The setting has to begin with the new name then."""
    settings: LeaderboardsSettings = settings_of(APPLICATION)
    with open_database(data, *APPLICATION.tables) as database:
        BoardNames(database, settings).call_first(name)
    typer.echo(f"The first board is called {name}. Begin {VARIABLE} with it.")


@_command("""\
  hansang leaderboards normalize""")
def normalize(data: Place = None) -> None:
    """Rewrite items in the book's spelling, 2014-05-09,2014-05-15 without a space, in ours."""
    with open_boards(data) as opened:
        weeks_, rows = normalize_items(opened.boards.database, opened.boards.trees)
    typer.echo(f"{weeks_:,} weeks and {rows:,} rows of friends are rewritten.")


operating.add_to(group)
weeks.add_to(group)
sharding.add_to(group)
simulate.add_to(group)
