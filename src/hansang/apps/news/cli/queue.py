"""The commands of the crawl's queue: what waits, taking it, and what became of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from hansang.apps.news.cli.place import open_news
from hansang.design import Unreadable
from hansang.surfaces.cli.support import (
    AsJson,
    Place,
    new_group,
    print_json,
    print_rows,
    tell_unreadable,
    with_examples,
)

group = new_group("Articles that wait to be crawled.")

Pk = Annotated[str, typer.Argument(metavar="PK", help="The key of the article, such as id#74f4974f830a32a5.")]
Claim = Annotated[str, typer.Option(help="What `take` printed as claim.")]


_command = partial(with_examples, group)


@_command(
    """\
  hansang news queue list
  hansang news queue list --limit 200 --json""",
    "list",
)
def waiting(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The most to show.")] = 20,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """List the articles that can be claimed now, the oldest first."""
    unreadable: list[Unreadable] = []
    with open_news(data) as news:
        found = news.queue.waiting(limit, unreadable=unreadable.append)
    if as_json:
        print_json([{**asdict(each), "dt_utc": f"{each.dt_utc}"} for each in found])
    else:
        rows = [(each.pk, each.dt_utc, each.attempts, each.title) for each in found]
        print_rows(("pk", "day", "tries", "title"), rows, ("pk", "day"))
    tell_unreadable(unreadable, "news", data)


@_command("""\
  hansang news queue counts --json""")
def counts(data: Place = None, as_json: AsJson = False) -> None:
    """Count the articles by their state."""
    with open_news(data) as news:
        found = asdict(news.queue.counts())
    if as_json:
        print_json(found)
    else:
        print_rows(("state", "articles"), list(found.items()))


@_command("""\
  hansang news queue take worker-1 --limit 10 --json""")
def take(
    worker: Annotated[str, typer.Argument(help="The crawler that claims them.")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="The most to show.")] = 1,
    lease: Annotated[int, typer.Option(min=1, max=86_400, help="Seconds until the lease expires.")] = 300,
    data: Place = None,
    as_json: AsJson = False,
) -> None:
    """Claim the oldest articles for a while."""
    with open_news(data) as news:
        found = news.queue.take(worker, limit, lease)
    if as_json:
        print_json([json.loads(each.model_dump_json()) for each in found])
    else:
        rows = [(each.item_pk, each.claim, each.url) for each in found]
        print_rows(("pk", "claim", "url"), rows, ("pk", "claim"))


@_command("""\
  hansang news queue done 'id#74f4974f830a32a5' --claim 8f14e45fceea167a --body article.html""")
def done(
    pk: Pk,
    claim: Claim,
    body: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The text of the article.")
    ] = None,
    content_type: Annotated[str, typer.Option(help="What the text is.")] = "text/html",
    data: Place = None,
) -> None:
    """Mark an article as crawled, with its text."""
    with open_news(data) as news:
        work = news.queue.done(pk, claim, body.read_bytes() if body else None, content_type)
    typer.echo(f"{work.item_pk}: {work.state}")


@_command("""\
  hansang news queue fail 'id#74f4974f830a32a5' --claim 8f14e45fceea167a --error 'answered 404'""")
def fail(
    pk: Pk, claim: Claim, error: Annotated[str, typer.Option(help="What went wrong.")], data: Place = None
) -> None:
    """Mark a crawl as failed; the article is retried later."""
    with open_news(data) as news:
        work = news.queue.fail(pk, claim, error)
    typer.echo(f"{work.item_pk}: {work.state}")


@_command("""\
  hansang news queue retry 'id#74f4974f830a32a5'
  hansang news queue retry --all failed""")
def retry(
    pk: Annotated[str, typer.Argument(metavar="[PK]", help="The key of the article.")] = "",
    every: Annotated[
        Literal["failed", "dead"] | None, typer.Option("--all", help="Retry all articles in this state.")
    ] = None,
    data: Place = None,
) -> None:
    """Make a failed or given-up article available at once, or all of them."""
    with open_news(data) as news:
        if every is not None:
            typer.echo(f"{news.queue.retry_all(every):,} articles wait again")
            return
        work = news.queue.retry(pk)
    typer.echo(f"{work.item_pk}: waits again")


@_command("""\
  hansang news queue release 'id#74f4974f830a32a5'""")
def release(pk: Pk, data: Place = None) -> None:
    """Take a claimed article back from its crawler, which is refused from now on."""
    with open_news(data) as news:
        work = news.queue.release(pk)
    typer.echo(f"{work.item_pk}: waits again")
