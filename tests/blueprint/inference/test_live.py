"""Samples of live tables: bounded, from all over the table, and with what they cost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.backends.embedded import Embedded
from hansang.backends.recording import Recording
from hansang.blueprint.inference.live import sample_table
from hansang.errors import NoSuchTable

SOME = 1_200


@pytest.fixture(scope="module")
def backend() -> Iterator[Embedded]:
    """A table of many small partitions, and one of two items."""
    with Embedded.open(":memory:") as found:
        for name, count in (("Large", SOME), ("Small", 2)):
            found.call(
                "CreateTable",
                {
                    "TableName": name,
                    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
                    "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
                    "BillingMode": "PAY_PER_REQUEST",
                },
            )
            for at in range(0, count, 25):
                puts = [
                    {"PutRequest": {"Item": {"PK": {"S": f"k{each}"}}}}
                    for each in range(at, min(at + 25, count))
                ]
                found.call("BatchWriteItem", {"RequestItems": {name: puts}})
        yield found


def test_a_small_table_is_read_whole_in_one_request(backend: Embedded) -> None:
    recording = Recording(backend)
    sample = sample_table(recording, "Small", 100)
    assert (len(sample.facts.items), sample.is_whole, sample.read_units) == (2, True, 0.5)
    assert [each.operation for each in recording.calls].count("Scan") == 1


def test_a_large_table_is_read_in_places_all_over_it(backend: Embedded) -> None:
    counts: list[int] = []
    sample = sample_table(backend, "Large", 200, counts.append)
    assert (len(sample.facts.items), sample.is_whole, sum(counts)) == (200, False, 200)
    assert len(counts) >= 20
    assert sample.read_units == 0.5 * len(counts)


def test_more_than_there_is_gives_every_item_once(backend: Embedded) -> None:
    sample = sample_table(backend, "Large", SOME * 2)
    keys = {item["PK"]["S"] for item in sample.facts.items}
    assert (len(sample.facts.items), len(keys), sample.is_whole) == (SOME, SOME, True)


def test_a_sample_ends_when_it_is_large_enough_in_bytes(backend: Embedded) -> None:
    sample = sample_table(backend, "Large", 1_000, most_bytes=100)
    assert 0 < len(sample.facts.items) < 50
    assert not sample.is_whole


def test_a_table_that_is_not_there_says_so(backend: Embedded) -> None:
    with pytest.raises(NoSuchTable, match="no table Gone"):
        sample_table(backend, "Gone", 10)
