"""Any history of plays, friends, renames, hidings and deaths ends in the boards that a simple model computes.

HANSANG_LEADERBOARD_HISTORIES says how many histories are tried, and HANSANG_LEADERBOARD_FIRST from which seed on.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

import pytest

from hansang.apps.leaderboards.design import FriendScore, WeeklyBest
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.design import Database
from hansang.errors import NotFound
from tests.apps.leaderboards.games import WEEK, Game, a_game
from tests.clauses import clause
from tests.parts.ranks.boards import Died, Mortal

HISTORIES = int(os.environ.get("HANSANG_LEADERBOARD_HISTORIES", "5"))
FIRST = int(os.environ.get("HANSANG_LEADERBOARD_FIRST", "0"))
PLAYERS, STEPS = 7, 60


@dataclass
class ModelPlayer:
    """What a player has, in the simplest form."""

    name: str
    best: int
    hidden: bool = False
    friends: set[int] = field(default_factory=set)


class Model:
    """The boards in memory."""

    def __init__(self) -> None:
        self.players: dict[int, ModelPlayer] = {}

    def play(self, player: int, score: int) -> None:
        found = self.players.setdefault(player, ModelPlayer(f"P{player}", score))
        found.best = max(found.best, score)

    def board(self) -> list[tuple[int, int]]:
        shown = {player: each.best for player, each in self.players.items() if not each.hidden}
        scores = sorted(shown.values(), reverse=True)
        return sorted((scores.index(score) + 1, player) for player, score in shown.items())

    def friends_board(self, player: int) -> set[tuple[int, int, str]]:
        on_it = {player, *self.players[player].friends}
        return {
            (each, found.best, found.name)
            for each, found in self.players.items()
            if each in on_it and not found.hidden
        }


class Walk:
    """One history."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.chance, self.model = game, Random(seed), Model()
        self.processes = [game.boards, game.another(plays_a_minute=0, shards=1)]

    @property
    def boards(self) -> Leaderboards:
        """Any of the processes."""
        self.game.now += 1
        return self.chance.choice(self.processes)

    def step(self) -> None:
        verbs = (self.play, self.play, self.play, self.again, self.befriend, self.unfriend)
        others = (self.rename, self.hide, self.restore, self.correct, self.erase, self.settle)
        self.chance.choice((*verbs, *others))()

    def play(self) -> None:
        self.submit(self.chance.randint(1, PLAYERS), self.chance.randrange(50))

    def submit(self, player: int, score: int) -> None:
        self.model.play(player, score)
        found = self.model.players[player]
        done = self.boards.submitter.submit(GivenPlay(player, found.name, score))
        assert done.best == found.best
        if not found.hidden:
            assert (done.rank, player) in self.model.board()
        self.last = player, score

    def again(self) -> None:
        with suppress(AttributeError):
            self.submit(*self.last)

    def known(self) -> int | None:
        return self.chance.choice(sorted(self.model.players)) if self.model.players else None

    def befriend(self) -> None:
        one, other = self.known(), self.known()
        if one is not None and other is not None and one != other:
            self.boards.friends.befriend(one, other)
            self.model.players[one].friends.add(other)
            self.model.players[other].friends.add(one)

    def unfriend(self) -> None:
        one, other = self.known(), self.known()
        if one is not None and other is not None and one != other:
            self.boards.friends.unfriend(one, other)
            self.model.players[one].friends.discard(other)
            self.model.players[other].friends.discard(one)

    def rename(self) -> None:
        if (player := self.known()) is not None:
            self.model.players[player].name = f"N{self.chance.randrange(100)}"
            self.boards.players.rename(player, self.model.players[player].name)

    def hide(self) -> None:
        if (player := self.known()) is not None:
            self.boards.operating.hide(player, "other")
            self.model.players[player].hidden = True

    def restore(self) -> None:
        if (player := self.known()) is not None:
            self.boards.operating.restore(player)
            self.model.players[player].hidden = False

    def correct(self) -> None:
        player = self.known()
        if player is not None and not self.model.players[player].hidden:
            score = self.chance.randrange(50)
            self.boards.operating.correct(player, WEEK, score, "n")
            self.model.players[player].best = score

    def erase(self) -> None:
        """Erase a player, die on the way, and go on in another process; who was erased may come again."""
        if (player := self.known()) is not None:
            with suppress(Died):
                self.dying().erasing.erase(player)
            with suppress(NotFound):
                self.boards.erasing.erase(player)
            del self.model.players[player]
            for each in self.model.players.values():
                each.friends.discard(player)

    def settle(self) -> None:
        """Count and tell friends, and die on the way."""
        with suppress(Died):
            self.dying().settle()

    def dying(self) -> Leaderboards:
        """A process that dies after so many requests."""
        mortal = Mortal(
            self.game.database.backend, self.chance.randrange(60), after=self.chance.random() < 0.5
        )
        settings = LeaderboardsSettings(plays_a_minute=0)
        return Leaderboards(Database(mortal), lambda: self.game.now, settings, sleep=lambda seconds: None)


@clause("X2-04", "X2-12", "X2-13", "X2-14", "X2-16", "X2-18", "X2-19")
@pytest.mark.parametrize("seed", range(FIRST, FIRST + HISTORIES))
def test_a_history_ends_in_the_boards_of_the_model(seed: int) -> None:
    with a_game() as game:
        walk = Walk(game, seed)
        for _ in range(STEPS):
            walk.step()
        boards, model = walk.boards, walk.model
        assert sorted((row[0], row[1]) for row in game.board()) == model.board()
        boards.settle()
        boards.fan_outs.repair(WEEK, sorted(model.players))
        expect_boards(game, model)
        # Nothing waits, nothing is left to be repaired, and the tree is that of a recount.
        assert boards.settle() == 0
        boards.trees.rebuild(WEEK, (row.score for row in boards.rows.each(WEEK)))
        expect_boards(game, model)


def expect_boards(game: Game, model: Model) -> None:
    assert sorted((row[0], row[1]) for row in game.board()) == model.board()
    assert {each.id for each in game.database.each(WeeklyBest.overall(*WEEK.days))} == {
        player for _, player in model.board()
    }
    for player in model.players:
        rows = game.database.all(FriendScore.board(player, *WEEK.days))
        assert {(row.id, row.score, row.name) for row in rows} == model.friends_board(player)
