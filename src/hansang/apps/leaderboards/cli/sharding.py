"""The command that brings a live week from the document's index to a sharded one."""

from __future__ import annotations

from typing import Annotated

import typer

from hansang.apps.leaderboards.cli.place import THIS_WEEK, WeekNamed, open_boards
from hansang.apps.leaderboards.sharded_index import ShardedIndex
from hansang.errors import Conflict
from hansang.surfaces.cli.progress import counting
from hansang.surfaces.cli.support import Place, with_examples


def add_to(group: typer.Typer) -> None:
    """Make the function a command of the group."""
    with_examples(
        group,
        "  hansang leaderboards shard-index\n  hansang leaderboards shard-index --drop-old",
        "shard-index",
    )(shard_index)


def shard_index(
    week: WeekNamed = THIS_WEEK,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Delete the document's index, once nobody reads it.")
    ] = False,
    data: Place = None,
) -> None:
    """Spread the index of a week over several partitions, and give every row of the week its part."""
    with open_boards(data) as opened:
        boards = opened.boards
        named = boards.weeks.named(week)
        index = ShardedIndex(boards.database, boards.settings.index_shards)
        if drop_old:
            _drop(index, index.unsharded(named))
            return
        index.create()
        with counting(f"rows of {named}") as done:
            changed = index.fill(named, done)
    typer.echo(
        f"{changed:,} rows of {named} got their shard. When every worker has run with "
        "HANSANG_LEADERBOARDS_WEEK_INDEX=both and this command finds no more rows, set it to sharded."
    )


def _drop(index: ShardedIndex, missing: int) -> None:
    if missing:
        raise Conflict(
            "{count} rows of the week are in the document's index alone. Run hansang leaderboards shard-index first.",
            code="leaderboards.unsharded",
            values={"count": f"{missing:,}"},
        )
    index.drop_old()
    typer.echo(
        "The document's index is deleted; boards are read with HANSANG_LEADERBOARDS_WEEK_INDEX=sharded."
    )
