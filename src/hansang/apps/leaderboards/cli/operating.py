"""The commands of operators: find, rename, hide, restore, correct, judge, erase and undo."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

import typer

from hansang.apps.leaderboards.cli.place import THIS_WEEK, PlayerNumber, WeekNamed, open_boards
from hansang.apps.leaderboards.undoing import undo as undo_change
from hansang.apps.leaderboards.work import HideReason, SuspectState
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows, with_examples

Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="What should be known of it later.")]
Many = Annotated[list[int], typer.Argument(min=0, metavar="ID...", help="The ids of the players.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many.")]


def add_to(group: typer.Typer) -> None:
    """Make these functions commands of the group."""
    for command, examples in _EXAMPLES.items():
        with_examples(group, examples)(command)


def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="How a name begins, or its Hangul initials.")],
    limit: Limit = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Find players by how their names begin, in any case, or by Hangul initials."""
    with open_boards(data) as opened:
        found = opened.boards.players.search(text, limit)
    if as_json:
        print_json([{"id": each.id, "name": each.name, "hidden": each.is_hidden} for each in found])
        return
    print_rows(("id", "name", "hidden"), [(str(each.id), each.name, each.is_hidden) for each in found])


def rename(
    player: PlayerNumber,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new name.")],
    data: Place = None,
) -> None:
    """Call a player otherwise: in this week and on friends' boards; past weeks stay."""
    with open_boards(data) as opened:
        before = opened.boards.players.get(player).name
        opened.recorded.rename(player, name)
    typer.echo(f"{before} is called {name}.")


def hide(
    players: Many,
    reason: Annotated[HideReason, typer.Option(help="Why.")] = "other",
    note: Note = "",
    until: Annotated[
        datetime | None, typer.Option(metavar="TIME", help="When it ends, in UTC. [default: never]")
    ] = None,
    data: Place = None,
) -> None:
    """Take players off the boards; ranks close up. A test account is hidden with --reason test."""
    end = None if until is None else until.replace(tzinfo=UTC)
    with open_boards(data) as opened:
        for card in opened.recorded.hide_many(players, reason, note, end):
            typer.echo(f"{card.id} is hidden.")
        opened.boards.settle()


def restore(players: Many, data: Place = None) -> None:
    """Put hidden players back on the boards."""
    with open_boards(data) as opened:
        for card in opened.recorded.restore_many(players):
            typer.echo(f"{card.id} is back.")
        opened.boards.settle()


def hidden(limit: Limit = 50, data: Place = None, as_json: AsJson = False) -> None:
    """Whoever is hidden, why and until when."""
    with open_boards(data) as opened:
        found = opened.boards.operating.hidden(limit).items
    if as_json:
        print_json(
            [{"id": each.id, "name": each.name, "reason": each.reason, "until": each.until} for each in found]
        )
        return
    rows = [(str(each.id), each.name, each.reason, each.until, each.note) for each in found]
    print_rows(("id", "name", "reason", "until", "note"), rows)


def correct(
    player: PlayerNumber,
    score: Annotated[int, typer.Argument(min=0, metavar="SCORE", help="The score that it should be.")],
    note: Note,
    week: WeekNamed = THIS_WEEK,
    data: Place = None,
) -> None:
    """Give a player another best in a week that is not final; the note says why."""
    with open_boards(data) as opened:
        named = opened.boards.weeks.named(week)
        done = opened.recorded.correct(player, named, score, note)
        opened.boards.settle()
    typer.echo(f"{player} had {done.before:,} and has {done.after:,} in {named}.")


def refused(
    day: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="The day in UTC. [default: today]"),
    ] = None,
    limit: Limit = 50,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Plays that were refused on a day, the newest first."""
    with open_boards(data) as opened:
        wanted = opened.boards.weeks.now.astimezone(UTC).date() if day is None else day.date()
        found = opened.boards.operating.refused(wanted, limit).items
    if as_json:
        print_json(
            [
                {"at": each.at, "player": each.player, "score": each.score, "reason": each.reason}
                for each in found
            ]
        )
        return
    rows = [(each.at, str(each.player), each.score, each.reason, each.sender) for each in found]
    print_rows(("at", "player", "score", "reason", "sender"), rows)


def suspects(
    week: WeekNamed = THIS_WEEK, limit: Limit = 50, data: Place = None, as_json: AsJson = False
) -> None:
    """Scores that are unlikely, with what makes them so."""
    with open_boards(data) as opened:
        found = opened.boards.operating.suspects(opened.boards.weeks.named(week), limit).items
    if as_json:
        print_json(
            [{"id": each.id, "why": each.why, "score": each.score, "state": each.state} for each in found]
        )
        return
    rows = [
        (str(each.id), each.name, each.why, each.before, each.score, each.seconds, each.state)
        for each in found
    ]
    print_rows(("id", "name", "why", "before", "score", "seconds", "state"), rows)


def judge(
    player: PlayerNumber,
    state: Annotated[SuspectState, typer.Argument(help="What came of it.")],
    note: Note = "",
    week: WeekNamed = THIS_WEEK,
    data: Place = None,
) -> None:
    """Say what came of looking at a player's suspicious week."""
    with open_boards(data) as opened:
        named = opened.boards.weeks.named(week)
        opened.recorded.judge(named, player, state, note)
    typer.echo(f"{player} is {state} in {named}.")


def erase(
    player: PlayerNumber,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: Place = None,
) -> None:
    """Delete a player on every board with every week, final ones too; broken off, the same command goes on."""
    if not yes:
        typer.confirm(f"Erase player {player} from every week of every board?", abort=True)
    with open_boards(data) as opened:
        weeks = opened.recorded.erase(opened.every, player)
        for boards in opened.every.each():
            boards.settle()
    typer.echo(f"{player} is erased from {weeks:,} weeks.")


def undo(
    change: Annotated[str, typer.Argument(metavar="CHANGE", help="The id of the change, see the history.")],
    data: Place = None,
) -> None:
    """Undo what an operator did to a player or a friendship, once."""
    with open_boards(data) as opened:
        done = undo_change(opened.boards, opened.history, change, opened.actor)
        opened.boards.settle()
    typer.echo(f"{done.verb} of {done.subject} is done.")


_EXAMPLES: dict[Callable[..., None], str] = {
    search: "  hansang leaderboards search Mar\n  hansang leaderboards search ㅁㄹ",
    rename: "  hansang leaderboards rename 2 Maria",
    hide: "  hansang leaderboards hide 2 --reason cheating --note 'speed hack' --until 2027-01-31\n"
    "  hansang leaderboards hide 7 8 9 --reason test",
    restore: "  hansang leaderboards restore 2",
    hidden: "  hansang leaderboards hidden",
    correct: "  hansang leaderboards correct 2 31000 --note 'counted twice'",
    refused: "  hansang leaderboards refused --day 2026-11-16",
    suspects: "  hansang leaderboards suspects",
    judge: "  hansang leaderboards judge 2 cleared --note 'a tournament'",
    erase: "  hansang leaderboards erase 2",
    undo: "  hansang leaderboards undo 0065a1b2c3d4e5f60718293a4b5c",
}
