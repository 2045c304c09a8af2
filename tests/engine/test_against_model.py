"""The engine and a plain model of DynamoDB's rules take the same steps and must agree."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.engine import steps
from tests.engine.agreement import Agreement
from tests.engine.model import Delete, Put, Update, Write
from tests.engine.model_reads import Read
from tests.engine.model_tables import SINGLES, TABLES, Index, Table
from tests.engine.model_values import Item
from tests.engine.streams import stream_records

pytestmark = pytest.mark.long

RETURNS = ["ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"]


class Steps(RuleBasedStateMachine):
    """Random steps, and after each of them a look at every index."""

    def __init__(self) -> None:
        super().__init__()
        self.both = Agreement()

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is None:
                for table in TABLES.values():
                    self.both.order_agrees(table)
                    self.both.stream_agrees(table)
        finally:
            self.both.engine.close()

    @initialize(seed=st.integers(0, 10_000))
    def fill(self, seed: int) -> None:
        self.both.fill(steps.filling(seed))

    @rule(writes=steps.some_writes(), mode=steps.modes, wish=st.sampled_from(RETURNS))
    def write(self, writes: list[Put | Update | Delete], mode: str, wish: str) -> None:
        for write in writes:
            self.both.write(write, mode, wish)

    @rule(writes=steps.batches(), mode=steps.modes)
    def batch(self, writes: list[Put | Delete], mode: str) -> None:
        self.both.batch(writes, mode)

    @rule(writes=steps.transactions(), mode=steps.modes)
    def transact(self, writes: list[Write], mode: str) -> None:
        self.both.transact(writes, mode)

    @rule(wanted=steps.any_keys(), consistent=st.booleans(), mode=steps.modes)
    def get(self, wanted: list[tuple[Table, Item]], consistent: bool, mode: str) -> None:
        for table, key in wanted:
            self.both.get(table, key, consistent, mode)
        self.both.get_batch(wanted)
        self.both.get_together(wanted)

    @rule(reads=steps.some_queries, mode=steps.modes)
    def query(self, reads: list[Read], mode: str) -> None:
        for read in reads:
            self.both.walk(read, mode)

    @rule(reads=steps.some_scans, mode=steps.modes)
    def scan(self, reads: list[Read], mode: str) -> None:
        for read in reads:
            self.both.walk(read, mode)

    @precondition(lambda self: self.both.changed)
    @invariant()
    def indexes_agree(self) -> None:
        self.both.indexes_agree()


TestTheEngineAgreesWithTheModel = Steps.TestCase


@pytest.fixture
def both() -> Iterator[Agreement]:
    opened = Agreement()
    opened.fill(steps.filling(1))
    yield opened
    opened.engine.close()


@pytest.mark.parametrize(
    ("table", "index"),
    [(table, index) for table in TABLES.values() for index in (table.base, *table.indexes)],
)
def test_every_sort_key_operator_finds_what_the_model_finds(
    both: Agreement, table: Table, index: Index
) -> None:
    for partition in both.partitions(table, index):
        for number, condition in enumerate(steps.every_sort_condition(table, index)):
            limit = (None, 1, 2)[number % 3]
            both.walk(
                Read(table, index, partition, condition, forward=bool(number % 2), limit=limit), "INDEXES"
            )


@pytest.mark.parametrize("segments", [1, 2, 3, 7, 64])
def test_the_segments_of_a_scan_make_up_the_whole(both: Agreement, segments: int) -> None:
    for table in TABLES.values():
        for index in (table.base, *table.indexes):
            for limit in (None, 1, 3):
                both.walk(Read(table, index, limit=limit, segments=segments), "TOTAL")


def test_sequence_numbers_rise_within_a_shard(both: Agreement) -> None:
    for count in range(30):
        both.write(Put(SINGLES, {"h": {"S": "one"}, "num": {"N": str(count)}}), "TOTAL", "ALL_OLD")
    records = stream_records(both.engine, SINGLES.name)
    found = [int(record["dynamodb"]["SequenceNumber"]) for record in records]
    assert len(found) > 30
    assert all(before < after for before, after in pairwise(found))
