"""The commands on the secrets of the server."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from hansang.apps.platform.cli.administering import open_administration
from hansang.settings import ServerSettings
from hansang.surfaces.cli.support import Place, new_group, place_of, with_examples

group = new_group("The secrets of the server, and the key that opens them.")

_command = partial(with_examples, group)


@_command("""\
  hansang secrets renew
  hansang secrets renew --data shop.db --yes""")
def renew(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: Place = None,
) -> None:
    """Make a new key and new secrets: every session ends. Restart the servers afterwards."""
    from hansang.parts.key_file import renewed_vault  # Encryption takes a while to import.

    if not yes:
        typer.confirm("Everyone will have to sign in again. Make new secrets?", abort=True)
    place, setting = place_of(data), ServerSettings.chosen({}).encryption_key
    with open_administration(data) as administration:
        ended = administration.renew_secrets(renewed_vault(place, setting))
    typer.echo(f"New secrets were made, and {ended:,} sessions ended. Restart the servers on {place}.")
