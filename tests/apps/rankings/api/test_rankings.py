"""The rankings through the API: days in parts, boards, players, and who may read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.exceptions import HTTPException

from hansang.apps.rankings.api import ROUTES
from hansang.apps.rankings.api.access import rankings_of
from hansang.apps.rankings.application import APPLICATION
from hansang.apps.rankings.settings import RankingsSettings
from hansang.surfaces.api.routes import Routes, http_problem
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell
from tests.apps.rankings.imports import import_day, player
from tests.apps.rankings.players import DAY, profile, uuid
from tests.clauses import clause
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SetClock, new_key, opened

PATH = "/api/rankings"
PARTS, FINISH = f"{PATH}/days/2026-02-21/parts", f"{PATH}/days/2026-02-21/finish"


@pytest.fixture
def shell(clock: SetClock) -> Iterator[Shell]:
    with opened(clock, applications=(APPLICATION,)) as shell:
        yield shell


def routes(shell: Shell) -> FastAPI:
    """The routes of this application alone, which are made quickly."""
    app, gate = FastAPI(exception_handlers={HTTPException: http_problem}), Gate(shell)
    app.router.routes.append(Routes(route for each in ROUTES for route in each(shell, gate).all()))
    return app


@pytest.fixture
def api(shell: Shell) -> FastAPI:
    return routes(shell)


@pytest.fixture
def writer(api: FastAPI, shell: Shell) -> Caller:
    return Caller(api, new_key(shell, "rankings:write", "rankings:admin"))


@pytest.fixture
def reader(api: FastAPI, shell: Shell) -> Caller:
    import_day(shell.database, [player(number, 100 - number // 2, number) for number in range(1, 121)])
    return Caller(api, new_key(shell, "rankings:read"))


# ── days ──────────────────────────────────────────────────────────────────────────────────────────


@clause("X5-12", "X5-13")
def test_a_day_is_sent_in_parts_and_finished(writer: Caller) -> None:
    first = writer.post(PARTS, {"players": [player(1, 9), player(2, 8)]})
    again = writer.post(PARTS, {"players": [player(1, 9), player(2, 8)]})
    writer.post(PARTS, {"players": [player(3, 7, 10**37, level_rank=1)]})
    assert (first.status_code, first.json()) == (201, again.json())
    assert writer.get(f"{PATH}/boards/level?date=2026-02-21").status_code == 404
    done = writer.post(FINISH).json()
    assert (done["status"], done["players"], done["level_ranked"]) == ("finished", 3, 1)
    closed = writer.post(PARTS, {"players": [player(4)]})
    assert (closed.status_code, "is finished, and closed" in closed.json()["detail"]) == (409, True)
    assert [each["status"] for each in writer.get(f"{PATH}/days").json()["items"]] == ["finished"]


def test_a_request_under_a_key_is_done_once(writer: Caller) -> None:
    key = {"Idempotency-Key": "one"}
    given = {"players": [player(1, 9)]}
    first, again = (writer.post(PARTS, given, headers=key) for _ in range(2))
    assert (first.json(), again.headers.get("Idempotency-Replayed")) == (again.json(), "true")
    finish = {"Idempotency-Key": "two"}
    done, repeated = (writer.post(FINISH, headers=finish) for _ in range(2))
    assert (done.json()["revision"], repeated.json()) == (1, done.json())


def test_a_day_is_reopened_imported_again_and_rolled_back(writer: Caller) -> None:
    writer.post(PARTS, {"players": [player(1, 9), player(2, 8)]})
    writer.post(FINISH)
    writer.post(f"{PATH}/days/2026-02-21/reopen")
    writer.post(PARTS, {"players": [player(1, 5)]})
    assert writer.post(FINISH).json()["removed"] == 1
    gone = writer.post(f"{PATH}/days/2026-02-21/roll-back")
    assert gone.json() == {"date": "2026-02-21", "removed": True}
    assert writer.get(f"{PATH}/days/2026-02-21").status_code == 404


@clause("X5-16")
def test_rows_that_were_refused_are_listed(writer: Caller) -> None:
    row = {"name": "Nobody", "level": 1, "power": 1}
    part = writer.post(PARTS, {"players": [player(1), row]}).json()
    assert (part["players"], part["rejected"]) == (1, 1)
    writer.post(FINISH)
    [bad] = writer.get(f"{PATH}/days/2026-02-21").json()["rejected_rows"]
    assert (bad["line"], bad["code"], bad["values"]) == (2, "rankings.row-unknown", {"name": "Nobody"})


@pytest.mark.parametrize(
    "row",
    [{"name": "x", "level": "1", "power": 1}, {"name": "x", "level": 1, "power": 10**37 + 1}, {"name": "x"}],
)
def test_a_row_of_another_shape_is_refused_with_its_place(writer: Caller, row: dict[str, object]) -> None:
    answer = writer.post(PARTS, {"players": [row]})
    assert (answer.status_code, "0" in answer.json()["errors"][0]["path"]) == (422, True)


# ── boards ────────────────────────────────────────────────────────────────────────────────────────


@clause("5-15", "X5-21")
def test_a_page_has_its_date_its_total_and_its_rows(reader: Caller) -> None:
    found = reader.get(f"{PATH}/boards/level?page=1&size=50&both=true").json()
    assert (found["date"], found["total"], len(found["items"])) == ("2026-02-21", 120, 50)
    row = found["items"][0]
    assert (row["rank"], row["level"]) == (51, 75)
    assert row["power"] in (50, 51)
    assert reader.get(f"{PATH}/boards/level?size=1").json()["items"][0]["power"] is None


def test_the_other_questions_are_answered(reader: Caller) -> None:
    official = reader.get(f"{PATH}/official/power").json()
    assert [(row["rank"], row["power"]) for row in official["items"][:2]] == [(1, 120), (2, 119)]
    rank = reader.get(f"{PATH}/players/{uuid(119)}/rank?board=power&size=1").json()
    assert (rank["rank"], rank["of"], rank["percentile"], rank["page"]) == (2, 120, 119 / 120 * 100, 1)
    found = reader.get(f"{PATH}/range/power?low=10&high=12").json()
    assert [row["power"] for row in found["items"]] == [12, 11, 10]
    history = reader.get(f"{PATH}/players/{uuid(120)}/history").json()
    assert [(day["date"], day["power_rank"]) for day in history["items"]] == [("2026-02-21", 1)]
    assert reader.get(f"{PATH}/search?q=ㅎㅇ120").json()["items"][0]["uuid"] == uuid(120)
    assert reader.get(f"{PATH}/movers/level").json()["against"] is None
    compared = reader.get(f"{PATH}/compare?uuids={uuid(1)},{uuid(2)}").json()["items"]
    assert [each["uuid"] for each in compared] == [uuid(1), uuid(2)]
    assert reader.get(f"{PATH}/players/{uuid(5)}").json()["power"]["rank"] == 116


@clause("X5-29")
def test_a_range_the_wrong_way_round_is_refused(reader: Caller) -> None:
    answer = reader.get(f"{PATH}/range/level?low=5&high=4")
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        "The range from 5 to 4 is empty. Give the lower end first.",
    )


def test_a_rank_whose_day_changes_while_it_is_read_is_that_of_the_later_day_under_its_tag(
    reader: Caller, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = rankings_of(shell)
    first, second = (each["uuid"] for each in reader.get(f"{PATH}/boards/level").json()["items"][:2])

    def erased_meanwhile(*asked: Any) -> int:
        monkeypatch.undo()
        app.privacy.erase(first)
        return 0

    monkeypatch.setattr(app.reading, "page_of", erased_meanwhile)
    place = f"{PATH}/players/{second}/rank"
    found = reader.get(place)
    assert (found.json()["rank"], found.json()["of"]) == (1, 119)
    again = reader.get(place, headers={"If-None-Match": found.headers["ETag"]})
    assert again.status_code == 304


def test_whoever_has_a_page_is_told_that_it_is_the_same(reader: Caller, shell: Shell) -> None:
    first = reader.get(f"{PATH}/boards/level")
    known = {"If-None-Match": first.headers["ETag"]}
    assert reader.get(f"{PATH}/boards/level", headers=known).status_code == 304
    writer = Caller(routes(shell), new_key(shell, "rankings:write", "rankings:admin"))
    writer.post(f"{PATH}/players/{uuid(3)}/erase")
    assert reader.get(f"{PATH}/boards/level", headers=known).status_code == 200


# ── players ───────────────────────────────────────────────────────────────────────────────────────


@clause("5-03", "X5-17")
def test_a_profile_is_stored_and_looked_up(writer: Caller) -> None:
    given = {"name": "Hello", "level": 5, "power": 6}
    assert writer.post(f"{PATH}/players/A101", given, headers={"Idempotency-Key": "p"}).status_code == 200
    assert writer.post(f"{PATH}/players/A101", given).json()["uuid"] == "A101"
    [found] = writer.get(f"{PATH}/lookup?name=hELLO").json()["items"]
    assert (found["uuid"], found["name"], found["last_day"]) == ("A101", "Hello", None)


@clause("X5-30")
def test_a_hidden_player_is_counted_and_not_named(reader: Caller, shell: Shell) -> None:
    api = routes(shell)
    writer = Caller(api, new_key(shell, "rankings:write", "rankings:admin", "rankings:read"))
    shell.database.put(profile(120, "Hidden"))
    writer.post(f"{PATH}/players/{uuid(120)}/hide", headers={"Idempotency-Key": "h"})
    first = Caller(api, new_key(shell, "rankings:read")).get(f"{PATH}/boards/power?size=1").json()
    assert (first["total"], first["items"][0]["uuid"], first["items"][0]["name"]) == (120, None, None)
    for path in (f"players/{uuid(120)}", f"players/{uuid(120)}/rank", f"players/{uuid(120)}/history"):
        assert writer.get(f"{PATH}/{path}").status_code == 404
    assert writer.get(f"{PATH}/lookup?name=hidden").json()["items"] == []
    assert writer.get(f"{PATH}/search?q=한월120").json()["items"] == []
    writer.post(f"{PATH}/players/{uuid(120)}/show")
    assert writer.get(f"{PATH}/players/{uuid(120)}").status_code == 200


@clause("X5-30")
def test_erasing_a_player_is_in_the_history_of_changes(writer: Caller, shell: Shell) -> None:
    import_day(shell.database, [player(1), player(2)])
    done = writer.post(f"{PATH}/players/{uuid(1)}/erase", headers={"Idempotency-Key": "e"})
    assert done.json() == {"uuid": uuid(1), "done": "erase", "days": 1}
    [line] = shell.history.page("rankings").items
    assert (line.verb, line.subject) == ("erase", uuid(1))


# ── who may ───────────────────────────────────────────────────────────────────────────────────────


def test_nobody_reads_without_a_key_unless_it_is_public(shell: Shell) -> None:
    import_day(shell.database, [player(1)])
    assert Caller(routes(shell)).get(f"{PATH}/boards/level").status_code == 401
    public = replace(shell, chosen={**shell.chosen, "rankings": RankingsSettings(public=True)})
    stranger = Caller(routes(public))
    assert stranger.get(f"{PATH}/boards/level").json()["total"] == 1
    assert stranger.get(f"{PATH}/days").status_code == 401
    assert stranger.post(PARTS, {"players": [player(2)]}).status_code == 401
    assert stranger.post(f"{PATH}/players/{uuid(1)}/erase").status_code == 401


def test_a_reader_does_not_write(reader: Caller) -> None:
    assert reader.post(FINISH).status_code == 403
    assert DAY.isoformat() in FINISH


def test_the_spread_of_a_board_counts_everyone_once(reader: Caller) -> None:
    found = reader.get(f"{PATH}/boards/power/histogram?bars=4")
    items = found.json()["items"]
    assert (found.status_code, found.json()["total"], len(items)) == (200, 120, 4)
    assert [items[0]["low"], items[-1]["high"], items[-1]["rank"]] == [1, 120, 1]
    assert reader.get(f"{PATH}/boards/power/histogram?bars=0").status_code == 422
