"""The command that runs a PartiQL statement: its plan, its answers, and what it would change before it does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from hansang.blueprint.explorer.cells import cell
from hansang.blueprint.explorer.statements import StatementPlan, parameters_of
from hansang.engine.partiql.parser import parse
from hansang.errors import NotFound
from hansang.parts.history import Actor
from hansang.settings import ServerSettings
from hansang.surfaces.cli.operators import operator
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows
from hansang.surfaces.shell import Shell
from hansang.surfaces.statements import MOST, HandStatements, StatementAnswer, StatementPreview

EXAMPLES = """
Examples:

\b
  hansang partiql 'SELECT * FROM FMWebAppTable WHERE "PK" = ?' --parameters '"CATEGORY#c001"'
  hansang partiql 'SELECT "PK", "title" FROM FMWebAppTable' --limit 10 --json
  hansang partiql 'SELECT * FROM "news_items"' --explain
  hansang partiql "DELETE FROM FMWebAppTable WHERE \\"PK\\" = 'BANNER#b001' AND \\"SK\\" = 'METADATA'" --yes

What writes is shown first and asked for. It leaves its line in the history and can be undone there.
"""


def partiql(
    statement: Annotated[str, typer.Argument(metavar="STATEMENT", help="SELECT, INSERT, UPDATE or DELETE.")],
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JSON", help="The value of a ?, in turn: JSON, or with its type. May be repeated."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="How many answers a page has.")] = 25,
    cursor: Annotated[
        str, typer.Option(metavar="CURSOR", help="Where to go on. [default: the beginning]")
    ] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Show the plan and the cost, and stop.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Run a PartiQL statement, with its plan and cost."""
    with _open(data) as shell:
        statements = _on_table_of(shell, statement)
        plan = statements.plan(statement, parameters_of(parameters or ()))
        if not plan.reads:
            _write(statements, plan, asks=not yes, explains=explain, as_json=as_json)
        elif explain:
            _explain(plan, statements.estimate(plan, limit), as_json=as_json)
        else:
            _tell(plan, statements.answer(plan, limit, cursor), as_json=as_json)


@contextmanager
def _open(place: str | None) -> Iterator[Shell]:
    # The server takes a while to import, and the other commands do without it.
    from hansang.wiring import open_shell

    with open_shell(ServerSettings.chosen({"data": place, "jobs": False})) as shell:
        yield shell


def _on_table_of(shell: Shell, statement: str) -> HandStatements:
    """Statements on the application that the table is of."""
    wanted, known = parse(statement).table, list[str]()
    for application in shell.applications:
        names = [shell.database.name(each) for each in application.tables]
        if wanted in names:
            return HandStatements(shell, application, operator().role(application.name))
        known += names
    raise NotFound(f"Table {wanted} not found. There are {', '.join(known)}.")


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def _tell(plan: StatementPlan, answer: StatementAnswer, *, as_json: bool) -> None:
    items = [each.seen for each in answer.items]
    if as_json:
        rest = {"cursor": answer.cursor, "offset": answer.offset, "read_units": answer.read_units}
        print_json({"plan": _plain(plan), "items": items, **rest})
        return
    names = answer.columns
    if items and names:
        print_rows(
            names, [[cell(each[name]).text if name in each else None for name in names] for each in items]
        )
    count = f"{len(items)} answer{'' if len(items) == 1 else 's'}"
    typer.echo(f"{count} by {_way(plan)}, {answer.read_units:,.1f} read units.")
    if answer.cursor is not None:
        typer.echo(f"There may be more: --cursor {answer.cursor}")


def _explain(plan: StatementPlan, units: float | None, *, as_json: bool) -> None:
    if as_json:
        print_json({"plan": _plain(plan), "estimated_read_units": units})
        return
    _tell_plan(plan)
    told = "unknown" if units is None else f"about {units:,.1f} read units a page, from average sizes"
    typer.echo(f"Cost:          {told}")
    if plan.operation == "Scan":
        typer.echo(
            "Without a condition on the partition key every item is read, and every item read is paid for."
        )


def _way(plan: StatementPlan) -> str:
    return plan.operation if plan.index is None else f"{plan.operation} of {plan.index.name}"


def _tell_plan(plan: StatementPlan) -> None:
    several = f" × {plan.partitions}" if plan.partitions > 1 else ""
    typer.echo(f"Operation:     {plan.operation}{several}")
    typer.echo(f"Table:         {plan.name}")
    typer.echo(f"Index:         {plan.index.name if plan.index is not None else '-'}")
    typer.echo(f"Key condition: {plan.key_condition or '-'}")
    typer.echo(f"Filter:        {plan.filter or '-'}")


def _plain(plan: StatementPlan) -> dict[str, Any]:
    return {
        "operation": plan.operation,
        "table": plan.name,
        "index": None if plan.index is None else plan.index.name,
        "key_condition": plan.key_condition or None,
        "filter": plan.filter or None,
        "partitions": plan.partitions,
    }


# ── writing ───────────────────────────────────────────────────────────────────────────────────────


def _write(
    statements: HandStatements, plan: StatementPlan, *, asks: bool, explains: bool, as_json: bool
) -> None:
    """Show what would change, and do it once that is agreed to."""
    preview = statements.preview(plan)
    if not as_json:
        _tell_change(statements, plan, preview)
    if explains or (as_json and asks):
        if as_json:
            print_json(_change(statements, plan, preview, None))
        if not explains:
            typer.echo("Nothing was written. Give --yes to write it.", err=True)
        return
    preview.expect_open()
    if preview.nothing:
        edit = None
    else:
        if asks:
            typer.confirm(f"{plan.statement.verb} this item?", abort=True)
        edit = statements.run(plan, preview, Actor.of(operator()))
    change = None if edit is None or edit.change is None else edit.change.id
    if as_json:
        print_json(_change(statements, plan, preview, change))
    else:
        typer.echo("Nothing changes." if change is None else f"Done, as change {change}.")


def _tell_change(statements: HandStatements, plan: StatementPlan, preview: StatementPreview) -> None:
    _tell_plan(plan)
    typer.echo(f"Cost:          {preview.write_units:,.1f} write units for the item and its indexes")
    changed = [each for each in statements.differences(plan, preview) if each.kind != "same"]
    if changed:
        print_rows(
            ["attribute", "before", "after"], [(each.name, each.before, each.after) for each in changed]
        )
    if preview.refused is not None or preview.nothing:
        typer.echo(f"Nothing would change: {preview.refused or _WHY[preview.nothing]}")


_WHY = {
    "taken": "an item with this key is there already.",
    "missing": "there is no item with this key.",
    "unmatched": "the item is there, but the condition does not hold.",
    "same": "the item is like this already.",
}


def _change(
    statements: HandStatements, plan: StatementPlan, preview: StatementPreview, change: str | None
) -> dict[str, Any]:
    return {
        "plan": _plain(plan),
        "before": statements.seen(plan, preview.change.before),
        "after": statements.seen(plan, preview.after),
        "write_units": preview.write_units,
        "nothing": preview.nothing or None,
        "refused": None if preview.refused is None else str(preview.refused),
        "change": change,
    }
