"""The commands that read the list: links by day, ticker, source or text, and one article with its text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from functools import partial
from itertools import islice
from typing import Annotated, Any

import typer

from hansang.apps.news.cli.place import group, open_news
from hansang.apps.news.design import NewsRow
from hansang.apps.news.reading import ArticleFilter
from hansang.apps.news.rules import ZONES, Zone
from hansang.apps.news.service import News
from hansang.apps.news.texts import whole_text
from hansang.design import Unreadable
from hansang.surfaces.cli.exports import exported
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    cell,
    print_json,
    print_rows,
    tell_unreadable,
    with_examples,
)

_DAY: dict[str, Any] = {"formats": ["%Y-%m-%d"], "metavar": "YYYY-MM-DD"}
Since = Annotated[
    datetime | None, typer.Option(**_DAY, help="The first day. [default: the day of --until, or yesterday]")
]
Until = Annotated[datetime | None, typer.Option(**_DAY, help="The last day. [default: today]")]

_command = partial(with_examples, group)


def between_tabs(*values: str) -> str:
    """One line for people and for programs that cut it."""
    return "\t".join(cell(each) for each in values)


@_command(
    """\
  hansang news list
  hansang news list --since 2026-11-01 --zone kst --ticker NVDA
  hansang news list --text tariff --limit 1000 --json > tariff.jsonl""",
    "list",
)
def list_links(
    since: Since = None,
    until: Until = None,
    zone: Annotated[Zone, typer.Option(help="The time zone of the days: UTC, New York or Seoul.")] = "utc",
    ticker: Annotated[str, typer.Option(help="Only links that mention it.")] = "",
    source: Annotated[str, typer.Option(help="Only links of this source.")] = "",
    text: Annotated[str, typer.Option(help="Only links whose title contains this.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="The most to show.")] = 50,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """List links by day, ticker, source or text, the newest first; with --json one JSON document per line."""
    with open_news(data) as news:
        first, last = days_of(news, since, until, zone)
        wanted, unreadable = ArticleFilter(first, last, zone, ticker, source, text), list[Unreadable]()
        found = islice(news.reading.each(wanted, unreadable=unreadable.append), limit)
        lines = (row.model_dump_json() if as_json else _link_line(row, zone) for row in found)
        count = _print_lines(exported(news.database, lines, "news.jsonl") if as_json else lines)
    if not count:
        typer.echo(
            f"No links from {first} to {last} fit. Name other days with --since and --until.", err=True
        )
    tell_unreadable(unreadable, "news", data)


def _print_lines(lines: Iterable[str]) -> int:
    """Print lines as they come, and say how many there were."""
    count = 0
    for line in lines:
        typer.echo(line)
        count += 1
    return count


def _link_line(row: NewsRow, zone: Zone) -> str:
    """A link for people: its address stands in a line of its own on a terminal, so that it can be copied."""
    moment = f"{datetime.fromtimestamp(row.uploaded_at_utc_ms / 1000, ZONES[zone]):%Y-%m-%d %H:%M}"
    if not sys.stdout.isatty():
        return between_tabs(moment, row.title, " ".join(row.tickers), row.url)
    tickers = f"  [{cell(' '.join(row.tickers))}]" if row.tickers else ""
    return f"{moment}  {cell(row.title)}{tickers}\n{'':18}{cell(row.url)}"


def days_of(news: News, since: datetime | None, until: datetime | None, zone: Zone) -> tuple[date, date]:
    """The days that are meant, as the clocks of a zone show them: yesterday and today if none is named."""
    today = datetime.fromtimestamp(news.clock(), ZONES[zone]).date()
    first = since.date() if since else None
    last = until.date() if until else None
    if first is None and last is None:
        return today - timedelta(days=1), today
    return first or last or today, last or max(today, first or today)


@_command("""\
  hansang news article 'id#74f4974f830a32a5'
  hansang news article 'id#74f4974f830a32a5' --text > article.txt""")
def article(
    pk: Annotated[
        str, typer.Argument(metavar="PK", help="The key of the article, such as id#74f4974f830a32a5.")
    ],
    text: Annotated[
        bool, typer.Option("--text", help="Print its text, as it was crawled and cleaned.")
    ] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Print an article as it was first written, or its text."""
    with open_news(data) as news:
        item = news.reading.get(pk)
        if text:
            typer.echo(whole_text(news.texts.get(pk)))
            return
    shown = json.loads(item.model_dump_json())
    if as_json:
        print_json(shown)
    else:
        rows = [(name, " ".join(value) if name == "tickers" else value) for name, value in shown.items()]
        print_rows(("field", "value"), rows, ("field",))
