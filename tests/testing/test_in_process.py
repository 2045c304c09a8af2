"""boto3 is answered in the process: isolated, in every thread, and as if nothing had been when it is left."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any

import boto3
import botocore.session
import pytest
from botocore import handlers
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from hansang import testing
from hansang.backends.chaos import Faults
from hansang.design import Database, Entity, Key, Table
from hansang.errors import SettingsError
from tests.testing.tables import NOTES, note

ONCE = Config(retries={"total_max_attempts": 1})


class Shelf(Table, name="Shelf"):
    pass


class JarKey(Key["Jar"], pk="JAR#{id}", sk="JAR"):
    id: str


class Jar(JarKey, Entity, table=Shelf):
    content: str


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nobody has configured anything, and whoever opens a connection fails."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)

    def refuse(*arguments: object, **options: object) -> None:
        raise socket.gaierror("a test opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def opened() -> Iterator[testing.InProcess]:
    with testing.boto3(tables=[NOTES]) as found:
        yield found


def refusal(error: pytest.ExceptionInfo[ClientError]) -> str:
    return error.value.response["Error"]["Code"]


def test_a_client_is_answered_without_region_credentials_or_connection() -> None:
    with testing.boto3():
        client = boto3.client("dynamodb")
        client.create_table(**NOTES)
        client.get_waiter("table_exists").wait(TableName="Notes")
        client.put_item(TableName="Notes", Item=note())
        found = client.query(
            TableName="Notes",
            KeyConditionExpression="board = :board",
            ExpressionAttributeValues={":board": {"S": "kitchen"}},
        )
    assert found["Items"] == [note()]
    assert len(found["ResponseMetadata"]["RequestId"]) == 52


def test_a_resource_and_an_endpoint_are_answered_too(opened: testing.InProcess) -> None:
    table = boto3.resource("dynamodb", endpoint_url="http://localhost:1").Table("Notes")
    table.put_item(Item={"board": "kitchen", "number": 7, "raw": b"\x00\xff"})
    assert table.get_item(Key={"board": "kitchen", "number": 7})["Item"]["raw"] == b"\x00\xff"
    assert opened.call("DescribeTable", {"TableName": "Notes"})["Table"]["ItemCount"] == 1


def test_what_aws_refuses_is_refused_in_its_words(opened: testing.InProcess) -> None:
    client = boto3.client("dynamodb")
    client.put_item(TableName="Notes", Item=note())
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as error:
        client.put_item(
            TableName="Notes",
            Item=note(),
            ConditionExpression="attribute_not_exists(board)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert error.value.response["Item"] == note()  # type: ignore[typeddict-item]
    with pytest.raises(ClientError) as reserved:
        client.update_item(
            TableName="Notes",
            Key=key(),
            UpdateExpression="SET status = :s",
            ExpressionAttributeValues={":s": {"S": "x"}},
        )
    assert refusal(reserved) == "ValidationException"
    assert "reserved keyword: status" in reserved.value.response["Error"]["Message"]


def key(number: int = 1) -> Any:
    return {"board": {"S": "kitchen"}, "number": {"N": str(number)}}


def test_a_stream_is_read_by_its_own_client(opened: testing.InProcess) -> None:
    wish = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    opened.create_tables({**NOTES, "TableName": "Streamed", "StreamSpecification": wish})
    boto3.client("dynamodb").put_item(TableName="Streamed", Item=note())
    streams = boto3.client("dynamodbstreams")
    [stream] = streams.list_streams(TableName="Streamed")["Streams"]
    [shard] = streams.describe_stream(StreamArn=stream["StreamArn"])["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=stream["StreamArn"], ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    [record] = streams.get_records(ShardIterator=iterator)["Records"]
    assert record["dynamodb"]["NewImage"] == note()


# ── isolation ─────────────────────────────────────────────────────────────────────────────────────


def test_blocks_are_isolated_and_the_inner_one_answers(opened: testing.InProcess) -> None:
    client = boto3.client("dynamodb")
    with testing.boto3():
        assert client.list_tables()["TableNames"] == []
        assert opened.client().list_tables()["TableNames"] == ["Notes"]
    assert client.list_tables()["TableNames"] == ["Notes"]


def test_a_file_is_found_again(tmp_path: Path) -> None:
    with testing.boto3(tmp_path / "notes.db", tables=[NOTES]) as first:
        first.client().put_item(TableName="Notes", Item=note())
    with testing.boto3(tmp_path / "notes.db") as second:
        assert second.client().scan(TableName="Notes")["Items"] == [note()]


def test_a_client_that_a_program_keeps_is_answered_by_the_next_block() -> None:
    with testing.boto3(tables=[NOTES]):
        client = boto3.client("dynamodb")
        client.put_item(TableName="Notes", Item=note())
    with testing.boto3(tables=[NOTES]):
        assert client.scan(TableName="Notes")["Items"] == []


def test_a_thread_of_the_program_is_answered_by_the_block_that_is_open(opened: testing.InProcess) -> None:
    with ThreadPoolExecutor(8) as threads:
        clients = list(threads.map(lambda _: opened.client(), range(2)))
        plain = boto3.client("dynamodb")
        for number, client in enumerate([*clients, *[plain] * 14]):
            threads.submit(client.put_item, TableName="Notes", Item=note(number=number)).result()
    assert boto3.client("dynamodb").scan(TableName="Notes")["Count"] == 16


def test_threads_that_open_their_own_blocks_do_not_see_each_other() -> None:
    meet = threading.Barrier(4)

    def work(number: int) -> list[Any]:
        with testing.boto3(tables=[NOTES]):
            client = boto3.Session().client("dynamodb")
            meet.wait(60)
            client.put_item(TableName="Notes", Item=note(number=number))
            meet.wait(60)
            found = client.scan(TableName="Notes")["Items"]
            meet.wait(60)
            return found

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(work, range(4))) == [[note(number=number)] for number in range(4)]


def test_a_thread_without_a_block_between_two_is_told_what_to_do(opened: testing.InProcess) -> None:
    client = boto3.client("dynamodb")
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        with testing.boto3():
            inside.set()
            done.wait(60)

    # A thread of Python 3.14 begins in the context of whoever starts it.
    with ThreadPoolExecutor(3, initializer=_forget) as threads:
        running = threads.submit(other)
        try:
            assert inside.wait(60)
            with pytest.raises(SettingsError, match=r"copy_context\(\)\.run"):
                threads.submit(client.list_tables).result(60)
            told = threads.submit(copy_context().run, client.list_tables).result(60)
            bound = threads.submit(opened.client().list_tables).result(60)
        finally:
            done.set()
        running.result(60)
    assert told["TableNames"] == bound["TableNames"] == ["Notes"]


def _forget() -> None:
    testing.hook.HOOK._here.set(())


# ── leaving ───────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_left_of_a_block() -> None:
    builtin, environment, session = list(handlers.BUILTIN_HANDLERS), dict(os.environ), boto3.DEFAULT_SESSION
    with testing.boto3(), testing.boto3():
        boto3.client("dynamodb").list_tables()
        assert os.environ != environment
    assert (handlers.BUILTIN_HANDLERS, dict(os.environ), boto3.DEFAULT_SESSION) == (
        builtin,
        environment,
        session,
    )
    with pytest.raises(RuntimeError), testing.boto3():
        raise RuntimeError
    assert builtin == handlers.BUILTIN_HANDLERS


def test_a_client_of_a_block_that_has_ended_reaches_nobody() -> None:
    with testing.boto3() as ended:
        client, own = boto3.client("dynamodb"), ended.client()
    with pytest.raises(SettingsError, match="block has ended"):
        client.list_tables()
    with pytest.raises(SettingsError, match="has ended"):
        own.list_tables()


def test_a_client_from_before_goes_its_way_unless_it_is_attached() -> None:
    keys: Any = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "region_name": "us-east-1"}
    client: Any = botocore.session.Session().create_client("dynamodb", config=ONCE, **keys)
    session = boto3.Session(**keys)
    with testing.boto3(tables=[NOTES]) as opened:
        for made_before in (client, session, session.resource("dynamodb")):
            opened.attach(made_before)
        assert client.list_tables()["TableNames"] == ["Notes"]
        assert session.client("dynamodb").list_tables()["TableNames"] == ["Notes"]
    with pytest.raises(BotoCoreError, match="Could not connect"):
        client.list_tables()


def test_the_shared_session_of_a_program_keeps_its_settings() -> None:
    boto3.setup_default_session(region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b")
    before = boto3.DEFAULT_SESSION
    with testing.boto3():
        client = boto3.client("dynamodb")
        assert (client.list_tables()["TableNames"], client.meta.region_name) == ([], "eu-west-1")
    assert boto3.DEFAULT_SESSION is before
    with pytest.raises(BotoCoreError, match="Could not connect"):
        boto3.client("dynamodb", config=ONCE).list_tables()


# ── as a decorator ────────────────────────────────────────────────────────────────────────────────


def test_a_decorated_function_has_an_engine_for_every_call() -> None:
    @testing.boto3(tables=[NOTES])
    def added(number: int) -> int:
        client = boto3.client("dynamodb")
        client.put_item(TableName="Notes", Item=note(number=number))
        return client.scan(TableName="Notes")["Count"]

    assert [added(1), added(number=2)] == [1, 1]


def test_a_decorated_coroutine_is_answered_while_it_is_awaited() -> None:
    @testing.boto3(tables=[NOTES])
    async def names() -> list[str]:
        client = boto3.client("dynamodb")
        await asyncio.sleep(0)
        return (await asyncio.to_thread(client.list_tables))["TableNames"]

    assert asyncio.run(names()) == ["Notes"]


def test_what_a_decorator_could_not_keep_open_is_refused() -> None:
    def steps() -> Iterator[int]:
        yield 1

    for wrong in (steps, Shelf):
        with pytest.raises(SettingsError, match="decorates functions"):
            testing.boto3()(wrong)


def test_a_block_that_is_open_is_not_opened_again(opened: testing.InProcess) -> None:
    with pytest.raises(SettingsError, match="open already"), opened:
        pass


# ── at hand ───────────────────────────────────────────────────────────────────────────────────────


def test_a_design_and_boto3_see_the_same_tables() -> None:
    with testing.boto3(tables=[Shelf]) as opened:
        Database(opened).create(Jar(id="1", content="kimchi"))
        [item] = boto3.client("dynamodb").scan(TableName="Shelf")["Items"]
    assert item["content"] == {"S": "kimchi"}


def test_the_meter_counts_units_and_the_program_sees_what_it_asked_for(opened: testing.InProcess) -> None:
    client = boto3.client("dynamodb")
    with opened.meter() as cost:
        client.put_item(TableName="Notes", Item=note())
        answer = client.get_item(TableName="Notes", Key=key())
        with pytest.raises(ClientError):
            client.delete_item(
                TableName="Notes", Key=key(), ConditionExpression="attribute_not_exists(board)"
            )
        assert (cost.read, cost.write, cost.requests) == (0.5, 2.0, 3)
    client.get_item(TableName="Notes", Key=key())
    assert "ConsumedCapacity" not in dict(answer)
    assert (cost.read, cost.tables["Notes"].write) == (0.5, 2.0)


def test_chaos_is_over_when_its_block_ends(opened: testing.InProcess) -> None:
    client = boto3.client("dynamodb", config=ONCE)
    with opened.chaos(Faults(throttled=1)) as counts, pytest.raises(ClientError) as error:
        client.get_item(TableName="Notes", Key=key())
    assert (refusal(error), counts["throttled"]) == ("ProvisionedThroughputExceededException", 1)
    with opened.chaos(Faults(lost=1)), pytest.raises(ClientError) as lost:
        client.put_item(TableName="Notes", Item=note())
    assert refusal(lost) == "ServiceUnavailable"
    assert client.get_item(TableName="Notes", Key=key())["Item"] == note()


def test_the_clock_is_moved_and_what_expires_goes(opened: testing.InProcess) -> None:
    client = boto3.client("dynamodb")
    client.update_time_to_live(
        TableName="Notes", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"}
    )
    opened.clock.stop(1_800_000_000)
    client.put_item(TableName="Notes", Item={**note(), "until": {"N": "1800000060"}})
    opened.clock.advance(59)
    assert opened.sweep() == 0
    opened.clock.advance(2)
    assert (opened.sweep(), opened.clock()) == (1, 1_800_000_061)
    assert client.scan(TableName="Notes")["Items"] == []


def test_a_clock_that_was_not_stopped_goes_on() -> None:
    ticks = iter([10.0, 11.0])
    clock = testing.MovableClock(lambda: next(ticks))
    clock.advance(100)
    assert [clock(), clock()] == [110.0, 111.0]
