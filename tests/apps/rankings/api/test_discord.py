"""The bot on Discord: signatures, commands, completion, answers in time and later, here and on AWS Lambda."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi import FastAPI
from httpx2 import Response
from starlette.exceptions import HTTPException

from hansang.apps.rankings.api.access import rankings_of
from hansang.apps.rankings.api.discord import DiscordRoutes
from hansang.apps.rankings.application import APPLICATION
from hansang.apps.rankings.bot.commands import COMMANDS, COMPARE, NAME, PLAYER, PROFILE, RANKING, SEARCH
from hansang.apps.rankings.bot.interactions import OLDEST_SECONDS, Interaction
from hansang.apps.rankings.settings import RankingsSettings
from hansang.surfaces.api.routes import Routes, http_problem
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell
from tests.apps.rankings.bot.discords import (
    KEY,
    PUBLIC_KEY,
    Discord,
    command,
    discord,
    interaction,
    signed,
    typing,
)
from tests.apps.rankings.imports import import_day, player
from tests.apps.rankings.players import uuid
from tests.clauses import clause
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SETTINGS, SetClock, opened

PATH = "/api/rankings/discord"
CALLBACK = "POST /api/v10/interactions/1190000000000000002/aW50ZXJhY3Rpb246token/callback"
ORIGINAL = "PATCH /api/v10/webhooks/1180000000000000001/aW50ZXJhY3Rpb246token/messages/@original"
NOW = 4_000_000_000.0
Send = Callable[..., Response]


@pytest.fixture(scope="module")
def standing() -> Iterator[tuple[Shell, Discord]]:
    """A shell with a day of players, and a Discord that it answers to."""
    settings = replace(SETTINGS, public_url="https://rankings.example")
    with discord() as there, opened(SetClock(NOW), settings, applications=(APPLICATION,)) as shell:
        rows = [player(number, 100 - number, 1000 * number) for number in range(1, 31)]
        rows[4]["name"] = "*호떡* @everyone"
        rows += [player(31, 5, 5, name="쌍둥이"), player(32, 6, 6, name="쌍둥이")]
        import_day(shell.database, rows)
        chosen = RankingsSettings(discord_key=PUBLIC_KEY, discord_api=there.base)
        yield replace(shell, chosen={"rankings": chosen}), there


@pytest.fixture
def there(standing: tuple[Shell, Discord]) -> Discord:
    found = standing[1]
    found.asked.clear()
    found.finished.clear()
    found.status = 200
    return found


def routes(shell: Shell, patience: float = 60.0) -> tuple[FastAPI, DiscordRoutes]:
    app = FastAPI(exception_handlers={HTTPException: http_problem})
    made = DiscordRoutes(shell, Gate(shell), patience)
    app.router.routes.append(Routes(made.all()))
    return app, made


@pytest.fixture
def send(standing: tuple[Shell, Discord], there: Discord) -> Send:
    """Send what Discord would."""
    app, _ = routes(standing[0])

    def post(document: dict[str, Any], at: float = NOW, key: Ed25519PrivateKey = KEY) -> Response:
        body, headers = signed(document, at, key)
        return Caller(app).send("POST", PATH, content=body, headers=headers)

    return post


def payload(there: Discord) -> dict[str, Any]:
    """The message of the last request to Discord, which has a picture beside it."""
    _, _, kind, body, _ = there.asked[-1]
    assert kind.startswith("multipart/form-data; boundary=")
    boundary = kind.partition("boundary=")[2].encode()
    message, picture = body.split(b"--" + boundary)[1:3]
    assert b'name="files[0]"; filename="ranking.png"' in picture
    assert b"\x89PNG" in picture
    found: dict[str, Any] = json.loads(message.partition(b"\r\n\r\n")[2])
    return found


# ── proof ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_ping_is_answered(send: Send) -> None:
    assert send(interaction(1)).json() == {"type": 1}


def test_what_another_key_has_signed_is_refused(send: Send) -> None:
    assert send(interaction(1), key=Ed25519PrivateKey.generate()).status_code == 401


@pytest.mark.parametrize("away", [-OLDEST_SECONDS - 2, OLDEST_SECONDS + 2])
def test_what_was_signed_long_ago_or_is_to_come_is_refused(send: Send, away: float) -> None:
    assert send(interaction(1), at=NOW + away).status_code == 401


@pytest.mark.parametrize(
    "changed",
    [
        {"X-Signature-Ed25519": ""},
        {"X-Signature-Ed25519": "zz"},
        {"X-Signature-Ed25519": "00" * 64},
        {"X-Signature-Timestamp": ""},
        {"X-Signature-Timestamp": "-1"},
        {"X-Signature-Timestamp": "٣٣٣"},
        {"X-Signature-Timestamp": str(int(NOW) + 1)},
    ],
)
def test_a_signature_of_something_else_is_refused(
    standing: tuple[Shell, Discord], changed: dict[str, str]
) -> None:
    body, headers = signed(interaction(1), NOW)
    told = {name: value.encode() for name, value in (headers | changed).items()}
    assert Caller(routes(standing[0])[0]).send("POST", PATH, content=body, headers=told).status_code == 401
    altered = body.replace(b'"type": 1', b'"type": 2')
    assert (
        Caller(routes(standing[0])[0]).send("POST", PATH, content=altered, headers=headers).status_code == 401
    )


def test_without_a_key_there_is_no_bot(standing: tuple[Shell, Discord]) -> None:
    closed = replace(standing[0], chosen={"rankings": RankingsSettings()})
    body, headers = signed(interaction(1), NOW)
    assert Caller(routes(closed)[0]).send("POST", PATH, content=body, headers=headers).status_code == 404


@pytest.mark.parametrize("document", [{}, {"type": "x"}, interaction(2, {"options": 3}), interaction(9)])
def test_what_has_another_shape_is_refused(send: Send, document: dict[str, Any]) -> None:
    assert send(document).status_code in (404, 422)


# ── commands ──────────────────────────────────────────────────────────────────────────────────────


def test_the_first_of_a_board_come_with_a_picture(send: Send, there: Discord) -> None:
    assert send(command(RANKING)).status_code == 202
    assert there.paths == [CALLBACK]
    found = payload(there)
    embed = found["data"]["embeds"][0]
    assert (found["type"], embed["image"]["url"]) == (4, "attachment://ranking.png")
    assert embed["description"].splitlines()[0] == "**1** 한월30 · 3만"
    assert embed["url"] == "https://rankings.example/rankings?board=power"
    assert "한월30" in found["data"]["attachments"][0]["description"]


def test_a_profile_by_the_uuid_of_a_choice_and_by_a_name(send: Send, there: Discord) -> None:
    for who in (uuid(29), "한월29"):
        send(command(PROFILE, {PLAYER: who}, locale="en-US"))
        embed = payload(there)["data"]["embeds"][0]
        assert (embed["title"], "**#2**" in embed["description"]) == ("한월29", True)
        assert embed["url"].endswith(f"/rankings/players/{uuid(29)}")


def test_a_comparison_has_the_better_rank_first(send: Send, there: Discord) -> None:
    send(command(COMPARE, {f"{PLAYER}1": uuid(3), f"{PLAYER}2": uuid(30), f"{PLAYER}3": uuid(3)}))
    lines = payload(there)["data"]["embeds"][0]["description"].splitlines()
    assert lines == ["**1위** 한월30", "**28위** 한월3"]


def test_a_search_is_for_whoever_asked(send: Send, there: Discord) -> None:
    found = send(command(SEARCH, {NAME: "ㅎㅇ2"})).json()
    assert (found["type"], found["data"]["flags"], there.paths) == (4, 64, [])
    assert "[한월2](https://rankings.example/rankings/players/" in found["data"]["embeds"][0]["description"]


def test_a_name_is_no_markup_and_calls_nobody(send: Send, there: Discord) -> None:
    send(command(PROFILE, {PLAYER: uuid(5)}))
    data = payload(there)["data"]
    assert data["embeds"][0]["title"] == r"\*호떡\* \@everyone"
    assert data["allowed_mentions"] == {"parse": []}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (command("없는명령"), "모르는 명령입니다."),
        (command(PROFILE, {PLAYER: "아무도"}), "아무도 유저를 찾을 수 없습니다."),
        (command(PROFILE, {PLAYER: "nobody"}, "en-GB"), "Player nobody not found."),
        (command(PROFILE, {PLAYER: "쌍둥이"}), "같은 이름이 여럿입니다. 목록에서 고르십시오."),
        (command(SEARCH, {NAME: "없음"}), "찾은 유저가 없습니다."),
        (command(COMPARE), "찾은 유저가 없습니다."),
    ],
)
def test_what_cannot_be_answered_is_told(send: Send, asked: dict[str, Any], told: str) -> None:
    found = send(asked).json()
    assert (found["data"]["embeds"][0]["title"], found["data"]["flags"]) == (told, 64)


@clause("X5-30")
def test_the_bot_neither_names_nor_finds_a_hidden_player(
    standing: tuple[Shell, Discord], there: Discord
) -> None:
    app = rankings_of(standing[0])
    app.privacy.hide(uuid(30))
    try:
        fresh, _ = routes(standing[0])

        def send(document: dict[str, Any]) -> Response:
            body, headers = signed(document, NOW)
            return Caller(fresh).send("POST", PATH, content=body, headers=headers)

        send(command(RANKING))
        assert "한월30" not in json.dumps(payload(there), ensure_ascii=False)
        assert send(command(PROFILE, {PLAYER: uuid(30)})).json()["data"]["flags"] == 64
        assert send(typing(PROFILE, PLAYER, "한월30")).json()["data"]["choices"] == []
    finally:
        app.privacy.show(uuid(30))


def test_names_are_completed_while_they_are_typed(send: Send) -> None:
    found = send(typing(PROFILE, PLAYER, "ㅎㅇ")).json()
    assert (found["type"], len(found["data"]["choices"])) == (8, 25)
    assert found["data"]["choices"][0] == {"name": "한월1 · Lv 99", "value": uuid(1)}
    assert send(typing(PROFILE, PLAYER, "")).json()["data"]["choices"] == []


# ── in time, and later ────────────────────────────────────────────────────────────────────────────


def test_an_answer_that_takes_long_is_deferred_and_comes_later(
    standing: tuple[Shell, Discord], there: Discord
) -> None:
    app, made = routes(standing[0], patience=0.0)
    answer, is_deferred = made._bot.answer, Event()

    def slow(asked: Interaction) -> Any:
        assert is_deferred.wait(30)
        return answer(asked)

    made._bot.answer = slow  # type: ignore[method-assign]
    defer = made._discord.defer

    def deferring(asked: Interaction) -> None:
        defer(asked)
        is_deferred.set()

    made._discord.defer = deferring  # type: ignore[method-assign]
    body, headers = signed(command(PROFILE, {PLAYER: uuid(7)}), NOW)
    assert Caller(app).send("POST", PATH, content=body, headers=headers).status_code == 202
    assert there.finished.wait(30)
    assert there.paths == [CALLBACK, ORIGINAL]
    assert json.loads(there.asked[0][3]) == {"type": 5}
    assert payload(there)["embeds"][0]["title"] == "한월7"


def test_when_discord_takes_no_picture_the_answer_comes_without(send: Send, there: Discord) -> None:
    there.status = 500
    found = send(command(PROFILE, {PLAYER: uuid(7)})).json()
    assert (found["type"], found["data"]["embeds"][0]["title"]) == (4, "한월7")
    assert "image" not in found["data"]["embeds"][0]


def test_names_that_are_not_read_in_time_are_none(standing: tuple[Shell, Discord]) -> None:
    app, made = routes(standing[0], patience=0.0)
    is_answered, choices = Event(), made._bot.choices

    def slow(asked: Interaction) -> Any:
        assert is_answered.wait(30)
        return choices(asked)

    made._bot.choices = slow  # type: ignore[method-assign]
    body, headers = signed(typing(PROFILE, PLAYER, "한월"), NOW)
    try:
        found = Caller(app).send("POST", PATH, content=body, headers=headers)
    finally:
        is_answered.set()
    assert found.json()["data"]["choices"] == []


def test_every_command_that_is_registered_is_answered(send: Send) -> None:
    for each in COMMANDS:
        found = send(command(each["name"]))
        told = found.json()["data"]["embeds"][0]["title"] if found.status_code == 200 else ""
        assert told != "모르는 명령입니다."
