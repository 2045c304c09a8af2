"""How far a migration has come, in the new table itself: whoever goes on, on whichever machine, sees the same."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from hansang.apps.codex.design import FMWebApp
from hansang.design import Attr, Entity, Key, Timestamp


class MigratedTableKey(Key["MigratedTable"], pk="MIGRATION#TABLES", sk="TABLE#{source}"):
    """The key of the progress of one old table."""

    source: str


class MigratedTable(MigratedTableKey, Entity, table=FMWebApp):
    """What has been copied of an old table, and where to go on."""

    next_key: Annotated[str | None, Attr("nextKey")] = None
    """The key behind which the copy goes on, as JSON."""
    copied: int = 0
    is_whole: Annotated[bool, Attr("isWhole")] = False
    failed: int = 0
    stream_arn: Annotated[str | None, Attr("streamArn")] = None
    """The stream that was on before the table was last read whole."""
    followed_at: Annotated[Timestamp | None, Attr("followedAt")] = None
    """Up to when its changes are dealt with."""
    shards: dict[str, str] | None = None
    """The last change of each shard that was dealt with."""


class MigrationStateKey(Key["MigrationState"], pk="MIGRATION#STATE", sk="METADATA"):
    """The key of the state, of which there is one."""


class MigrationState(MigrationStateKey, Entity, table=FMWebApp):
    """How a migration stands as a whole."""

    origin: str
    """Where the old tables are."""
    oldest: str
    """The oldest time that is known of any item."""
    verified_at: Annotated[Timestamp | None, Attr("verifiedAt")] = None
    is_clean: Annotated[bool, Attr("isClean")] = False
    switched_at: Annotated[Timestamp | None, Attr("switchedAt")] = None
    dropped_at: Annotated[Timestamp | None, Attr("droppedAt")] = None


MigrationStep = Literal["plan", "copy", "delta", "follow", "verify", "switch", "undo", "drop"]
"""`follow` is the delta by stream."""


class MigrationTaskKey(Key["MigrationTask"], pk="MIGRATION#STATE", sk="TASK"):
    """The key of the step that was asked for last, of which there is one."""


class MigrationTask(MigrationTaskKey, Entity, table=FMWebApp):
    """The step of a migration that somebody has asked the server for, and what came of each."""

    step: MigrationStep
    source: str
    """Where the old tables are."""
    is_waiting: Annotated[bool, Attr("isWaiting")]
    asked_by: Annotated[str, Attr("askedBy")]
    asked_at: Annotated[Timestamp, Attr("askedAt")]
    reports: dict[str, Any]
    """By step: when it ended last and what it said."""


ACCEPTED = {
    "MigratedTable H201": "Three items while tables are migrated.",
    "MigratedTable H205": "The shards of one stream.",
    "MigrationTask H205": "A report for each of seven steps, with fifty findings at most.",
}
"""What the review finds and the design accepts, with the reason."""
