"""The commands of codes: show, add, archive, rename."""

from __future__ import annotations

from typing import Annotated

import typer

from hansang.apps.assets.cli.place import open_assets, who
from hansang.apps.assets.codes import CodeType, listed, with_changes
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows, with_examples


def add_to(group: typer.Typer) -> None:
    """Make this function a command of the group."""
    with_examples(
        group,
        """\
  hansang assets codes NAME
  hansang assets codes LIVING_EXPENSE_CATEGORY --add 반려견 --archive 문화생활
  hansang assets codes ACCOUNT_TYPE --add 제주 --family 단기저축용""",
    )(codes)


def codes(
    kind: Annotated[CodeType, typer.Argument(metavar="TYPE", help="The kind of code, such as NAME.")],
    add: Annotated[list[str] | None, typer.Option(metavar="CODE", help="A code to add at the end.")] = None,
    archive: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="A code to offer no more.")
    ] = None,
    family: Annotated[
        str | None, typer.Option(metavar="FAMILY", help="The family of an account to add.")
    ] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Show the codes of a kind, add some, or archive some."""
    with open_assets(data) as assets:
        found = assets.codes.get(kind)
        if add or archive:
            found = assets.codes.change(
                kind, lambda there: with_changes(there, add or (), archive or (), family), who().actor
            )
    rows = listed(found)
    if as_json:
        print_json([{"code": code, "family": group, "label": label} for code, group, label in rows])
        return
    print_rows(("code", "family", "label"), rows)
