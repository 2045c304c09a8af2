"""The requests of every play on the row of its player, as they are sent: made without the design, which takes longer.

What they say is what the design would say of a `WeeklyBest`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hansang.apps.leaderboards.rules import Week

Item = dict[str, Any]


def best_key(player: int, week: Week) -> Item:
    """The key of a player's week."""
    return {"Id": {"N": str(player)}, "Week": {"S": str(week)}}


def read_request(table: str, player: int, week: Week) -> Item:
    """The consistent read of a player's week."""
    return {"TableName": table, "Key": best_key(player, week), "ConsistentRead": True}


def improve_request(
    table: str, player: int, week: Week, before: int, score: int, at: datetime, shard: str | None
) -> Item:
    """The update to a new best at a moment in UTC, on the condition that the best is still the one before."""
    names = {"#n0": "TopScore", "#n1": "TopScoreAt", "#n2": "Id"}
    values = {
        ":v0": {"N": str(score)},
        ":v1": {"S": f"{at.isoformat()[:19]}Z"},
        ":v2": {"N": str(before)},
    }
    changes = "SET #n0 = :v0, #n1 = :v1"
    if shard is not None:
        names["#n3"], values[":v3"], changes = "WeekShard", {"S": shard}, f"{changes}, #n3 = :v3"
    return {
        "TableName": table,
        "Key": best_key(player, week),
        "UpdateExpression": changes,
        "ConditionExpression": "attribute_exists(#n2) AND #n0 = :v2",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
