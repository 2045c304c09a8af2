"""Bringing items in the book's spelling into ours: `2014-05-09,2014-05-15` becomes `2014-05-09, 2014-05-15` (X2-03)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hansang.apps.leaderboards.design import FriendsLeaderboard, UsersLeaderboard
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.trees import WeekTrees
from hansang.design import Database, Table
from hansang.design.shape import Item

_BOOK_KEY = "FriendIdAndWeek"
_FRIEND = re.compile(r"([0-9]{1,19}), ?(.{10},.{10,11})")


def normalize(database: Database, trees: WeekTrees) -> tuple[int, int]:
    """Rewrite every item in the book's spelling, and keep the better of two; how many in each table."""
    weeks = sum(_moved_week(database, trees, each) for each in _scanned(database, UsersLeaderboard))
    rows = sum(_moved_row(database, each) for each in _scanned(database, FriendsLeaderboard))
    return weeks, rows


def _moved_week(database: Database, trees: WeekTrees, item: Item) -> bool:
    week = Week.parse(item["Week"]["S"])
    if str(week) == item["Week"]["S"]:
        return False
    key = {"Id": item["Id"], "Week": {"S": str(week)}}
    there = database.find_item(UsersLeaderboard, key)
    before = None if there is None else int(there["TopScore"]["N"])
    score, player = int(item["TopScore"]["N"]), int(item["Id"]["N"])
    with database.transaction(name="WeeklyBest.normalize") as transaction:
        transaction.delete_item(UsersLeaderboard, item)
        if before is None or score > before:
            transaction.put_item(UsersLeaderboard, {**item, **key}, there)
            transaction.create(trees.change(week, player, before, score))
    return True


def _moved_row(database: Database, item: Item) -> bool:
    text = item["FriendAndWeek"]["S"]
    found = _FRIEND.fullmatch(text)
    if found is None:
        return False
    wanted = f"{int(found[1])}, {Week.parse(found[2])}"
    if wanted == text:
        return False
    key = {"Id": item["Id"], "FriendAndWeek": {"S": wanted}}
    there = database.find_item(FriendsLeaderboard, key)
    with database.transaction(name="FriendScore.normalize") as transaction:
        transaction.delete_item(FriendsLeaderboard, item)
        if there is None or int(item["Score"]["N"]) > int(there["Score"]["N"]):
            rest = {name: value for name, value in item.items() if name != _BOOK_KEY}
            transaction.put_item(FriendsLeaderboard, {**rest, **key}, there)
    return True


def _scanned(database: Database, table: type[Table]) -> Iterator[Item]:
    start: dict[str, Any] = {}
    while True:
        page = database.call("Scan", {"TableName": database.name(table), **start}, f"{table.__name__}.scan")
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
