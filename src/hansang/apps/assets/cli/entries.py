"""The commands that change entries: set, add, clear, undo."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

import typer

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.cli.place import Month, open_assets, tell_undo, undo_command, who
from hansang.apps.assets.design import Entry
from hansang.apps.assets.entering import Given, tag_of
from hansang.apps.assets.entering import Place as EntryPlace
from hansang.apps.assets.kinds import KINDS, KindName
from hansang.apps.assets.recording import Recorded
from hansang.errors import InvalidInput
from hansang.surfaces.cli.support import AsJson, Place, print_json, with_examples

Kind = Annotated[KindName, typer.Argument(help="The kind of entry.")]
Names = Annotated[
    list[str],
    typer.Argument(metavar="NAME… AMOUNT", help="What names the entry, and the amount as people write it."),
]
Memo = Annotated[str | None, typer.Option(metavar="TEXT", help="What it was for.")]
By = Annotated[str | None, typer.Option(metavar="NAME", help="Who paid.")]
Day = Annotated[
    datetime | None,
    typer.Option(
        "--date", formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="The day. [default: today in Seoul]"
    ),
]
Tag = Annotated[str | None, typer.Option(metavar="TAG", help="What it counts as in the year-end tax view.")]
Seen = Annotated[
    str | None,
    typer.Option(
        metavar="VERSION",
        help="The version that was looked at, as --json tells it; none if there was no entry. "
        "If somebody else has changed it since, nothing is written.",
    ),
]
Whom = Annotated[str | None, typer.Option(metavar="NAME", help="Who a gift was for.")]


def add_to(group: typer.Typer) -> None:
    """Make these functions commands of the group."""
    for command, (name, examples) in _EXAMPLES.items():
        with_examples(group, examples, name)(command)


def set_entry(
    kind: Kind,
    names: Names,
    month: Month = None,
    memo: Memo = None,
    by: By = None,
    day: Day = None,
    tag: Tag = None,
    whom: Whom = None,
    seen: Seen = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Set an entry of a month; its totals and balances follow."""
    parts, amount = _split(kind, names)
    given = Given(amount=amount, memo=memo, by=by, date=day and day.date(), tag=tag, whom=whom, seen=seen)
    _enter(kind, parts, given, month, data, as_json)


def add(
    kind: Kind,
    names: Names,
    month: Month = None,
    memo: Memo = None,
    by: By = None,
    day: Day = None,
    tag: Tag = None,
    whom: Whom = None,
    seen: Seen = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Add to an entry of a month; a refund is a negative amount behind `--`."""
    parts, amount = _split(kind, names)
    given = Given(add=amount, memo=memo, by=by, date=day and day.date(), tag=tag, whom=whom, seen=seen)
    _enter(kind, parts, given, month, data, as_json)


def clear(
    kind: Kind,
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="What names the entry.")],
    month: Month = None,
    seen: Seen = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Delete an entry of a month."""
    _enter(kind, tuple(names), Given(is_cleared=True, seen=seen), month, data, as_json)


def undo(
    change: Annotated[
        str,
        typer.Argument(
            metavar="CHANGE", help="The id of the change, as set, add, import, paste and copy tell it."
        ),
    ],
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Take a change back, with the totals and balances that followed from it."""
    with open_assets(data) as assets:
        done = assets.undoing.undo(change, who())
    if as_json:
        print_json({"change": done.id, "undoes": change})
        return
    typer.echo(f"Undone. To have it back: {undo_command(done.id, data)}")


def _split(kind: KindName, names: list[str]) -> tuple[tuple[str, ...], int]:
    wanted = KINDS[kind].parts
    if len(names) != len(wanted) + 1:
        raise InvalidInput(
            "An entry of {kind} is named by {wanted}, and the amount follows.",
            code="assets.name-and-amount",
            values={"kind": kind, "wanted": " and ".join(wanted)},
        )
    return tuple(names[:-1]), read_amount(names[-1])


def _enter(
    kind: KindName, parts: tuple[str, ...], given: Given, month: str | None, data: str | None, as_json: bool
) -> None:
    with open_assets(data) as assets:
        wanted = month or assets.reading.this_month
        done = assets.entering.enter(wanted, EntryPlace.of(kind, parts), given, who())
    if as_json:
        print_json(recorded_shown(done))
        return
    after = done.rewrites[0].after
    typer.echo(
        f"{done.month} {kind} {' '.join(parts)}: {'deleted' if after is None else f'{after.amount:,} won'}"
    )
    typer.echo(f"Left of the month: {done.totals.net_asset:,} won")
    if done.book.wrong_since is not None:
        typer.echo(f"Balances of {done.book.wrong_since} to {done.book.last} follow.")
    tell_undo(done.change, data)


def entry_shown(entry: Entry) -> dict[str, Any]:
    """An entry as JSON, with the version that --seen takes."""
    return {**entry.model_dump(mode="json"), "version": tag_of(entry)}


def recorded_shown(done: Recorded) -> dict[str, Any]:
    """What came of it, as JSON."""
    return {
        "month": done.month,
        "entries": [entry_shown(each.after) for each in done.rewrites if each.after is not None],
        "totals": done.totals.model_dump(mode="json"),
        "balances": None if done.balances is None else done.balances.model_dump(mode="json"),
        "change": None if done.change is None else done.change.id,
        "recalculated_from": done.book.wrong_since,
    }


_EXAMPLES: dict[Callable[..., None], tuple[str | None, str]] = {
    set_entry: (
        "set",
        """\
  hansang assets set income 배우자1 월급 350만
  hansang assets set living-expense 식비 500,000원 --month 2025.01
  hansang assets set living-expense 식비 520,000원 --month 2025.01 --seen 3f1c0e2b9a4d5e6f""",
    ),
    add: (
        None,
        """\
  hansang assets add living-expense 식비 12000+8500 --memo 장보기 --by 배우자2
  hansang assets add short-savings 여행 적립 10만
  hansang assets add living-expense 식비 -- -2000""",
    ),
    clear: (None, "  hansang assets clear living-expense 식비 --month 2025.01"),
    undo: (None, "  hansang assets undo 000629a0b1c2d3"),
}
