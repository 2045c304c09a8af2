"""Hiding, showing again and erasing a player on the page, for owners alone."""

from __future__ import annotations

import pytest

from hansang.apps.rankings.service import Rankings
from hansang.surfaces.shell import Shell
from tests.apps.rankings.imports import player
from tests.apps.rankings.players import DAY, uuid
from tests.clauses import clause
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock

PATH = f"/rankings/players/{uuid(1)}"


@pytest.fixture
def rankings(shell: Shell, clock: SetClock) -> Rankings:
    found = Rankings(shell.database, clock, sleep=clock.advance)
    found.import_day(DAY, [player(1, 9, 9), player(2, 8, 8)])
    return found


@clause("X5-30")
def test_an_owner_hides_a_player_with_a_reason_and_takes_it_back(
    rankings: Rankings, visitor: Visitor, shell: Shell
) -> None:
    owner = visitor("owner", "en")
    assert "?act=hide" in owner.get(PATH).links
    asked = owner.get(f"{PATH}?act=hide")
    assert (asked.faults, "Hide 한월1?" in asked.shown) == ([], True)
    refused = owner.send(f"{PATH}/hide", reason="")
    assert (refused.status, "Give a reason." in refused.shown) == (422, True)
    assert owner.send(f"{PATH}/hide", reason="asked by mail").location == "/rankings/everyone"
    board = owner.follow()
    assert ("The player is hidden" in board.shown, "한월1" in board.shown) == (True, False)
    assert f"{PATH}/show" in board.actions
    hidden = owner.get(PATH)
    assert (hidden.status, f"{PATH}/show" in hidden.actions) == (404, True)
    assert f"{PATH}/show" not in visitor("editor", "en").get(PATH).actions
    owner.get(PATH)
    owner.send(f"{PATH}/show")
    assert "The player is shown again" in owner.follow().shown
    lines = {each.verb: each for each in shell.history.page("rankings").items}
    assert ({*lines}, lines["hide"].subject) == ({"hide", "show"}, uuid(1))
    assert "asked by mail" in f"{lines['hide'].after}"


@clause("X5-30")
def test_an_owner_erases_a_player_whose_id_is_typed(
    rankings: Rankings, visitor: Visitor, shell: Shell
) -> None:
    owner = visitor("owner", "en")
    assert "This cannot be undone" in owner.get(f"{PATH}?act=erase").shown
    refused = owner.send(f"{PATH}/erase", reason="", typed="한월1")
    assert refused.status == 422
    assert ("Give a reason." in refused.shown, "Type the id of the player" in refused.shown) == (True, True)
    assert rankings.days.finished().players == 2
    owner.send(f"{PATH}/erase", reason="asked by mail", typed=uuid(1))
    assert "The player and 1 day were erased" in owner.follow().shown
    assert rankings.days.finished().players == 1
    assert owner.get(PATH).status == 404
    assert shell.history.page("rankings").items[0].verb == "erase"


@pytest.mark.parametrize("act", ["hide", "show", "erase"])
def test_nobody_else_may(rankings: Rankings, visitor: Visitor, act: str) -> None:
    editor = visitor("editor", "en")
    page = editor.get(f"{PATH}?act={act}")
    assert ("?act=hide" in page.links, "Hide 한월1?" in page.shown) == (False, False)
    assert editor.send(f"{PATH}/{act}", reason="x", typed=uuid(1)).status == 403
