"""The commands on the bot."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import Annotated

import typer

from hansang.apps.rankings.application import APPLICATION
from hansang.apps.rankings.settings import RankingsSettings
from hansang.errors import SettingsError
from hansang.surfaces.application_settings import settings_of
from hansang.surfaces.cli.support import AsJson, new_group, print_json, with_examples

group = new_group("The bot on Discord.")
_command = partial(with_examples, group)


@_command("""\
  hansang rankings discord register
  hansang rankings discord register --guild 1180000000000000000""")
def register(
    guild: Annotated[
        str, typer.Option(metavar="ID", help="Only on this server of Discord. [default: everywhere]")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Register the slash commands, in place of those that the application had."""
    # Pictures and HTTP, which the other commands do without.
    from hansang.apps.rankings.bot.commands import COMMANDS
    from hansang.apps.rankings.bot.discord_api import DiscordApi

    settings: RankingsSettings = settings_of(APPLICATION)
    if not (settings.discord_application and settings.discord_token):
        raise SettingsError(
            "Set HANSANG_RANKINGS_DISCORD_APPLICATION to the id of the Discord application, and "
            "HANSANG_RANKINGS_DISCORD_TOKEN to the token of its bot."
        )
    with closing(DiscordApi(settings.discord_api, seconds=20)) as discord:
        names = discord.register(settings.discord_application, settings.discord_token, COMMANDS, guild)
    if as_json:
        print_json({"commands": names})
    else:
        typer.echo(f"Registered: {', '.join(f'/{name}' for name in names)}")
