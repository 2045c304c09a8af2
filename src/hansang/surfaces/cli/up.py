"""The command that runs the server: its console and its API."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from hansang.settings import Durability, ServerSettings, renamed_tables

EXAMPLES = """
Examples:

\b
  hansang up
  hansang up --demo
  hansang up --data shop.db --port 8000 --workers 2
  hansang up --public-url https://hansang.example --trusted-proxy 127.0.0.1
  hansang up --data aws:ap-northeast-2 --no-jobs
  hansang up --backup-to /mnt/backups --backup-at "daily 03:00 UTC"

Where nobody may sign in yet, a person called owner is made, and a link is printed that signs in once. Later links are
made with hansang people link. Every option can be given in the environment too, as HANSANG_DATA, HANSANG_PORT and so on.
"""


class Log(StrEnum):
    """The form of the lines of the log."""

    json = "json"
    text = "text"


Data = Annotated[
    str | None,
    typer.Option(
        metavar="PLACE",
        help="A data file, aws:REGION, or http://HOST:PORT?region=REGION. [default: hansang.db]",
    ),
]
Port = Annotated[
    int | None, typer.Option(min=0, max=65535, help="The port; 0 picks a free one. [default: 8750]")
]
Host = Annotated[str | None, typer.Option(help="The address to listen on. [default: 127.0.0.1]")]
Workers = Annotated[
    int | None, typer.Option(min=1, max=64, help="The number of worker processes. [default: 1]")
]
Demo = Annotated[bool, typer.Option("--demo", help="Load sample data into empty applications first.")]
PublicUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="The public address of the server, if not the one it listens on."),
]
TrustedProxy = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NETWORK",
        help="Believe X-Forwarded-For of this proxy, an address or a network. May be repeated. [default: nobody]",
    ),
]
AllowedHost = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Answer requests for this host name too. May be repeated."),
]
Jobs = Annotated[
    bool | None, typer.Option("--jobs/--no-jobs", help="Whether it runs the background jobs. [default: jobs]")
]
Rate = Annotated[
    int | None, typer.Option(min=1, help="Requests a minute for one key, person or address. [default: 600]")
]
PublicRate = Annotated[
    int | None,
    typer.Option(min=1, help="Requests a minute for one address to what is public. [default: 120]"),
]
LargestBody = Annotated[
    int | None, typer.Option(min=1, metavar="BYTES", help="The largest request. [default: 8388608]")
]
TimeLimit = Annotated[
    int | None, typer.Option(min=1, metavar="SECONDS", help="The time to answer a GET in. [default: 30]")
]
Grace = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="SECONDS", help="The time for received requests when it stops. [default: 20]"
    ),
]
LogForm = Annotated[Log | None, typer.Option("--log", help="The form of the log. [default: json]")]
Apps = Annotated[
    list[str] | None,
    typer.Option("--app", metavar="APP", help="Serve only this application. May be repeated. [default: all]"),
]
Region = Annotated[
    str | None, typer.Option(help="The region in names (ARNs) of a data file. [default: us-east-1]")
]
Durable = Annotated[
    Durability | None,
    typer.Option(
        "--durability",
        help="full: a write survives power loss. normal: faster, survives a crash. [default: full]",
    ),
]
Throttling = Annotated[
    bool | None, typer.Option("--throttling", help="Refuse what AWS would throttle. [default: no]")
]
TableSuffix = Annotated[str | None, typer.Option(help="A suffix for the name of every table, such as -dev.")]
TableName = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TABLE=NAME", help="Give a table another name than its design does. May be repeated."
    ),
]
BackupTo = Annotated[
    str | None,
    typer.Option(metavar="PLACE", help="Back up the data file by itself to a folder or s3://BUCKET/PREFIX."),
]
BackupAt = Annotated[
    str | None,
    typer.Option(metavar="SCHEDULE", help="When, such as weekly SUN 03:00 UTC. [default: daily 03:00]"),
]
BackupKeep = Annotated[
    str | None,
    typer.Option(
        metavar="COUNTS", help="How many backups are kept. [default: 7 daily, 4 weekly, 12 monthly]"
    ),
]


def up(
    data: Data = None,
    port: Port = None,
    host: Host = None,
    workers: Workers = None,
    demo: Demo = False,
    public_url: PublicUrl = None,
    trusted_proxy: TrustedProxy = None,
    allowed_host: AllowedHost = None,
    jobs: Jobs = None,
    rate: Rate = None,
    public_rate: PublicRate = None,
    largest_body: LargestBody = None,
    time_limit: TimeLimit = None,
    grace: Grace = None,
    log: LogForm = None,
    app: Apps = None,
    region: Region = None,
    durability: Durable = None,
    throttling: Throttling = None,
    table_suffix: TableSuffix = None,
    table_name: TableName = None,
    backup_to: BackupTo = None,
    backup_at: BackupAt = None,
    backup_keep: BackupKeep = None,
) -> None:
    """Run the server with its console and its API."""
    # The server takes a while to import, and the other commands do without it.
    from hansang import wiring

    given = {
        "data": data,
        "port": port,
        "host": host,
        "workers": workers,
        "public_url": public_url,
        "trusted_proxies": tuple(trusted_proxy) if trusted_proxy else None,
        "allowed_hosts": tuple(allowed_host) if allowed_host else None,
        "jobs": jobs,
        "rate": rate,
        "public_rate": public_rate,
        "largest_body": largest_body,
        "time_limit": time_limit,
        "grace": grace,
        "log": None if log is None else log.value,
        "apps": tuple(app) if app else None,
        "region": region,
        "durability": durability,
        "throttling": throttling,
        "table_suffix": table_suffix,
        "table_names": renamed_tables(",".join(table_name)) if table_name else None,
        "backup_to": backup_to,
        "backup_at": backup_at,
        "backup_keep": backup_keep,
    }
    wiring.serve(ServerSettings.chosen(given), demo=demo, announce=typer.echo)
