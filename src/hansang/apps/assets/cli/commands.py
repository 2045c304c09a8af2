"""The commands of the household ledger: enter, read, check."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.checking import Drift
from hansang.apps.assets.cli import codes, entries, files, households, reports
from hansang.apps.assets.cli.place import Month, MonthNamed, choose, open_assets, who
from hansang.apps.assets.design import Balances
from hansang.apps.assets.kinds import kind_of, parts_of
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.reading import DashboardMonth, MonthShown
from hansang.design.requests import shape_of
from hansang.errors import InvalidInput
from hansang.parts.etags import etag
from hansang.surfaces.cli.exit_codes import FAILED
from hansang.surfaces.cli.progress import watching
from hansang.surfaces.cli.support import AsJson, Place, new_group, print_json, print_rows, with_examples

group = new_group("The household ledger: enter months, read them, check them.")
_command = partial(with_examples, group)
group.callback()(choose)
entries.add_to(group)
codes.add_to(group)
files.add_to(group)
reports.add_to(group)
households.add_to(group)

BalancesSeen = Annotated[
    str | None,
    typer.Option(
        "--seen",
        metavar="VERSION",
        help="The version of the balances that was looked at, as --json tells it. "
        "If somebody else has changed them since, nothing is written.",
    ),
]
_TOTALS = {
    "income": "total_income",
    "expense": "total_expense",
    "savings": "total_savings",
    "investment": "total_investment",
    "put by": "total_short_savings",
    "left": "net_asset",
}


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang assets month
  hansang assets month --month 2025.01 --json""")
def month(month: Month = None, data: Place = None, as_json: AsJson = False) -> None:
    """A month: its entries, totals and balances."""
    with open_assets(data) as assets:
        found = assets.reading.month(month or assets.reading.this_month)
    if as_json:
        print_json(_month_shown(found))
        return
    rows = [
        (kind_of(each).name, " ".join(parts_of(each)), each.amount, len(each.entries or ()))
        for each in found.entries
    ]
    print_rows(("kind", "name", "won", "payments"), rows, unbroken=("won",))
    print_rows(("total", "won"), [(name, getattr(found.totals, field)) for name, field in _TOTALS.items()])
    if found.balances is not None:
        print_rows(("balance", "won"), _balance_rows(found.balances))
    if found.is_recalculating:
        typer.echo("The balances are being worked out again.", err=True)


@_command("""\
  hansang assets dashboard
  hansang assets dashboard --month 2025.12""")
def dashboard(month: Month = None, data: Place = None, as_json: AsJson = False) -> None:
    """Twelve months side by side: totals and net worth."""
    with open_assets(data) as assets:
        found = assets.reading.dashboard(month)
    if as_json:
        print_json({"month": found.month, "months": [_dashboard_shown(each) for each in found.months]})
        return
    rows = [
        (
            each.month,
            *(each.totals and getattr(each.totals, field) for field in _TOTALS.values()),
            each.net_worth,
        )
        for each in found.months
    ]
    print_rows(("month", *_TOTALS, "net worth"), rows, unbroken=("month",))


@_command("""\
  hansang assets period 2025.01 2025.12""")
def period(
    first: MonthNamed,
    last: Annotated[str, typer.Argument(metavar="YYYY.MM", help="The last month, included.")],
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Any period: each month, each code, and what they add up to."""
    with open_assets(data) as assets:
        found = assets.reading.period(first, last)
    if as_json:
        print_json(
            {
                "first": first,
                "last": last,
                "totals": found.sums,
                "months": [_month_shown(each) for each in found.months],
            }
        )
        return
    print_rows(
        ("kind", "name", "won"), [(key[0], " ".join(key[1:]), won) for key, won in found.by_code().items()]
    )
    print_rows(("total", "won"), [(name, found.sums[field]) for name, field in _TOTALS.items()])


# ── balances that are given ───────────────────────────────────────────────────────────────────────


@_command("""\
  hansang assets opening
  hansang assets opening --month 2024.12 --cash 1350만 --investment 700만 --short 여행=70만""")
def opening(
    month: Annotated[str | None, typer.Option(metavar="YYYY.MM", help="The month before the first.")] = None,
    cash: Annotated[str, typer.Option(metavar="WON", help="Cash and savings.")] = "0",
    investment: Annotated[str, typer.Option(metavar="WON", help="Paid into investments.")] = "0",
    short: Annotated[
        list[str] | None, typer.Option(metavar="ACCOUNT=WON", help="Put by for a purpose.")
    ] = None,
    seen: BalancesSeen = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Show the opening balances, or set them for a month."""
    with open_assets(data) as assets:
        if month is not None:
            given = OpeningGiven(month, read_amount(cash), read_amount(investment), _amounts(short))
            assets.opening.set(given, who(), seen=seen)
        found = assets.opening.find()
    if found is None:
        typer.echo("There are no opening balances.")
    elif as_json:
        print_json(_balances_shown(found))
    else:
        print_rows(("balance", "won"), _balance_rows(found))


@_command("""\
  hansang assets value 2025.01 주식=910만 코인=30만""")
def value(
    month: MonthNamed,
    worth: Annotated[list[str], typer.Argument(metavar="ACCOUNT=WON…", help="What each account is worth.")],
    seen: BalancesSeen = None,
    data: Place = None,
) -> None:
    """Note what investments are worth at the end of a month."""
    with open_assets(data) as assets:
        assets.opening.value(month, _amounts(worth), who(), seen=seen)
    typer.echo(f"Noted for {month}.")


def _amounts(given: list[str] | None) -> dict[str, int]:
    found = {}
    for each in given or ():
        account, sign, amount = each.partition("=")
        if not sign:
            raise InvalidInput(
                "{given} has no amount. Write ACCOUNT=WON.", code="assets.no-sign", values={"given": each}
            )
        found[account] = read_amount(amount)
    return found


# ── checking ──────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang assets check
  hansang assets check --json""")
def check(data: Place = None, as_json: AsJson = False) -> None:
    """Compare totals and balances with what the entries add up to; exit code 1 if something is wrong."""
    with open_assets(data) as assets, watching() as watch:
        found = assets.checking.check(lambda month: watch(month, 0, 0))
    if as_json:
        print_json({**asdict(found), "is_right": found.is_right})
    else:
        _print_drifts(found.drifts)
        typer.echo(
            f"{found.months:,} months: {'all right' if found.is_right else 'hansang assets rebuild makes it right'}"
        )
    if not found.is_right:
        raise typer.Exit(FAILED)


@_command("""\
  hansang assets rebuild
  hansang assets rebuild --from 2025.03""")
def rebuild(
    since: Annotated[
        str | None, typer.Option("--from", metavar="YYYY.MM", help="The first month. [default: all]")
    ] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Work totals and balances out from the entries again."""
    with open_assets(data) as assets, watching() as watch:
        found = assets.checking.rebuild(since, lambda month: watch(month, 0, 0))
    _tell_corrected(found, as_json)


@_command("""\
  hansang assets close 2025.01""")
def close(month: MonthNamed, data: Place = None, as_json: AsJson = False) -> None:
    """Close a month: its totals and balances from the entries, and what was corrected."""
    with open_assets(data) as assets:
        found = assets.checking.close(month)
    _tell_corrected(found, as_json)


def _tell_corrected(drifts: list[Drift], as_json: bool) -> None:
    if as_json:
        print_json([asdict(each) for each in drifts])
        return
    _print_drifts(drifts)
    typer.echo(f"{len(drifts):,} corrected")


def _print_drifts(drifts: list[Drift]) -> None:
    if drifts:
        rows = [(each.month, each.name, each.stored, each.expected) for each in drifts]
        print_rows(("month", "name", "stored", "expected"), rows, unbroken=("month",))


# ── what they share ───────────────────────────────────────────────────────────────────────────────


def _balance_rows(balances: Any) -> list[tuple[str, object]]:
    return [
        ("cash", balances.cash_accumulated),
        ("investment", balances.investment_accumulated),
        *balances.short_savings_balances.items(),
        ("surplus so far", balances.surplus_accumulated),
        *((f"{account}, worth", worth) for account, worth in (balances.investment_valuation or {}).items()),
    ]


def _balances_shown(balances: Balances) -> dict[str, Any]:
    version = etag(shape_of(balances).encode(balances))
    return {**balances.model_dump(mode="json"), "version": version}


def _month_shown(found: MonthShown) -> dict[str, Any]:
    return {
        "month": found.month,
        "entries": [{"kind": kind_of(each).name, **entries.entry_shown(each)} for each in found.entries],
        "totals": found.totals.model_dump(mode="json"),
        "balances": found.balances and _balances_shown(found.balances),
        "is_recalculating": found.is_recalculating,
        "is_closed": found.is_closed,
    }


def _dashboard_shown(found: DashboardMonth) -> dict[str, Any]:
    return {
        "month": found.month,
        "totals": found.totals and found.totals.model_dump(mode="json"),
        "balances": found.balances and found.balances.model_dump(mode="json"),
        "net_worth": found.net_worth,
    }
