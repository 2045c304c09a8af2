"""The commands on tables: what follows from a design."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from hansang.apps.catalog import application
from hansang.blueprint import bills, reports
from hansang.blueprint.capacity import ANSWERS, Load, lines
from hansang.blueprint.document import document as documented
from hansang.blueprint.findings import Finding, has_errors
from hansang.blueprint.lint import lint as linted
from hansang.blueprint.lint import unloadable, without
from hansang.blueprint.plain import tagged
from hansang.blueprint.prices import prices as priced
from hansang.blueprint.requests import read as requests_of
from hansang.blueprint.rules.requests import review
from hansang.blueprint.template import LambdaFunction, api_function
from hansang.blueprint.template import template as templated
from hansang.blueprint.typescript import typescript as typescripted
from hansang.blueprint.typescript import vectors_file
from hansang.blueprint.words import LANGUAGES
from hansang.blueprint.workbench import workbench as modelled
from hansang.clock import system_clock
from hansang.design.shape import Item
from hansang.errors import DesignError, SettingsError
from hansang.surfaces.cli.deployment import event_sources, given_settings
from hansang.surfaces.cli.designs import load
from hansang.surfaces.cli.help_lines import HelpGroup

app = typer.Typer(
    cls=HelpGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Designs and their tables: review, document, cost, copies.",
)

Designs = Annotated[
    list[str],
    typer.Argument(
        metavar="DESIGN...",
        help="An application (codex), a module (shop.design) or a table (shop.design:Shop).",
    ),
]
Output = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write to a file instead of the standard output.")
]


class Format(StrEnum):
    """The form of a report of findings."""

    text = "text"
    json = "json"
    sarif = "sarif"


class Language(StrEnum):
    """The language of a document."""

    en = "en"
    ko = "ko"


class BillFormat(StrEnum):
    """The form of a bill."""

    text = "text"
    json = "json"


def command(examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command of this group, with examples below its help."""
    return app.command(epilog=f"Examples:\n\n\b\n{examples}")


def write(text: str, output: Path | None) -> None:
    """Say it, or put it into a file."""
    if output is None:
        typer.echo(text)
        return
    try:
        output.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
    except OSError as fault:
        raise SettingsError(f"{output} cannot be written: {fault.strerror}.") from fault


def read(path: Path) -> str:
    """The text of a file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsError(f"{path} cannot be read: {fault}.") from fault


@command("""\
  hansang tables lint codex
  hansang tables lint codex --all
  hansang tables lint shop.design --format sarif --output findings.sarif
  hansang tables lint shop.design:Shop --ignore H204 --ignore H301
  hansang tables lint --requests document.toml""")
def lint(
    designs: Annotated[
        list[str] | None, typer.Argument(metavar="DESIGN", help="The designs to review.")
    ] = None,
    requests: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Review requests as a document writes them, from a TOML file."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="The form of the report.")] = Format.text,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Leave out the findings of a rule.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show what the design accepts too, with its reasons.")
    ] = False,
    output: Output = None,
) -> None:
    """Review a design: find what DynamoDB would refuse, and what will hurt. Exit code 1 if there is an error."""
    if not designs and not requests:
        raise SettingsError("There is nothing to review. Name a design, or a file with --requests.")
    findings = [*_of_designs(designs or []), *_of_requests(requests or [])]
    kept = without(findings, ignore or ())
    write(_reported(kept, form, everything=everything), output)
    if has_errors(kept):
        raise typer.Exit(1)


def _reported(findings: list[Finding], form: Format, *, everything: bool) -> str:
    """A report in its form; those for programs always have what is accepted."""
    if form is Format.text:
        return reports.as_text(findings, everything=everything)
    return reports.as_json(findings) if form is Format.json else reports.as_sarif(findings)


def _of_designs(names: list[str]) -> list[Finding]:
    try:
        return linted(load(names)) if names else []
    except DesignError as fault:
        return [unloadable(" ".join(names), fault)]


def _of_requests(files: list[Path]) -> list[Finding]:
    return review(request for file in files for request in requests_of(read(file)))


@command("""\
  hansang tables document codex --language ko --output codex.md
  hansang tables document shop.design""")
def document(
    designs: Designs,
    language: Annotated[Language, typer.Option(help="The language of headings and labels.")] = Language.en,
    output: Output = None,
) -> None:
    """Write the design document: entities, keys, examples, indexes, patterns with requests and cost."""
    write(documented(load(designs), LANGUAGES[language.value]), output)


@command("""\
  hansang tables template codex --output template.yaml
  hansang tables template codex --function Api --handler app.main.handler --code-uri be-app/
  hansang tables template news codex --api --output template.yaml""")
def template(
    designs: Designs,
    function: Annotated[
        str | None, typer.Option(metavar="NAME", help="Add a Lambda function that may use the tables.")
    ] = None,
    handler: Annotated[str, typer.Option(help="The handler of the function.")] = "app.handler",
    code_uri: Annotated[str, typer.Option(help="Where the code of the function is.")] = ".",
    runtime: Annotated[
        str | None,
        typer.Option(help="The runtime of the function. [default: python3.13, and python3.12 with --api]"),
    ] = None,
    api: Annotated[
        bool,
        typer.Option("--api", help="Add Hansang's own API, the platform's table, and the jobs' schedules."),
    ] = False,
    output: Output = None,
) -> None:
    """Write an AWS SAM template with the tables, their names and switches as parameters."""
    if api and function is not None:
        raise SettingsError("Give --api or --function, not both.")
    if api:
        served = [application(name) for name in designs]
        wanted = api_function(designs, code_uri, runtime, event_sources(served), given_settings(served))
        write(templated(load([*designs, "platform"]), wanted), output)
        return
    asked = None if function is None else LambdaFunction(function, handler, code_uri, runtime or "python3.13")
    write(templated(load(designs), asked), output)


@command("""\
  hansang tables cost codex
  hansang tables cost codex --rate 5 --rate-of Post.latest=50 --answers-of Post.latest=100
  hansang tables cost rankings --read-of SnapshotDay.finished=1.1 --rate-of Snapshot.put=100
  hansang tables cost rankings --items snapshots.jsonl --region ap-northeast-2 --format json""")
def cost(
    designs: Designs,
    rate: Annotated[float, typer.Option(min=0, help="How many times per second each pattern is run.")] = 1.0,
    rate_of: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN=N", help="How many times per second one pattern is run."),
    ] = None,
    answers: Annotated[int, typer.Option(min=1, help="How many results a query returns.")] = ANSWERS,
    answers_of: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN=N", help="How many results one pattern returns.")
    ] = None,
    read_of: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN=N", help="How many items a pattern with a filter reads for each result."
        ),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Measure these items, JSON, one per line, instead of samples."),
    ] = None,
    region: Annotated[str, typer.Option(help="The region of the prices.")] = "us-east-1",
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Other prices, in the same form.")
    ] = None,
    form: Annotated[BillFormat, typer.Option("--format", help="The form of the bill.")] = BillFormat.text,
    output: Output = None,
) -> None:
    """Say what every pattern costs in units and a month's money, and how often one key bears it."""
    expected = Load(rate, answers, numbers(rate_of, float), numbers(answers_of, int), numbers(read_of, float))
    found = lines(load(designs), [] if items is None else items_of(read(items)), expected)
    bill = bills.as_json if form is BillFormat.json else bills.as_table
    write(bill(found, expected, priced(region, None if prices is None else read(prices))), output)


@command("""\
  hansang tables workbench codex --output codex.json
  hansang tables workbench shop.design --name Shop""")
def workbench(
    designs: Designs,
    name: Annotated[str, typer.Option(help="The name of the model.")] = "Hansang",
    output: Output = None,
) -> None:
    """Write a data model that NoSQL Workbench for DynamoDB imports, with an example of every entity."""
    moment = datetime.fromtimestamp(system_clock(), UTC)
    write(modelled(load(designs), name, moment), output)


@command("""\
  hansang tables typescript codex --output keys.ts --vectors keys.vectors.json""")
def typescript(
    designs: Designs,
    vectors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write vectors to test the builders by.")
    ] = None,
    output: Output = None,
) -> None:
    """Write the key builders of a design in TypeScript."""
    design = load(designs)
    write(typescripted(design), output)
    if vectors is not None:
        write(vectors_file(design), vectors)


N = TypeVar("N", int, float)


def numbers(given: list[str] | None, kind: Callable[[str], N]) -> dict[str, N]:
    """The numbers of `PATTERN=N` options."""
    found = {}
    for each in given or ():
        name, _, number = each.partition("=")
        try:
            found[name] = kind(number)
        except ValueError:
            raise SettingsError(f"{each!r} is not of the form PATTERN=N, such as Post.latest=50.") from None
    return found


def items_of(text: str) -> list[Item]:
    """Items of a file: a JSON list, or one object a line."""
    try:
        if text.lstrip().startswith("["):
            return [tagged(each) for each in json.loads(text)]
        return [tagged(json.loads(line)) for line in text.splitlines() if line.strip()]
    except ValueError as fault:
        raise SettingsError(f"The items are no JSON: {fault}.") from fault
