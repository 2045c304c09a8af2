"""The five applications, inferred from their sample tables alone, against the designs that made them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS
from hansang.apps.samples import fill
from hansang.backends.embedded import Embedded
from hansang.blueprint.inference.checking import loaded, tables_in
from hansang.blueprint.inference.inferring import infer
from hansang.blueprint.inference.live import sample_table
from hansang.design import Database, Table
from tests.blueprint.inference.comparing import differences

NOW = datetime(2026, 6, 15, 9, 30, tzinfo=UTC)
EVERYTHING = 50_000

NEVER_SEEN = "No item of the sample has it."
ALWAYS_THERE = "Every item of the sample has it, so it is taken for one that all items have."
LISTED = "Items show values, and not which other values there may be."
ALWAYS_EMPTY = "Every list of the sample is empty, so nothing says what may be in it."
AMBIGUOUS = "Milliseconds have 13 digits with a width and without one; the width sorts, so it is preferred."

_SEEN = "entries list[{amount: int, by: str, date: date, memo: str}]"
_ENTRIES = "entries list[{amount: int, by: str, date: date, memo: str, tag: str, whom: str}]"

_WITH_ENTRIES = (
    "INCOME#{str} / {str}#{str}",
    "LIVING_EXPENSE#{str} / {str}",
    "SHORT_SAVINGS#{str} / {str}#{str}",
)

UNAVOIDABLE: dict[str, dict[str, tuple[str, ...]]] = {
    "AssetManager": {
        NEVER_SEEN: (
            "- CODE#ACCOUNT_TYPE / METADATA: labels dict[str, str]",
            "- CODE#{str} / METADATA: labels dict[str, str]",
            f"- FIXED_EXPENSE#{{str}} / {{str}}: {_ENTRIES}",
            f"- INVESTMENT#{{str}} / {{str}}: {_ENTRIES}",
            f"- SAVINGS#{{str}} / {{str}}: {_ENTRIES}",
            *(f"+ {key}: {_SEEN}" for key in _WITH_ENTRIES),
            *(f"- {key}: {_ENTRIES}" for key in _WITH_ENTRIES),
            *(
                f"- {key}: entries: {name}: may be absent"
                for key in _WITH_ENTRIES
                for name in ("tag", "whom")
            ),
            "- HOUSEHOLD / {str}",
            "- IMPORT_PRESET / {str}",
            "- CODE#ACCOUNT_TYPE / METADATA: archived dict[str, list[str]]",
            "- CODE#{str} / METADATA: archived list[str]",
        ),
        ALWAYS_THERE: (
            "- ACCUMULATED_ASSETS#{str} / BALANCES: investmentValuation: may be absent",
            "- ACCUMULATED_ASSETS#{str} / BALANCES: surplusAccumulated: may be absent",
            "- CODE#ACCOUNT_TYPE / METADATA: groupOrder: may be absent",
            "- CODE#ACCOUNT_TYPE / METADATA: updatedAt: may be absent",
            "- CODE#{str} / METADATA: updatedAt: may be absent",
            "- INCOME#{str} / {str}#{str}: entries: by: may be absent",
            "- INCOME#{str} / {str}#{str}: entries: memo: may be absent",
            "- LIVING_EXPENSE#{str} / {str}: entries: by: may be absent",
            "- LIVING_EXPENSE#{str} / {str}: entries: may be absent",
            "- LIVING_EXPENSE#{str} / {str}: entries: memo: may be absent",
            "- SHORT_SAVINGS#{str} / {str}#{str}: entries: by: may be absent",
            "- SHORT_SAVINGS#{str} / {str}#{str}: entries: memo: may be absent",
        ),
        LISTED: ("- SHORT_SAVINGS#{str} / {str}#{str}: transactionType: has listed values",),
    },
    "UsersLeaderboard": {
        ALWAYS_THERE: (
            "- {int} / {date}, {date}: RecentPlays: may be absent",
            "- {int} / {date}, {date}: TopScoreAt: may be absent",
        ),
        NEVER_SEEN: ("- {int} / {date}, {date}: WeekShard str",),
    },
    "FriendsLeaderboard": {NEVER_SEEN: ("- {int} / {int}, {date}, {date}: ExpiresAt Expiry",)},
    "Hanwol_Bot_DEV_Single_Table": {
        NEVER_SEEN: (
            "- SYSTEM#ERASING / USER#{str}",
            "- SYSTEM#HIDDEN / USER#{str}",
            "- SYSTEM#IMPORT#{date} / PART#{int:06d}#{str}",
            "- SYSTEM#MOVERS#{date} / MOVED#{str}#{str}",
            "- SYSTEM#REJECTED#{date} / ROWS",
            "- SYSTEM#SENT / DAY#{date}",
            "- SYSTEM#SENT#{date} / PIECE#{int:08d}",
        ),
        ALWAYS_THERE: (
            "- SYSTEM#SNAPSHOT / DAY#{date}: FinishedAt: may be absent",
            "- SYSTEM#SNAPSHOT / DAY#{date}: Generation: may be absent",
            "- SYSTEM#SNAPSHOT / DAY#{date}: LevelMismatchCount: may be absent",
            "- SYSTEM#SNAPSHOT / DAY#{date}: LevelRankCount: may be absent",
            "- SYSTEM#SNAPSHOT / DAY#{date}: PlayerCount: may be absent",
            "- SYSTEM#SNAPSHOT / DAY#{date}: PowerMismatchCount: may be absent",
            "- SYSTEM#SNAPSHOT / DAY#{date}: PowerRankCount: may be absent",
            "- SYSTEM#SNAPSHOT / DAY#{date}: RejectedCount: may be absent",
            "- SYSTEM#SNAPSHOT / DAY#{date}: RemovedCount: may be absent",
            "- SYSTEM#SNAPSHOT / DAY#{date}: Revision: may be absent",
        ),
        LISTED: ("- SYSTEM#SNAPSHOT / DAY#{date}: Status: has listed values",),
    },
    "Ranks": {
        NEVER_SEEN: (
            "- RANK#{str} / F#{str}",
            "- RANK#{str} / M#{int}#{int:06d}",
            "- RANK#{str} / N#{str}",
            "- RANK#{str} / P#{str}",
            "- RANK#{str} / R: Buf bytes",
            "- RANK#{str} / R: Done bytes",
        ),
    },
    "news_items": {},
    "news_work": {
        NEVER_SEEN: (
            "- ARTICLE#{str} / TEXT type Text",
            "- COLLISIONS / {int:013d}#{str} type Collision",
            "- LISTS / LIST#{str} type SentList",
            "- LIST#{str} / PIECE#{int:08d} type ListPiece",
            "- RUNS#{str} / RUN#{str}: alarm_codes list[{code: str, values: dict[str, str]}]",
            "- RUNS#{str} / RUN#{str}: stop_asked_at Timestamp",
            "- RUN#{str} / PART#{int:08d}: lines list[{code: str, line: int, outcome: str, pk: str, "
            "values: dict[str, str], why: str}]",
            "+ RUN#{str} / PART#{int:08d}: lines list[{line: int, outcome: str, pk: str, why: str}]",
            "- RUN#{str} / PART#{int:08d}: lines: code: may be absent",
            "- RUN#{str} / PART#{int:08d}: lines: values: may be absent",
            "- SEARCHES#{str} / SEARCH#{str} type SavedSearch",
        ),
        AMBIGUOUS: (
            "+ RUNS / SECOND#{int:013d} type RunSecond",
            "- RUNS / SECOND#{int} type RunSecond",
        ),
        ALWAYS_EMPTY: (
            "+ RUNS#{str} / RUN#{str}: alarms list[Any]",
            "- RUNS#{str} / RUN#{str}: alarms list[str]",
        ),
        ALWAYS_THERE: (
            "- FRONTIER / MOMENT: stays_until_ms: may be absent",
            "- DAYS / DAY#{date}: dead: may be absent",
            "- DAYS / DAY#{date}: done: may be absent",
            "- DAYS / DAY#{date}: inserted: may be absent",
            "- DAYS / DAY#{date}: strays: may be absent",
            "- RUN#{str} / PART#{int:08d}: lines: pk: may be absent",
            "- RUN#{str} / PART#{int:08d}: lines: why: may be absent",
            "- RUN#{str} / PART#{int:08d}: revision: may be absent",
            "- RUNS#{str} / RUN#{str}: alarms: may be absent",
            "- RUNS#{str} / RUN#{str}: collision: may be absent",
            "- RUNS#{str} / RUN#{str}: duplicate: may be absent",
            "- RUNS#{str} / RUN#{str}: duplicate_in_batch: may be absent",
            "- RUNS#{str} / RUN#{str}: failed: may be absent",
            "- RUNS#{str} / RUN#{str}: finished_at: may be absent",
            "- RUNS#{str} / RUN#{str}: inserted: may be absent",
            "- RUNS#{str} / RUN#{str}: invalid: may be absent",
            "- RUNS#{str} / RUN#{str}: mended: may be absent",
            "- RUNS#{str} / RUN#{str}: total: may be absent",
        ),
        LISTED: (
            "- ARTICLE#{str} / STATE: state: has listed values",
            "- RUN#{str} / PART#{int:08d}: lines: outcome: has listed values",
            "- RUNS#{str} / RUN#{str}: run_state: has listed values",
        ),
    },
    "FMWebAppTable": {
        NEVER_SEEN: (
            "- CATEGORY#{str} / POST#{str}: attachments list[{alt: str, name: str, uri: str}]",
            "- CONTACT#{str} / METADATA: answers list[{at: Timestamp, by: str, text: str}]",
            "- CONTACT#{str} / METADATA: assigneeId str",
            "- CONTACT#{str} / METADATA: consentedAt Timestamp",
            "- CONTACT#{str} / METADATA: memo str",
            "- CONTACT#{str} / METADATA: notifyError str",
            "- CONTACT#{str} / METADATA: expiresAt Expiry",
            "- USER#{str} / AUTH",
        ),
        ALWAYS_THERE: (
            "- BANNER#{str} / METADATA: btn1Uri: may be absent",
            "- BANNER#{str} / METADATA: btn2Uri: may be absent",
            "- BANNER#{str} / METADATA: imgAlt: may be absent",
            "- CATEGORY#{str} / POST#{str}: contentsFormat: may be absent",
            "- CATEGORY#{str} / POST#{str}: slug: may be absent",
            "- CONTACT#{str} / METADATA: history: may be absent",
            "- CONTACT#{str} / METADATA: status: may be absent",
            "- CORP#INFO / METADATA: id: may be absent",
            "- USER#{str} / METADATA: UpdatedAt: may be absent",
        ),
        LISTED: (
            "- CATEGORY#{str} / POST#{str}: contentsFormat: has listed values",
            "- CONTACT#{str} / METADATA: history: status: has listed values",
            "- CONTACT#{str} / METADATA: status: has listed values",
            "- CORP#INFO / METADATA: id: has listed values",
            "- USER#{str} / METADATA: role: has listed values",
        ),
    },
}
"""What a design says that its sample cannot, by table and by reason; all else is inferred."""


OWN = {
    "AssetManager": ("BUDGET", "GOAL", "HOLDING", "SYSTEM#"),
    "FMWebAppTable": ("AGENT#", "DRAFT#", "GATE#", "MIGRATION#", "OLD#", "POST#", "SLUG#", "TRASH#"),
}
"""How the keys begin of what is beside the kinds of a document."""


def of_the_document(table: str, lines: set[str]) -> set[str]:
    return {line for line in lines if not line[2:].startswith(OWN.get(table, ("?",)))}


def keep_documented(backend: Embedded, table: type[Table]) -> None:
    """Leave the items of the kinds that the document has."""
    for item in backend.call("Scan", {"TableName": table.name})["Items"] if table.name in OWN else ():
        if item["PK"]["S"].startswith(OWN[table.name]):
            backend.call("DeleteItem", {"TableName": table.name, "Key": {"PK": item["PK"], "SK": item["SK"]}})


@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda each: each.name)
def test_a_design_is_inferred_from_its_tables(application: Application) -> None:
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        database.create_tables(*application.tables)
        fill(database, application, NOW, lambda _: None)
        documented = [each for each in application.tables if each.name in UNAVOIDABLE]
        for each in documented:
            keep_documented(backend, each)
        facts = [sample_table(backend, each.name, EVERYTHING).facts for each in documented]
    found = infer(facts)
    assert [(each.unplaced, each.differing) for each in found.checks] == [(0, [])] * len(facts)
    assert sum(each.placed for each in found.checks) == sum(len(each.items) for each in facts)
    assert found.findings["error"] == 0
    with loaded(found.text) as module:
        for ours, inferred in zip(documented, tables_in(module), strict=True):
            expected = {line for lines in UNAVOIDABLE[ours.name].values() for line in lines}
            assert of_the_document(ours.name, differences(ours, inferred)) == expected
