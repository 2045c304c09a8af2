"""The commands of reports: net worth, budgets, pots, a year, people, tags, gifts, search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.cli.place import Month, MonthNamed, open_assets, who
from hansang.apps.assets.plans import BudgetKind
from hansang.apps.assets.reports import Payment
from hansang.apps.assets.years import against_before, months_over, sums_of_kinds
from hansang.surfaces.cli.support import AsJson, Place, print_json, print_rows, with_examples

Year = Annotated[int, typer.Argument(min=1900, max=2999, metavar="YEAR", help="The year, such as 2025.")]
LastMonth = Annotated[str, typer.Argument(metavar="YYYY.MM", help="The last month, included.")]


def add_to(group: typer.Typer) -> None:
    """Make these functions commands of the group."""
    for command, (name, examples) in _EXAMPLES.items():
        with_examples(group, examples, name)(command)


def net_worth(month: Month = None, data: Place = None, as_json: AsJson = False) -> None:
    """Net worth written out: what is put by and owned, less what is owed."""
    with open_assets(data) as assets:
        found = assets.reports.net_worth(month or assets.reading.this_month)
    holdings = [(each.name, each.worth) for each in found.holdings]
    if as_json:
        sums = {"put_by": found.put_by, "owned": found.owned, "owed": found.owed, "total": found.total}
        print_json({"month": found.month, **sums, "holdings": dict(holdings)})
        return
    rows = [("put by", found.put_by), *holdings, ("net worth", found.total)]
    print_rows(("what", "won"), rows)


def budgets(month: Month = None, data: Place = None, as_json: AsJson = False) -> None:
    """Every budget beside what was spent of it; soon is a warning while there is still something left."""
    with open_assets(data) as assets:
        found = assets.reports.budgets(month or assets.reading.this_month)
    if as_json:
        print_json([{**asdict(each), "left": each.left} for each in found])
        return
    rows = [(each.kind, each.code, each.budget, each.spent, each.left, each.state) for each in found]
    print_rows(("kind", "code", "budget", "spent", "left", "state"), rows)


def budget(
    kind: Annotated[BudgetKind, typer.Argument(help="The kind of expense.")],
    code: Annotated[str, typer.Argument(metavar="CODE", help="The type of expense.")],
    amount: Annotated[
        str, typer.Argument(metavar="AMOUNT", help="What it may cost in a month; none for no budget.")
    ],
    data: Place = None,
) -> None:
    """Set what one type of expense may cost in a month."""
    with open_assets(data) as assets:
        wanted = None if amount == "none" else read_amount(amount)
        found = assets.planning.set_budget(kind, code, wanted, who())
    typer.echo(f"{code}: no budget" if found is None else f"{code}: {found.amount:,} won a month")


def pots(month: Month = None, data: Place = None, as_json: AsJson = False) -> None:
    """What is saved for something, with goals and what term deposits pay."""
    with open_assets(data) as assets:
        found = assets.reports.pots(month or assets.reading.this_month, assets.codes.accounts())
    rows = [
        (
            each.account,
            each.balance,
            each.goal and each.goal.amount,
            each.percent,
            each.maturity and each.maturity.due,
            each.maturity and each.maturity.total,
        )
        for each in found
    ]
    heads = ("account", "balance", "goal", "percent", "due", "pays")
    _print(heads, rows, as_json)


def year(
    year: Year,
    against: Annotated[
        int | None, typer.Option(min=1900, max=2999, metavar="YEAR", help="A year to compare with.")
    ] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """A year by code and month, or beside another one in the months that both have had."""
    with open_assets(data) as assets:
        found = assets.reports.year(year)
        over = months_over(year, assets.reading.this_month)
        other = None if against is None else assets.reports.year(against)
    if other is not None:
        rows = [
            (each.kind, each.before, each.now, each.percent) for each in against_before(found, other, over)
        ]
        _print(("kind", str(against), str(year), "percent"), rows, as_json)
        return
    months = [f"{number:02d}" for number in range(1, 13)]
    codes = [(kind, " ".join(names), *amounts) for (kind, *names), amounts in found.rows.items()]
    sums = [(kind, "", *amounts) for kind, amounts in sums_of_kinds(found).items() if any(amounts)]
    _print(("kind", "name", *months), [*codes, *sums, ("left", "", *found.totals["net_asset"])], as_json)


def people(first: MonthNamed, last: LastMonth, data: Place = None, as_json: AsJson = False) -> None:
    """What each person earned and paid in a period."""
    with open_assets(data) as assets:
        found = assets.reports.people(first, last)
    _print(("name", "income", "spent"), [(each.name, each.income, each.spent) for each in found], as_json)


def tags(year: Year, data: Place = None, as_json: AsJson = False) -> None:
    """What was paid in a year by tag, for the year-end tax settlement."""
    with open_assets(data) as assets:
        found = assets.reports.tags(year)
    rows = [(tag, name, won) for tag, shares in found.items() for name, won in shares.items()]
    _print(("tag", "name", "won"), rows, as_json)


def gifts(first: MonthNamed, last: LastMonth, data: Place = None, as_json: AsJson = False) -> None:
    """Gifts and condolences of a period, by whom they were for."""
    with open_assets(data) as assets:
        found = assets.reports.gifts(first, last)
    _print_payments([each for payments in found.values() for each in payments], as_json)


def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What memo, person or tag has.")],
    first: MonthNamed,
    last: LastMonth,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Payments whose memo, person or tag has a text, the newest first."""
    with open_assets(data) as assets:
        found = assets.reports.search(text, first, last)
    _print_payments(found, as_json)


def _print_payments(payments: Iterable[Payment], as_json: bool) -> None:
    rows = [
        (
            each.detail.date.isoformat(),
            each.kind,
            " ".join(each.parts),
            each.detail.amount,
            each.detail.memo,
            each.detail.by,
            each.detail.whom,
            each.detail.tag,
        )
        for each in payments
    ]
    _print(("date", "kind", "name", "won", "memo", "by", "whom", "tag"), rows, as_json)


def _print(heads: tuple[str, ...], rows: list[tuple[Any, ...]], as_json: bool) -> None:
    if as_json:
        print_json([dict(zip(heads, row, strict=True)) for row in rows])
    else:
        print_rows(heads, rows)


_EXAMPLES: dict[Callable[..., None], tuple[str | None, str]] = {
    net_worth: ("net-worth", "  hansang assets net-worth --month 2025.12"),
    budgets: (None, "  hansang assets budgets --month 2025.01"),
    budget: (
        None,
        "  hansang assets budget living-expense 식비 60만\n  hansang assets budget living-expense 식비 none",
    ),
    pots: (None, "  hansang assets pots"),
    year: (None, "  hansang assets year 2025\n  hansang assets year 2025 --against 2024"),
    people: (None, "  hansang assets people 2025.01 2025.12"),
    tags: (None, "  hansang assets tags 2025 --json"),
    gifts: (None, "  hansang assets gifts 2025.01 2025.12"),
    search: (None, "  hansang assets search 커피 2025.01 2025.03"),
}
