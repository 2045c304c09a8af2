"""The commands of the news list: load, fetch, read, and what came of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from io import SEEK_END
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from hansang.apps.news.application import APPLICATION
from hansang.apps.news.cli import queue as news_queue
from hansang.apps.news.cli.place import group, open_news
from hansang.apps.news.cli.reading import Since, Until, between_tabs, days_of
from hansang.apps.news.decoding import ListText
from hansang.apps.news.design import YAHOO_LATEST, Outcome, Run
from hansang.apps.news.fetching import fetch as fetch_page
from hansang.apps.news.inputs import Form, form_of, read_links
from hansang.apps.news.loading import OUTCOMES
from hansang.apps.news.pages import Adapter, Listing
from hansang.apps.news.rehearsing import DryRun
from hansang.apps.news.settings import NewsSettings
from hansang.design import Unreadable
from hansang.engine.inspection import Watch
from hansang.errors import InvalidInput
from hansang.parts.sandbox import Sandbox
from hansang.surfaces.application_settings import settings_of
from hansang.surfaces.cli.exit_codes import FAILED
from hansang.surfaces.cli.exports import exported
from hansang.surfaces.cli.progress import watching
from hansang.surfaces.cli.stopping import stopping
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    cell,
    print_json,
    print_rows,
    tell_unreadable,
    with_examples,
)

group.add_typer(news_queue.group, name="queue")

Source = Annotated[str, typer.Option(metavar="NAME", help="Where the list comes from.")]
_command = partial(with_examples, group)


# ── loading ───────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang news load latest.json
  hansang news load archive.csv --source archive
  curl -s https://news.example/list.jsonl | hansang news load - --source example
  hansang news load archive.csv --dry-run
  hansang news load archive.jsonl --run 20261115T093000Z-1a2b3c""")
def load(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON, JSON Lines or CSV; - is the standard input.")
    ],
    source: Source = YAHOO_LATEST,
    form: Annotated[
        Form | None,
        typer.Option(help="The format of the file. [default: detected by its name or its first character]"),
    ] = None,
    run: Annotated[
        str | None, typer.Option(metavar="ID", help="Continue a stopped run, with the same file.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would become of each line, and write nothing.")
    ] = False,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Store every link that is not there yet; what is there stays as it was first written.

    Ctrl+C stops after the part that is being written, and the run can go on later with --run.
    """
    if dry_run:
        with _opened(file) as opened, open_news(data) as news:
            found = news.rehearse(read_links(opened, form or form_of(file)), None)
        print_dry_run(found, as_json=as_json)
        return
    with _opened(file) as opened, open_news(data) as news, stopping() as stop, watching() as watch:
        done = news.loader.load(
            read_links(opened, form or form_of(file)),
            source=source,
            name="-" if file == "-" else Path(file).name,
            run=run,
            progress=_judging(watch, opened),
            stop=stop,
        )
    print_run(done, as_json=as_json)


@_command("""\
  hansang news stop 20261115T093000Z-1a2b3c""")
def stop(
    run: Annotated[str, typer.Argument(metavar="ID", help="The run, see hansang news runs.")],
    data: Place = None,
) -> None:
    """Have a run end before its next part, in whichever process it goes on. It can be continued with --run."""
    with open_news(data) as news:
        marked = news.loader.stop(run)
    typer.echo(f"run {marked.id} stops before its next part.")


@contextmanager
def _opened(file: str) -> Iterator[ListText]:
    """A list as text."""
    with ExitStack() as stack:
        try:
            opened = sys.stdin.buffer if file == "-" else stack.enter_context(Path(file).open("rb"))
        except OSError as reason:
            raise InvalidInput(
                "{file} cannot be read: {reason}.",
                code="news.unreadable-file",
                values={"file": file, "reason": reason.strerror},
            ) from None
        yield ListText(opened)


def _judging(watch: Watch, text: ListText) -> Callable[[int], None]:
    """Shows how many links there were, and how many there may be, judged by how much of the file was read."""
    done, file = 0, text.buffer
    size = _size(file)

    def tell(count: int) -> None:
        nonlocal done
        done += count
        watch("links", done, done * size // max(1, file.tell()) if size else 0)

    return tell


def _size(file: BinaryIO) -> int:
    """How many bytes a file has; 0 for what has no end yet, such as a pipe."""
    if not file.seekable():
        return 0
    here, size = file.tell(), file.seek(0, SEEK_END)
    file.seek(here)
    return size


def print_run(run: Run, *, as_json: bool) -> None:
    """The report of a run; the exit code is 1 when links failed, and only then (X3-23)."""
    if as_json:
        print_json(shown_run(run))
    else:
        print_rows(("outcome", "links"), [(name, getattr(run, name)) for name in (*OUTCOMES, "total")])
        typer.echo(f"run {run.id}: {run.run_state}")
    _shout(run.alarms)
    if run.collision:
        typer.echo(
            f"COLLISION: {run.collision} links were kept aside. See: hansang news collisions", err=True
        )
    if run.run_state == "stopped":
        typer.echo(f"The run was stopped. Go on with: --run {run.id}", err=True)
    if run.failed or run.run_state == "stopped":
        raise typer.Exit(FAILED)


def print_dry_run(found: DryRun, *, as_json: bool) -> None:
    """What a load would come to, and the first lines that could not be stored."""
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    outcomes = [(name, getattr(found, name)) for name in OUTCOMES if name != "failed"]
    print_rows(("would be", "links"), [*outcomes, ("total", found.lines)])
    for line in found.problems:
        typer.echo(f"line {line.line}: {cell(line.why)}", err=True)
    typer.echo("Nothing was written.")


def _shout(alarms: Sequence[str], where: str = "") -> None:
    for alarm in alarms:
        typer.echo(f"ALARM{where}: {cell(alarm)}", err=True)


def shown_run(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.model_dump_json())
    return found


@_command("""\
  hansang news fetch https://finance.example/latest > latest.jsonl
  hansang news fetch saved.html --address https://finance.example/latest --load
  hansang news fetch https://finance.example/feed.xml --adapter rss --load --source example""")
def fetch(
    place: Annotated[str, typer.Argument(metavar="PLACE", help="A URL, or a saved page or feed.")],
    adapter: Annotated[
        Adapter | None,
        typer.Option(help="The format of the page. [default: detected by its first characters]"),
    ] = None,
    address: Annotated[
        str, typer.Option(metavar="URL", help="The address of a saved page; completes its relative links.")
    ] = "",
    load: Annotated[bool, typer.Option("--load", help="Load the links instead of printing them.")] = False,
    source: Source = YAHOO_LATEST,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Read a list page, RSS or Atom into links; exit code 1 when the page is not as it used to be."""
    settings: NewsSettings = settings_of(APPLICATION)
    with Sandbox(most=1) as sandbox:
        listing = fetch_page(place, sandbox, adapter, address, settings.fetch_private)
    if load:
        with open_news(data) as news:
            run = news.loader.load(listing.links, source=source, name=place, alarms=listing.alarms)
        print_run(run, as_json=as_json)
    else:
        _print_links(listing)
    if listing.alarms:
        raise typer.Exit(FAILED)


def _print_links(listing: Listing) -> None:
    for link in listing.links:
        typer.echo(json.dumps(link, ensure_ascii=False))
    _shout([each.text for each in listing.alarms])


# ── runs ──────────────────────────────────────────────────────────────────────────────────────────


@_command("""\
  hansang news runs
  hansang news runs --month 2026-10 --json""")
def runs(
    month: Annotated[str | None, typer.Option(metavar="YYYY-MM", help="[default: this month]")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="The most to show.")] = 50,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """List the runs of a month, the newest first."""
    with open_news(data) as news:
        found = news.reading.runs(month or f"{news.today:%Y-%m}", limit)
    if as_json:
        print_json([shown_run(run) for run in found])
    else:
        columns = ("run", "state", "inserted", "duplicate", "troubled", "source")
        print_rows(columns, [_run_row(run) for run in found], columns[:-1])
        for run in found:
            _shout(run.alarms, f" of {run.id}")
    tell_unreadable(found.unreadable, "news", data)


def _run_row(run: Run) -> tuple[str, str, int, int, int, str]:
    repeated, troubled = run.duplicate + run.duplicate_in_batch, run.collision + run.invalid + run.failed
    return run.id, run.run_state, run.inserted, repeated, troubled, run.source


@_command("""\
  hansang news report 20261115T093000Z-1a2b3c
  hansang news report 20261115T093000Z-1a2b3c --outcome failed --json""")
def report(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of the run.")],
    outcome: Annotated[Outcome | None, typer.Option(help="Only lines with this outcome.")] = None,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Print the outcome of each line of a run; with --json one JSON document per line."""
    unreadable: list[Unreadable] = []
    with open_news(data) as news:
        news.reading.run(run)
        lines = news.lines.each(run, outcome, unreadable=unreadable.append)
        for line in exported(news.database, lines, f"{run}.jsonl") if as_json else lines:
            plain = between_tabs(f"{line.line}", line.outcome, line.pk, line.why)
            typer.echo(line.model_dump_json() if as_json else plain)
    tell_unreadable(unreadable, "news", data)


@_command("""\
  hansang news collisions
  hansang news collisions --json""")
def collisions(data: Place = None, as_json: AsJson = False) -> None:
    """List the links that were set aside because another link has the same key."""
    with open_news(data) as news:
        found = news.reading.collisions(1000)
    if as_json:
        print_json([json.loads(each.model_dump_json()) for each in found])
    else:
        rows = [(each.item_pk, each.url, each.kept_url) for each in found]
        print_rows(("key", "kept aside", "in the list"), rows, ("key",))
    tell_unreadable(found.unreadable, "news", data)


@_command("""\
  hansang news mend
  hansang news mend --since 2026-11-01 --until 2026-11-15""")
def mend(since: Since = None, until: Until = None, data: Place = None) -> None:
    """Recount the links of days and their tickers, after a run that died and was not resumed."""
    with open_news(data) as news:
        first, last = days_of(news, since, until, "utc")
        for day, count in news.recount(first, last):
            typer.echo(f"{day}: {count:,} links")


__all__ = ["days_of", "group"]
