"""Several processes on one file: whatever happens to them, nothing is lost, nothing is there twice, and reads go on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hansang.engine import Engine
from tests.crash.judge import scan
from tests.engine.streams import stream_records
from tests.soak.bank import BANK, BankJudge, account, balances, claim, open_accounts, stream_faults, transfer
from tests.soak.child import jumping
from tests.soak.soak import READS, Soak

SEED = 6
"""With which one short round has a stop, a backup, a deleted lock, a full disk and a clock that jumps."""


def test_one_short_round_of_everything(tmp_path: Path) -> None:
    soak = Soak(tmp_path, random.Random(SEED), groups=7, at_once=3, longest=0.15, finishing=1, least=3)
    assert soak.round() == []
    figures = soak.figures
    assert figures.kills == soak.groups + 1
    assert figures.reads_meanwhile == READS * figures.stops
    happened = (
        figures.stops,
        figures.locks_deleted,
        figures.full_disks,
        figures.clock_jumpers,
        figures.backups,
    )
    assert all(happened), happened
    assert figures.acknowledged + figures.transfers + figures.claims > 10
    assert sorted(each.name for each in (tmp_path / "backups").iterdir()) == []


# ── the judge is not blind ────────────────────────────────────────────────────────────────────────


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "bank.db", durability="normal", sweep_seconds=None) as opened:
        open_accounts(opened)
        yield opened


@pytest.fixture
def bank(engine: Engine) -> BankJudge:
    """A judge who saw some transfers and claims done and acknowledged."""
    judge = BankJudge()
    for number in range(60):
        engine.call("TransactWriteItems", transfer(f"t{number}"))
        judge.transfers.add(f"t{number}")
        engine.call("PutItem", claim(number, f"g{number % 3}"))
        judge.claims[number] = [f"g{number % 3}"]
    return judge


def without(engine: Engine, key: str) -> None:
    engine.call("DeleteItem", {"TableName": BANK, "Key": {"PK": {"S": key}}})


def test_the_judge_accepts_a_bank_without_faults(engine: Engine, bank: BankJudge) -> None:
    assert bank.verdict(engine) == []


def test_the_judge_accepts_a_transfer_that_was_not_acknowledged(engine: Engine, bank: BankJudge) -> None:
    engine.call("TransactWriteItems", transfer("under way"))
    engine.call("PutItem", claim(99, "under way"))
    assert bank.verdict(engine) == []


def test_the_judge_misses_a_transfer(engine: Engine, bank: BankJudge) -> None:
    bank.transfers.add("t99")
    assert bank.verdict(engine) == ["transfer t99 was acknowledged and is lost"]


def test_the_judge_sees_half_a_transfer(engine: Engine, bank: BankJudge) -> None:
    request = {
        "TableName": BANK,
        "Key": account(3),
        "UpdateExpression": "ADD balance :some",
        "ExpressionAttributeValues": {":some": {"N": "7"}},
    }
    engine.call("UpdateItem", request)
    account_fault, sum_fault = bank.verdict(engine)
    assert account_fault.startswith("account 3 has ")
    assert sum_fault == "the sum of all accounts is 12007 instead of 12000"


def test_the_judge_sees_a_claim_of_two_and_one_that_is_lost(engine: Engine, bank: BankJudge) -> None:
    bank.claims[4].append("g2")
    assert bank.verdict(engine) == ["claim 4 was given to ['g1', 'g2'] and is g1's"]
    bank.claims[4].pop()
    without(engine, "claim 7")
    assert bank.verdict(engine) == ["claim 7 was given to ['g1'] and is None's"]


Records = list[dict[str, Any]]
HARMS: dict[str, Callable[[Records], Records]] = {
    "missing": lambda records: records[:-1],
    "missing in the midst": lambda records: records[:5] + records[6:],
    "twice": lambda records: [*records, records[-1]],
    "out of order": lambda records: [*records[:-2], records[-1], records[-2]],
}


@pytest.mark.parametrize("harm", HARMS)
def test_the_judge_sees_a_record_of_the_stream_that_is_not_in_its_place(
    engine: Engine, bank: BankJudge, harm: str
) -> None:
    items = {item["PK"]["S"]: item for item in scan(engine, BANK)}
    whole = list(stream_records(engine, BANK))
    of_one = [each for each in whole if each["dynamodb"]["Keys"]["PK"]["S"] == "account 0"]
    others = [each for each in whole if each not in of_one]
    assert len(of_one) > 6
    assert list(stream_faults(others + of_one, items)) == []
    assert list(stream_faults(others + HARMS[harm](of_one), items)) != []


def test_a_backup_is_judged_by_what_was_acknowledged_when_it_was_begun(
    engine: Engine, bank: BankJudge
) -> None:
    items = {item["PK"]["S"]: item for item in scan(engine, BANK)}
    assert list(bank.copy_faults(items, {"t1"})) == []
    assert list(bank.copy_faults(items, {"t1", "later"})) == ["transfer later was acknowledged and is lost"]


def test_all_accounts_are_read_at_one_moment(engine: Engine, bank: BankJudge) -> None:
    answer = engine.call("TransactGetItems", balances())["Responses"]
    assert sum(int(each["Item"]["balance"]["N"]) for each in answer) == 12_000


def test_the_clock_jumps_and_stays_within_half_a_day() -> None:
    clock = jumping("a seed")
    times = [clock() for _ in range(1000)]
    assert any(later < earlier for earlier, later in pairwise(times))
    assert max(times) - min(times) < 12 * 3600 + 60
