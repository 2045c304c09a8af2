"""The bot on AWS Lambda: the same interactions, in the events of API Gateway."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from mangum.types import LambdaContext

from hansang import wiring
from hansang.apps.rankings.bot.commands import PLAYER, PROFILE
from hansang.clock import system_clock
from hansang.settings import ServerSettings
from hansang.surfaces.aws_lambda import Gateway
from tests.apps.rankings.bot.discords import PUBLIC_KEY, command, discord, interaction, signed
from tests.apps.rankings.imports import import_day, player
from tests.apps.rankings.players import uuid
from tests.surfaces.test_aws_lambda import event

CONTEXT = cast(LambdaContext, object())


def sent(document: dict[str, Any], at: float) -> dict[str, Any]:
    body, headers = signed(document, at)
    found = event("POST", "/api/rankings/discord")
    found["headers"] |= {name.lower(): value for name, value in headers.items()}
    return found | {"body": body.decode()}


def test_interactions_are_answered_on_lambda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ServerSettings(data=str(tmp_path / "a.db"), jobs=False, apps=("rankings",))
    with discord() as there:
        monkeypatch.setenv("HANSANG_RANKINGS_DISCORD_KEY", PUBLIC_KEY)
        monkeypatch.setenv("HANSANG_RANKINGS_DISCORD_API", there.base)
        with wiring.open_shell(settings) as shell:
            import_day(shell.database, [player(1), player(2)])
        now = system_clock()
        with closing(Gateway(settings)) as gateway:
            ping = gateway(sent(interaction(1), now), CONTEXT)
            old = gateway(sent(interaction(1), now - 3600), CONTEXT)
            done = gateway(sent(command(PROFILE, {PLAYER: uuid(1)}), now), CONTEXT)
        assert (ping["statusCode"], ping["body"]) == (200, '{"type":1}')
        assert (old["statusCode"], done["statusCode"]) == (401, 202)
        # On a machine that is slow enough the answer was put off, and has come all the same.
        assert there.paths[-1].endswith(("/callback", "/messages/@original"))
        assert b"\x89PNG" in there.asked[-1][3]
