"""The leaderboards through the API: scores, boards, friends, and who may."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fastapi import FastAPI
from starlette.exceptions import HTTPException

from hansang.apps.leaderboards.api import ROUTES
from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.work import BoardWeek
from hansang.apps.table_names import copied
from hansang.surfaces.api.routes import Routes, http_problem
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell
from tests.clauses import clause
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SetClock, new_key, opened

PATH = "/api/leaderboards"
GIVEN = [(1, "John", 32847), (2, "Maria", 42710), (3, "Andrew", 19202)]


@pytest.fixture
def shell(clock: SetClock) -> Iterator[Shell]:
    with opened(clock, applications=(APPLICATION,)) as shell:
        yield shell


def routes(shell: Shell) -> FastAPI:
    """The routes of this application alone, which are made quickly."""
    app, gate = FastAPI(exception_handlers={HTTPException: http_problem}), Gate(shell)
    app.router.routes.append(Routes(route for each in ROUTES for route in each(shell, gate).all()))
    return app


def chosen(shell: Shell, **settings: object) -> Shell:
    return replace(shell, chosen={"leaderboards": LeaderboardsSettings(**settings)})  # type: ignore[arg-type]


@pytest.fixture
def game(shell: Shell) -> Caller:
    """A game server, whose three players have played."""
    caller = Caller(routes(shell), new_key(shell, "leaderboards:write", "leaderboards:admin"))
    for player, name, score in GIVEN:
        answer = caller.post(f"{PATH}/scores", {"id": player, "name": name, "score": score})
        assert answer.status_code == 200
    return caller


@clause("2-02", "X2-17")
def test_a_submit_answers_the_best_the_rank_and_the_next(game: Caller) -> None:
    found = game.post(f"{PATH}/scores", {"id": 3, "name": "Andrew", "score": 20000}).json()
    assert found.pop("week").count("-") == 4
    assert found == {
        "best": 20000,
        "improved": True,
        "rank": 3,
        "of": 3,
        "percentile": pytest.approx(33.33, abs=0.01),
        "next": {"id": 1, "name": "John", "score": 32847, "gap": 12847},
    }


def test_a_submit_under_one_key_is_done_once(game: Caller) -> None:
    sent = {"json": {"id": 3, "name": "Andrew", "score": 50000}, "headers": {"Idempotency-Key": "a"}}
    first, again = (game.post(f"{PATH}/scores", **sent) for _ in range(2))
    assert (first.json(), first.json()["improved"]) == (again.json(), True)
    assert again.headers["idempotency-replayed"] == "true"


def test_a_batch_takes_what_it_can(game: Caller) -> None:
    plays = [
        {"id": 4, "name": "D", "score": 7},
        {"id": 5, "name": "E", "score": 10**6},
        {"id": 6, "name": "F", "score": -5},
        {"id": 7, "name": "", "score": 5},
        {"id": 8, "name": "H" * 1000, "score": 5},
    ]
    first, *others = game.post(f"{PATH}/scores/batch", {"plays": plays}).json()["items"]
    assert (first["result"]["rank"], first["refused"]) == (4, None)
    codes = ["score-too-high", "score-too-low", "name", "name"]
    assert [each["refused"]["code"] for each in others] == [f"leaderboards.{code}" for code in codes]
    assert others[1]["refused"]["why"] == "-5 is below zero. Write a score from 0 to 99,999."


@clause("X2-22")
def test_a_batch_goes_on_when_its_week_is_closed_meanwhile(
    game: Caller, shell: Shell, clock: SetClock
) -> None:
    weeks = Leaderboards(shell.database, clock).weeks
    clock.now = weeks.ends_at(weeks.current).timestamp() - 10
    at = datetime.fromtimestamp(clock.now, UTC)
    shell.database.create(
        BoardWeek(start=weeks.current.start, state="closing", closed_at=at, closed_by="", tiers=[], podium=[])
    )
    plays = [{"id": each, "name": "D", "score": score} for each, score in ((2, 99999), (3, -1), (1, 5))]
    better, low, worse = game.post(f"{PATH}/scores/batch", {"plays": plays}).json()["items"]
    codes = [each["refused"]["code"] for each in (better, low)]
    assert codes == ["leaderboards.week-final", "leaderboards.score-too-low"]
    assert (worse["result"]["best"], worse["refused"]) == (32847, None)


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("scores", {"id": 1, "name": "D", "score": 5, "played_at": "2026-01-01T00:00:00"}),
        ("players/1/hide", {"reason": "test", "until": "2027-01-01T00:00:00"}),
    ],
)
def test_a_time_needs_its_zone(game: Caller, path: str, given: dict[str, object]) -> None:
    answer = game.post(f"{PATH}/{path}", given)
    assert (answer.status_code, "time zone" in answer.text) == (422, True)


@clause("2-09", "X2-23")
def test_boards_have_the_fixed_names(game: Caller) -> None:
    board = game.get(f"{PATH}/weeks/current/board?page=0&size=2").json()
    assert board["total"] == 3
    assert board["items"] == [
        {"rank": 1, "id": 2, "name": "Maria", "score": 42710},
        {"rank": 2, "id": 1, "name": "John", "score": 32847},
    ]
    start = board["week"].partition(",")[0]
    assert game.get(f"{PATH}/weeks/{start}/board?page=1&size=2").json()["items"][0]["id"] == 3
    around = game.get(f"{PATH}/weeks/current/around/1?k=1").json()
    assert [row["id"] for row in around["items"]] == [2, 1, 3]
    assert game.get(f"{PATH}/players/1/rank?week=current").json()["rank"] == 2
    assert game.get(f"{PATH}/players/1/best").json()["best"]["score"] == 32847
    assert game.get(f"{PATH}/players/1/scores").json()["items"][0]["score"] == 32847
    assert sum(bar["players"] for bar in game.get(f"{PATH}/weeks/current/histogram").json()["items"]) == 3
    assert game.get(f"{PATH}/weeks/2014-05-10/board").status_code == 422


@clause("X2-24")
def test_whoever_has_not_played_has_rank_null(game: Caller) -> None:
    found = game.get(f"{PATH}/players/77/rank").json()
    assert (found["rank"], found["of"]) == (None, 3)


@clause("X2-25")
def test_operators_read_ids_above_two_to_the_53_as_strings_too(
    game: Caller, shell: Shell, clock: SetClock
) -> None:
    large = str(2**53 + 1)
    for score in (1, 99999, -1):
        game.post(f"{PATH}/scores", {"id": large, "name": "Big", "score": score})
    suspect = game.get(f"{PATH}/suspects").json()["items"][0]
    judged = game.post(f"{PATH}/players/{large}/judge", {"state": "open"}).json()["records"][0]
    refused = game.get(f"{PATH}/refused").json()["items"][0]
    week = Leaderboards(shell.database, clock).weeks.current.start
    clock.advance(7 * 86_400)
    final = game.post(f"{PATH}/weeks/{week}/close", {"tiers": [{"name": "gold", "rank": 1}]}).json()
    reward = game.get(f"{PATH}/weeks/{week}/rewards").json()["items"][0]
    lines = game.get(f"{PATH}/weeks/{week}/rewards?format=jsonl").text
    game.post(f"{PATH}/players/{large}/hide", {"reason": "test"})
    hidden = game.get(f"{PATH}/hidden").json()["items"][0]
    ids = [
        suspect["id"],
        judged["id"],
        refused["player"],
        final["podium"][0]["id"],
        reward["id"],
        hidden["id"],
    ]
    assert (ids, json.loads(lines)["id"]) == ([large] * 6, large)
    assert game.get("/api/leaderboards/hidden?format=csv").text.count(large) == 1


@clause("X2-25")
def test_ids_above_two_to_the_53_are_strings_on_the_wire(game: Caller) -> None:
    large = str(2**53 + 1)
    assert game.post(f"{PATH}/scores", {"id": large, "name": "Big", "score": 99999}).status_code == 200
    rows = game.get(f"{PATH}/weeks/current/board").json()["items"]
    assert [row["id"] for row in rows] == [large, 2, 1, 3]
    assert game.get(f"{PATH}/players/{large}/rank").json()["id"] == large
    assert game.post(f"{PATH}/scores", {"id": "1e3", "name": "Big", "score": 1}).status_code == 422


@clause("X2-13", "X2-14", "2-13")
def test_friends_are_made_and_parted(game: Caller, shell: Shell) -> None:
    made = game.put(f"{PATH}/players/1/friends/2")
    assert made.json() == {"id": 1, "other": 2, "friends": True}
    assert [row["id"] for row in game.get(f"{PATH}/players/1/friends").json()["items"]] == [2, 1]
    game.delete(f"{PATH}/players/2/friends/1")
    assert [row["id"] for row in game.get(f"{PATH}/players/1/friends").json()["items"]] == [1]
    assert {each.verb for each in shell.history.page("leaderboards")} == {"unfriend", "befriend"}
    assert game.put(f"{PATH}/players/1/friends/1").status_code == 422
    assert game.put(f"{PATH}/players/1/friends/404").status_code == 404


@clause("X2-19")
def test_many_players_are_hidden_and_restored_or_nobody(game: Caller, shell: Shell) -> None:
    def board() -> list[int]:
        return [row["id"] for row in game.get(f"{PATH}/weeks/current/board").json()["items"]]

    many = {"ids": [1, "2"], "reason": "abuse", "note": "a ring", "until": "2099-01-01T00:00:00Z"}
    refused = game.post(f"{PATH}/players/hide", {**many, "ids": [1, 404, 2, 405]})
    assert refused.status_code == 404
    assert "Players 404, 405 not found. Nothing was changed." in refused.json()["detail"]
    assert game.post(f"{PATH}/players/hide", {**many, "until": "2001-01-01T00:00:00Z"}).status_code == 422
    assert game.post(f"{PATH}/players/hide", {**many, "ids": []}).status_code == 422
    for verb, more in (("hide", {"reason": "test"}), ("restore", {})):
        assert game.post(f"{PATH}/players/{verb}", {"ids": ["9" * 19], **more}).status_code == 404
    assert (board(), list(shell.history.page("leaderboards"))) == ([2, 1, 3], [])

    sent = {"json": many, "headers": {"Idempotency-Key": "ring"}}
    first, again = (game.post(f"{PATH}/players/hide", **sent) for _ in range(2))
    assert first.json() == again.json()
    assert [(each["id"], each["hidden"], each["note"]) for each in first.json()["items"]] == [
        (1, True, "a ring"),
        (2, True, "a ring"),
    ]
    assert {each["until"] for each in first.json()["items"]} == {"2099-01-01T00:00:00Z"}
    assert board() == [3]
    assert game.post(f"{PATH}/players/restore", {"ids": [2, 404]}).status_code == 404
    assert board() == [3]
    back = game.post(f"{PATH}/players/restore", {"ids": [1, 2]}).json()["items"]
    assert ([each["hidden"] for each in back], board()) == ([False, False], [2, 1, 3])
    lines = [(each.verb, each.subject) for each in shell.history.page("leaderboards")]
    assert sorted(lines) == [("hide", "1"), ("hide", "2"), ("restore", "1"), ("restore", "2")]
    reader = Caller(routes(shell), new_key(shell, "leaderboards:write"))
    assert reader.post(f"{PATH}/players/hide", many).status_code == 403


@clause("X2-19")
def test_devices_submit_with_a_token_where_boards_are_public(shell: Shell) -> None:
    app = routes(chosen(shell, public=True, token_secret="s" * 32))
    server, device = Caller(app, new_key(shell, "leaderboards:write")), Caller(app)
    token = server.post(f"{PATH}/players/8/token").json()["token"]
    play = {"id": 8, "name": "Kim", "score": 500}
    assert device.post(f"{PATH}/scores", play).status_code == 422
    assert device.post(f"{PATH}/scores", {**play, "token": token}).json()["rank"] == 1
    assert device.get(f"{PATH}/weeks/current/board").json()["total"] == 1
    assert device.put(f"{PATH}/players/8/friends/9").status_code == 401


def test_who_may_read_may_not_submit(shell: Shell) -> None:
    reader = Caller(routes(shell), new_key(shell, "leaderboards:read"))
    assert reader.get(f"{PATH}/weeks/current/board").status_code == 200
    assert reader.post(f"{PATH}/scores", {"id": 1, "name": "A", "score": 1}).status_code == 403
    assert Caller(routes(shell)).get(f"{PATH}/weeks/current/board").status_code == 401


@clause("X2-22")
def test_a_final_week_is_archived_and_its_rewards_are_exported(
    game: Caller, shell: Shell, clock: SetClock
) -> None:
    start = game.get(f"{PATH}/weeks/current/board").json()["week"].partition(",")[0]
    season = f"{PATH}/archive?since={start}&until={start}"
    assert game.get(season).json()["items"] == [], "the week is not final yet"
    clock.advance(7 * 86_400)
    before = game.get(f"{PATH}/weeks/current/board").json()["week"].partition(",")[0]
    clock.advance(7 * 86_400)
    refused = game.post(f"{PATH}/weeks/{before}/close", {"tiers": []})
    assert (refused.status_code, "nothing to close" in refused.json()["detail"]) == (409, True)
    tiers = {"tiers": [{"name": "gold", "rank": 1}, {"name": "most", "percent": 70}]}
    assert game.post(f"{PATH}/weeks/{start}/close", tiers).json()["rewards"] == 2
    rewards = game.get(f"{PATH}/weeks/{start}/rewards?format=csv").text.splitlines()
    assert [line.split(",")[2:7] for line in rewards[1:]] == [
        ["2", "Maria", "1", "42710", "gold"],
        ["1", "John", "2", "32847", "most"],
    ]
    first = game.get(f"{season}&limit=2").json()
    assert [(row["place"], row["rank"], row["name"]) for row in first["items"]] == [
        (1, 1, "Maria"),
        (2, 2, "John"),
    ]
    rest = game.get(f"{season}&limit=2&cursor={first['cursor']}").json()
    assert [row["name"] for row in rest["items"]] == ["Andrew"]
    assert rest["cursor"] is None
    lines = game.get(f"{season}&format=csv").text.splitlines()
    assert lines[1:] == [
        f"{start},1,1,2,Maria,42710",
        f"{start},2,2,1,John,32847",
        f"{start},3,3,3,Andrew,19202",
    ]


@pytest.fixture
def modes(shell: Shell) -> Caller:
    """A game server of a game with two boards."""
    two = chosen(shell, boards=("classic", "speed"))
    names = copied("speed", APPLICATION.tables, shell.database.name)
    shell.database.renamed(names).create_tables(*APPLICATION.tables)
    return Caller(routes(two), new_key(shell, "leaderboards:write", "leaderboards:admin"))


def test_every_route_asks_the_board_that_the_address_names(modes: Caller) -> None:
    sent = {"json": {"id": 1, "name": "John", "score": 10}, "headers": {"Idempotency-Key": "a"}}
    statuses = [modes.post(f"{PATH}/scores{asked}", **sent).status_code for asked in ("", "?board=speed")]
    assert statuses == [200, 422], "the key of a request is not that of the same on another board"
    for player, name in ((1, "John"), (2, "Maria")):
        modes.post(f"{PATH}/scores?board=speed", {"id": player, "name": name, "score": player * 10})
    assert modes.put(f"{PATH}/players/1/friends/2?board=speed").json()["friends"]
    assert modes.post(f"{PATH}/players/2/hide?board=speed", {"reason": "test"}).json()["hidden"]
    found = {
        "board": "weeks/current/board?",
        "named first": "weeks/current/board?board=classic&",
        "hidden": "hidden?limit=5&",
        "found": "players?q=Maria&",
        "refused": "refused?",
        "weeks": "weeks?",
        "archive": "archive?",
    }
    items = {
        name: [
            len(modes.get(f"{PATH}/{path}{board}").json()["items"])
            for board in ("", "board=speed")
            if not (board and "classic" in path)
        ]
        for name, path in found.items()
    }
    assert items == {
        "board": [1, 1],
        "named first": [1],
        "hidden": [0, 1],
        "found": [0, 1],
        "refused": [0, 0],
        "weeks": [0, 0],
        "archive": [0, 0],
    }


def test_an_unknown_board_is_refused_with_those_there_are(modes: Caller) -> None:
    for path in ("weeks/current/board", "players/1/best", "hidden", "weeks"):
        answer = modes.get(f"{PATH}/{path}?board=blitz")
        assert answer.status_code == 404, path
        assert "The boards are classic, speed." in answer.json()["detail"]
    assert modes.post(f"{PATH}/scores?board=blitz", {"id": 1, "name": "A", "score": 1}).status_code == 404


@pytest.mark.parametrize("path", ["weeks/current/board", "players/1/rank", "hidden"])
def test_a_board_that_is_named_twice_is_refused(modes: Caller, path: str) -> None:
    answer = modes.get(f"{PATH}/{path}?board=speed&board=classic")
    assert answer.status_code == 422
    assert [(each["path"], each["code"]) for each in answer.json()["errors"]] == [("board", "repeated")]


def test_everyone_reads_the_board_that_the_address_names(shell: Shell, modes: Caller) -> None:
    modes.post(f"{PATH}/scores?board=speed", {"id": 2, "name": "Maria", "score": 20})
    public = Caller(routes(chosen(shell, boards=("classic", "speed"), public=True)), None)
    totals = [
        public.get(f"{PATH}/weeks/current/board?board={each}").json()["total"]
        for each in ("classic", "speed")
    ]
    assert (totals, public.get(f"{PATH}/weeks/current/board?board=blitz").status_code) == ([0, 1], 404)


def test_a_cursor_and_a_file_are_of_one_board(modes: Caller) -> None:
    for asked in ("", "&board=speed"):
        for player in (1, 2):
            modes.post(f"{PATH}/scores?{asked}", {"id": player, "name": f"P{player}", "score": 10})
            modes.post(f"{PATH}/players/{player}/hide?{asked}", {"reason": "test"})
    cursor = modes.get(f"{PATH}/hidden?limit=1").json()["cursor"]
    statuses = [
        modes.get(f"{PATH}/hidden?limit=1&cursor={cursor}{asked}").status_code
        for asked in ("", "&board=classic", "&board=speed")
    ]
    assert statuses == [200, 200, 400]
    files = [
        modes.get(f"{PATH}/hidden?format=csv{asked}").headers["content-disposition"]
        for asked in ("", "&board=speed")
    ]
    assert ["speed-hidden-players" in each for each in files] == [False, True]


def test_erasing_a_player_erases_on_every_board_whichever_is_named(modes: Caller) -> None:
    for asked in ("", "?board=speed"):
        modes.post(f"{PATH}/scores{asked}", {"id": 1, "name": "John", "score": 10})
    assert modes.post(f"{PATH}/players/1/erase?board=speed").json() == {"id": 1, "weeks": 2}
    bests = [modes.get(f"{PATH}/players/1/best{asked}").json()["best"] for asked in ("", "?board=speed")]
    assert bests == [None, None]
