"""The commands that find and repair items which are not as their design says."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from hansang.errors import AlreadyExists, HansangError, InvalidInput, NoSuchTable, NotFound, UnexpectedItem
from hansang.parts.editing import Editing
from hansang.parts.history import History
from hansang.parts.platform import Platform
from hansang.parts.server_address import ServerAddress, ServerAddressKey, find_address
from hansang.surfaces.cli.main import app
from tests.blueprint.designs import EXAMPLES, Customer, CustomerKey, Shop
from tests.spoiling import put_item, spoil

MOMENT = datetime(2026, 11, 15, tzinfo=UTC)
SHOP = "tests.blueprint.designs:Shop"
CUSTOMER = next(each for each in EXAMPLES if isinstance(each, Customer))
KEY = json.dumps({"PK": f"CUSTOMER#{CUSTOMER.id}", "SK": "METADATA"})


def run(*words: str | Path) -> Result:
    done = CliRunner().invoke(app, ["tables", *map(str, words)])
    if isinstance(done.exception, HansangError):
        raise done.exception
    return done


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    with Embedded.open(path) as backend:
        yield Database(backend)


@pytest.fixture
def broken(shop: Path) -> Path:
    """The shop, with a customer whose name is a number."""
    with opened(shop) as database:
        spoil(database, CustomerKey(id=CUSTOMER.id), name={"N": "7"})
    return shop


# ── looking ───────────────────────────────────────────────────────────────────────────────────────


def test_a_table_that_is_right_is_said_to_be(shop: Path) -> None:
    done = run("check", SHOP, "--data", shop)
    assert (done.exit_code, done.stdout) == (0, "Shop: 2 items, all as the design says\n")
    assert json.loads(run("check", SHOP, "--data", shop, "--json").stdout) == []


def test_items_that_cannot_be_read_are_listed(broken: Path) -> None:
    done = run("check", SHOP, "--data", broken)
    assert done.exit_code == 1
    assert f"The attribute name of the item PK=CUSTOMER#{CUSTOMER.id}" in done.stdout
    assert "Shop: 2 items, 1 not as the design says" in done.stdout


def test_wrong_index_keys_and_strangers_are_listed(shop: Path) -> None:
    with opened(shop) as database:
        spoil(database, CustomerKey(id=CUSTOMER.id), name_lower={"S": "OLD"})
        put_item(database, Shop, {"PK": {"S": "X"}, "SK": {"S": "Y"}})
    done = run("check", SHOP, "--data", shop, "--json")
    found = {each["kind"]: each for each in json.loads(done.stdout)}
    assert (done.exit_code, set(found)) == (1, {"", "Customer"})
    [wrong] = found["Customer"]["attributes"]
    assert (wrong["name"], wrong["stored"]) == ("name_lower", {"S": "OLD"})
    assert found[""]["key"] == {"PK": {"S": "X"}, "SK": {"S": "Y"}}


def test_a_table_that_is_not_there_is_said(shop: Path) -> None:
    with pytest.raises(NoSuchTable, match="Shop-dev"):
        run("check", SHOP, "--data", shop, "--suffix", "-dev")


def test_the_list_of_a_check_that_breaks_off_is_still_json(broken: Path) -> None:
    with Embedded.open(broken) as backend:
        Database(backend).create_tables(Platform)
        Database(backend).put(ServerAddress(url="http://localhost", started_at=MOMENT))
        rows = backend.engine.catalog().table(Platform.name).rows
        backend.engine.store.write(
            lambda writer: writer.execute(f"UPDATE rows_{rows} SET value = CAST('{{}}' AS BLOB)")
        )
    done = CliRunner().invoke(app, ["tables", "check", SHOP, "platform", "--data", str(broken), "--json"])
    assert isinstance(done.exception, HansangError)
    [found] = json.loads(done.stdout)
    assert found["kind"] == "Customer"


def peak_of(path: Path) -> int:
    tracemalloc.start()
    run("check", SHOP, "--data", path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_a_large_table_takes_no_more_memory_than_a_small_one(shop: Path) -> None:
    peaks = []
    for first in (0, 200):
        with opened(shop) as database:
            many = range(first, first + 200 + first)
            database.batch_write(Customer(id=f"c{number:05}", name="가" * 20_000) for number in many)
        peaks.append(peak_of(shop))
    assert peaks[1] < peaks[0] + 1_000_000


# ── repairing ─────────────────────────────────────────────────────────────────────────────────────


def repair(path: Path, *words: str, key: str = KEY) -> Result:
    return run("repair", SHOP, "--data", path, "--key", key, *words)


def stored(path: Path) -> Any:
    with opened(path) as database:
        return database.find(CustomerKey(id=CUSTOMER.id))


def test_a_repair_is_shown_before_it_is_written(broken: Path) -> None:
    done = repair(broken, "--set", 'name={"S": "Mina"}')
    assert 'name\n  before: {"N": "7"}\n  after:  {"S": "Mina"}\n' in done.stdout
    assert "name_lower\n" in done.stdout
    assert "Nothing was written. Give --yes to write it." in done.stdout
    with pytest.raises(UnexpectedItem):
        stored(broken)


def test_a_repair_is_written_when_that_is_asked_for(broken: Path) -> None:
    assert "Written." in repair(broken, "--set", 'name="Mina"', "--table", "Shop", "--yes").stdout
    assert stored(broken).name == "Mina"
    assert run("check", SHOP, "--data", broken).exit_code == 0


def test_a_repair_leaves_a_line_in_the_history_which_can_be_undone(broken: Path) -> None:
    with opened(broken) as database:
        database.create_tables(Platform)
    assert repair(broken, "--set", 'name="Mina"', "--yes").stdout.endswith("Written.\n")
    with opened(broken) as database:
        history = History(database, system_clock)
        [change] = history.page()
        assert (change.actor_kind, change.kind, change.verb) == ("operator", "Customer", "replace")
        assert change.before is not None
        assert change.before["name"] == {"N": "7"}
        Editing(database, history, areas={Shop: change.area}).undo(change.id, change.actor)
    assert run("check", SHOP, "--data", broken).exit_code == 1


def test_a_repair_of_the_platform_leaves_a_line_without_values(shop: Path) -> None:
    with opened(shop) as database:
        database.create_tables(Platform)
        database.put(ServerAddress(url="http://localhost", started_at=MOMENT))
        spoil(database, ServerAddressKey(), url={"N": "7"})
    words = ("--key", '{"PK": "SERVER", "SK": "ADDRESS"}', "--set", 'url="http://127.0.0.1"', "--yes")
    run("repair", "platform", "--data", shop, *words)
    with opened(shop) as database:
        [change] = History(database, system_clock).page()
        assert (change.area, change.kind, change.before_image) == ("platform", "ServerAddress", None)
        assert find_address(database) == "http://127.0.0.1"


def test_a_repair_where_no_history_is_kept_says_so(broken: Path) -> None:
    assert "No history" in repair(broken, "--set", 'name="Mina"', "--yes").stdout


def test_what_follows_from_the_fields_is_worked_out_anew(shop: Path) -> None:
    with opened(shop) as database:
        spoil(database, CustomerKey(id=CUSTOMER.id), name_lower={"S": "OLD"})
    repair(shop, "--yes")
    assert run("check", SHOP, "--data", shop).exit_code == 0
    assert "nothing to repair" in repair(shop, "--yes").stdout


def test_an_attribute_is_taken_away(shop: Path) -> None:
    repair(shop, "--remove", "mail", "--yes")
    assert stored(shop).mail is None


def test_an_item_with_a_wrong_key_moves_and_not_onto_another(shop: Path) -> None:
    with opened(shop) as database:
        item = spoil(database, CustomerKey(id=CUSTOMER.id), SK={"S": "META"})
    wrong = json.dumps({"PK": item["PK"], "SK": {"S": "META"}})
    with pytest.raises(AlreadyExists):
        repair(shop, "--set", 'SK="METADATA"', "--yes", key=wrong)
    with opened(shop) as database:
        database.delete(CustomerKey(id=CUSTOMER.id))
    repair(shop, "--set", 'SK="METADATA"', "--yes", key=wrong)
    assert stored(shop) == CUSTOMER


@pytest.mark.parametrize(
    ("words", "key", "error", "said"),
    [
        (["--set", 'name={"N": "8"}'], KEY, UnexpectedItem, "name"),
        (["--set", "name"], KEY, InvalidInput, "NAME=JSON"),
        (["--set", "name={"], KEY, InvalidInput, "no JSON"),
        (["--table", "Kiosk"], KEY, InvalidInput, "--table: Shop"),
        ([], "{", InvalidInput, "no JSON"),
        ([], '{"PK": "x"}', InvalidInput, "PK and SK"),
        ([], '{"PK": "x", "SK": "y"}', NotFound, "not found in"),
    ],
)
def test_a_repair_that_cannot_be_is_refused(
    broken: Path, words: list[str], key: str, error: type[HansangError], said: str
) -> None:
    with pytest.raises(error, match=said):
        repair(broken, *words, "--yes", key=key)


def test_an_item_that_nobody_knows_is_not_repaired(shop: Path) -> None:
    with opened(shop) as database:
        put_item(database, Shop, {"PK": {"S": "X"}, "SK": {"S": "Y"}})
    with pytest.raises(InvalidInput, match="There are Customer, Order"):
        repair(shop, "--yes", key='{"PK": "X", "SK": "Y"}')
