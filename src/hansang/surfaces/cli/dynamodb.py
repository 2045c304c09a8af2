"""The command that serves DynamoDB's protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from hansang.settings import Durability, WireSettings

EXAMPLES = """
Examples:

\b
  hansang dynamodb
  hansang dynamodb --data shop.db --port 8001
  hansang dynamodb --data :memory: --port 0
  HANSANG_SECRET_KEY=… hansang dynamodb --host 0.0.0.0 --access-key shop

Every option can be given in the environment too, as HANSANG_DATA, HANSANG_PORT and so on. A secret is better
there, where the list of processes does not show it.
"""


def dynamodb(
    data: Annotated[
        str | None, typer.Option(metavar="FILE", help="The data file, or :memory:. [default: hansang.db]")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; 0 picks a free one. [default: 8000]")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on. [default: 127.0.0.1]")] = None,
    access_key: Annotated[str | None, typer.Option(help="Serve only requests signed with this key.")] = None,
    secret_key: Annotated[str | None, typer.Option(help="The secret of the access key.")] = None,
    region: Annotated[
        str | None, typer.Option(help="The region in names (ARNs). [default: us-east-1]")
    ] = None,
    durability: Annotated[
        Durability | None,
        typer.Option(
            help="full: a write survives power loss. normal: faster, survives a crash. [default: full]"
        ),
    ] = None,
    creating_seconds: Annotated[
        float | None,
        typer.Option(min=0, help="Keep a new table in CREATING for so long, as AWS does. [default: 0]"),
    ] = None,
    buckets: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Serve its folders as buckets to exports and imports."),
    ] = None,
    throttling: Annotated[
        bool | None, typer.Option("--throttling", help="Refuse what AWS would throttle. [default: no]")
    ] = None,
) -> None:
    """Serve DynamoDB's protocol over a data file. Any DynamoDB client can use it."""
    # The server takes a while to import, and the other commands do without it.
    from hansang.endpoint import dynamodb as open_endpoint

    settings = WireSettings.chosen(
        {
            "data": data,
            "port": port,
            "host": host,
            "access_key": access_key,
            "secret_key": secret_key,
            "region": region,
            "durability": durability,
            "creating_seconds": creating_seconds,
            "buckets": buckets,
            "throttling": throttling,
        }
    )
    with open_endpoint(settings) as endpoint:
        typer.echo(welcome(endpoint.url, settings))
        endpoint.run()


def welcome(url: str, settings: WireSettings) -> str:
    """Where the endpoint is, and how to reach it, ready to copy."""
    access_key = settings.access_key or "local"
    secret_key = "<your secret key>" if settings.has_keys else "local"
    return f"""\
DynamoDB is served at {url}
from {settings.data}, durability {settings.durability}. Ctrl+C stops it.

Python:

    import boto3

    dynamodb = boto3.client(
        "dynamodb",
        endpoint_url="{url}",
        region_name="{settings.region}",
        aws_access_key_id="{access_key}",
        aws_secret_access_key="{secret_key}",
    )
    print(dynamodb.list_tables()["TableNames"])

AWS CLI:

    export AWS_ACCESS_KEY_ID='{access_key}' AWS_SECRET_ACCESS_KEY='{secret_key}'
    aws dynamodb list-tables --endpoint-url {url} --region {settings.region}
"""
