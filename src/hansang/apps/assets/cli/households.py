"""The commands of households: list them, make one, say who belongs to it; and how one counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, get_args

import typer

from hansang.apps.assets.cli.place import Month, chosen, open_assets, open_households, who
from hansang.apps.assets.design import LONGEST_MEMO
from hansang.apps.assets.households import FIRST
from hansang.apps.assets.plans import HOUSEHOLD_ID, Household, HouseRules, MemberRole
from hansang.apps.assets.settings import CardMonth
from hansang.errors import InvalidInput
from hansang.surfaces.cli.people import expect_people
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows, with_examples

Id = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The id: a small letter, then small letters, digits and hyphens, 2 to 20 in all.",
    ),
]
_ROLES: tuple[MemberRole, ...] = get_args(MemberRole)


def add_to(group: typer.Typer) -> None:
    """Make these functions commands of the group."""
    for command, examples in _EXAMPLES.items():
        with_examples(group, examples, command.__name__.replace("_", "-"))(command)


def households(
    move_pockets: Annotated[
        bool,
        typer.Option(
            "--move-pockets",
            help="Move owners and titles of older private pockets into their own tables first.",
        ),
    ] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Every household with its members; of a private pocket only that it is there."""
    with open_households(data) as found:
        if move_pockets:
            typer.echo(f"{len(found.move_pockets()):,} moved", err=True)
        every = [found.get(FIRST), *found.listed()]
    if as_json:
        print_json([each.model_dump(mode="json") for each in every])
        return
    rows = [
        (
            each.id,
            each.title,
            ", ".join(f"{name}: {role}" for name, role in (each.members or {}).items()),
            each.pocket_of,
        )
        for each in every
    ]
    print_rows(("id", "title", "members", "pocket of"), rows)


def household_create(
    household: Id,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What it is called.")],
    owner: Annotated[str, typer.Option(metavar="NAME", help="The sign-in name of its first owner.")],
    data: Place = None,
) -> None:
    """Make a household with a table of its own."""
    if re.fullmatch(HOUSEHOLD_ID, household) is None:
        raise InvalidInput(
            "{id} cannot be an id: it is a small letter, then small letters, digits and hyphens, 2 to 20 in all.",
            code="assets.household-id",
            values={"id": household},
        )
    _expect_title(title)
    with open_households(data) as found:
        expect_people(found.open().database, [owner])
        made = found.create(Household(id=household, title=title, members={owner: "owner"}), who())
    typer.echo(f"{made.id} was created. hansang assets --household {made.id} works on it.")


def _expect_title(title: str) -> None:
    if not 1 <= len(title) <= LONGEST_MEMO:
        raise InvalidInput(
            "A title has 1 to {most} characters.",
            code="assets.household-title",
            values={"most": LONGEST_MEMO},
        )


def household_members(
    household: Id,
    members: Annotated[
        list[str], typer.Argument(metavar="NAME=ROLE…", help="Everyone with owner, editor or viewer.")
    ],
    data: Place = None,
) -> None:
    """Set the members of a household. Whoever is not listed loses access to it."""
    wanted = dict(map(_member, members))
    with open_households(data) as found:
        expect_people(found.open().database, wanted)
        found.change(household, who(), members=wanted)
    typer.echo(f"{len(wanted):,} members")


def pockets(month: Month = None, data: Place = None, as_json: AsJson = False) -> None:
    """What was spent of the private pockets of the household in a month."""
    with open_households(data) as found:
        wanted = month or found.open(chosen.get()).reading.this_month
        rows = [(each.owner, each.spent) for each in found.pockets(chosen.get(), wanted)]
    if as_json:
        print_json([dict(zip(("pocket", "spent"), row, strict=True)) for row in rows])
    else:
        print_rows(("pocket", "spent"), rows)


def pocket_create(
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What it is called.")],
    owner: Annotated[str, typer.Option(metavar="NAME", help="The sign-in name of whose it is.")],
    data: Place = None,
) -> None:
    """Make a private pocket of somebody; the others of the household see its sums alone."""
    _expect_title(title)
    with open_households(data) as found:
        expect_people(found.open().database, [owner])
        made = found.create_pocket(chosen.get(), owner, title, who())
    typer.echo(f"{made.id} was created. hansang assets --household {made.id} works on it.")


def _member(given: str) -> tuple[str, MemberRole]:
    name, sign, text = given.partition("=")
    if not name or not sign:
        raise InvalidInput(
            "{given} has no value. Write NAME=VALUE.", code="assets.no-pair", values={"given": given}
        )
    role = next((each for each in _ROLES if each == text), None)
    if role is None:
        raise InvalidInput(
            "{role} is not a role of a household. The roles are {roles}.",
            code="assets.no-role",
            values={"role": text, "roles": ", ".join(_ROLES)},
        )
    return name, role


def rules(
    month_starts_on: Annotated[
        int | None, typer.Option(min=1, max=28, help="The day on which a month begins.")
    ] = None,
    card_month: Annotated[
        CardMonth | None,
        typer.Option(help="Whether a card's line counts in the month of its use or payment."),
    ] = None,
    card_payment_day: Annotated[
        int | None, typer.Option(min=1, max=28, help="The day on which the card is paid.")
    ] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Show how the household counts, or decide it."""
    with open_assets(data) as assets:
        found = assets.counting.settings()
        if (month_starts_on, card_month, card_payment_day) != (None, None, None):
            given = HouseRules(
                month_starts_on=month_starts_on or found.month_starts_on,
                card_month=card_month or found.card_month,
                card_payment_day=card_payment_day or found.card_payment_day,
            )
            assets.counting.set(given, who())
            found = assets.counting.settings()
    rows = [
        ("month starts on", found.month_starts_on),
        ("card month", found.card_month),
        ("card payment day", found.card_payment_day),
    ]
    if as_json:
        print_json(dict(rows))
    else:
        print_rows(("rule", "value"), rows)


_EXAMPLES: dict[Callable[..., None], str] = {
    households: "  hansang assets households\n  hansang assets households --move-pockets",
    household_create: "  hansang assets household-create parents 부모님 --owner seoyeon",
    household_members: "  hansang assets household-members parents seoyeon=owner junho=viewer",
    pockets: "  hansang assets pockets --month 2025.01",
    pocket_create: "  hansang assets pocket-create --owner junho 준호의주머니",
    rules: "  hansang assets rules\n  hansang assets rules --month-starts-on 25",
}
