"""The clients that people use, unchanged: boto3, the AWS CLI and the JavaScript SDK."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.surfaces.support import KEYS, Address

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

SDK = "@aws-sdk/client-dynamodb"


@contextmanager
def client_of(address: Address, secret: str = KEYS.secret_key) -> Iterator[DynamoDBClient]:
    client = boto3.client(
        "dynamodb",
        endpoint_url=address.url,
        region_name="us-east-1",
        aws_access_key_id=KEYS.access_key,
        aws_secret_access_key=secret,
        config=Config(retries={"mode": "standard", "total_max_attempts": 1}, max_pool_connections=32),
    )
    with closing(client):
        yield client


@pytest.fixture(params=["endpoint", "locked"])
def address(request: pytest.FixtureRequest, endpoint: Address, locked: Address) -> Address:
    """An endpoint without keys, then one with them."""
    return endpoint if request.param == "endpoint" else locked


@pytest.fixture
def client(address: Address) -> Iterator[DynamoDBClient]:
    with client_of(address) as client:
        yield client


@pytest.fixture
def table(client: DynamoDBClient, request: pytest.FixtureRequest) -> Iterator[str]:
    """A table with the keys `pk` and `sk`, and a stream."""
    name = "".join(letter if letter.isalnum() else "_" for letter in request.node.name)[:200]
    client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "N"},
        ],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    )
    client.get_waiter("table_exists").wait(TableName=name)
    yield name
    client.delete_table(TableName=name)


def key(pk: str, sk: int) -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}}


def test_boto3_reads_what_it_wrote(client: DynamoDBClient, table: str) -> None:
    item = key("한상", 1) | {
        "bytes": {"B": b"\x00\xff"},
        "numbers": {"NS": ["1", "2"]},
        "nothing": {"NULL": True},
        "list": {"L": [{"BOOL": False}, {"M": {"a": {"S": ""}}}]},
    }
    client.put_item(TableName=table, Item=item)
    answer = client.get_item(TableName=table, Key=key("한상", 1), ConsistentRead=True)
    found = answer["Item"]
    assert set(found["numbers"]["NS"]) == {"1", "2"}
    assert found | {"numbers": item["numbers"]} == item
    assert answer["ResponseMetadata"]["RetryAttempts"] == 0
    assert len(answer["ResponseMetadata"]["RequestId"]) == 52


def test_a_boto3_resource_speaks_python_values(address: Address, table: str) -> None:
    resource = boto3.resource(
        "dynamodb",
        endpoint_url=address.url,
        region_name="us-east-1",
        aws_access_key_id=KEYS.access_key,
        aws_secret_access_key=KEYS.secret_key,
    )
    with closing(resource.meta.client):
        rows = resource.Table(table)
        with rows.batch_writer() as batch:
            for number in range(60):
                batch.put_item(Item={"pk": "p", "sk": number, "share": Decimal("0.1")})
        found = rows.query(
            KeyConditionExpression="pk = :p AND sk >= :s", ExpressionAttributeValues={":p": "p", ":s": 50}
        )
        assert [row["sk"] for row in found["Items"]] == list(range(50, 60))
        assert found["Items"][0]["share"] == Decimal("0.1")


def test_boto3_raises_the_error_of_the_operation(client: DynamoDBClient, table: str) -> None:
    client.put_item(TableName=table, Item=key("a", 1))
    with pytest.raises(
        client.exceptions.ConditionalCheckFailedException, match="The conditional request failed"
    ):
        client.put_item(TableName=table, Item=key("a", 1), ConditionExpression="attribute_not_exists(pk)")
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName="no-such-table")


def test_boto3_is_told_why_a_transaction_was_cancelled(client: DynamoDBClient, table: str) -> None:
    condition = "attribute_exists(pk)"
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": table, "Item": key("a", 2)}},
                {
                    "ConditionCheck": {
                        "TableName": table,
                        "Key": key("b", 2),
                        "ConditionExpression": condition,
                    }
                },
            ]
        )
    reasons = caught.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"]


def test_boto3_reads_the_stream(address: Address, client: DynamoDBClient, table: str) -> None:
    client.put_item(TableName=table, Item=key("a", 3))
    streams = boto3.client(
        "dynamodbstreams",
        endpoint_url=address.url,
        region_name="us-east-1",
        aws_access_key_id=KEYS.access_key,
        aws_secret_access_key=KEYS.secret_key,
    )
    with closing(streams):
        [stream] = streams.list_streams(TableName=table)["Streams"]
        shards = streams.describe_stream(StreamArn=stream["StreamArn"])["StreamDescription"]["Shards"]
        iterator = streams.get_shard_iterator(
            StreamArn=stream["StreamArn"], ShardId=shards[0]["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        [record] = streams.get_records(ShardIterator=iterator)["Records"]
    assert record["dynamodb"]["Keys"] == key("a", 3)


def test_boto3_finds_the_checksum_of_a_compressed_answer_right(client: DynamoDBClient, table: str) -> None:
    def ask(params: dict[str, Any], **_: Any) -> None:
        params["headers"]["Accept-Encoding"] = "gzip"

    def decompress(response_dict: dict[str, Any], **_: Any) -> None:
        assert response_dict["headers"]["content-encoding"] == "gzip"
        response_dict["body"] = gzip.decompress(response_dict["body"])

    client.put_item(TableName=table, Item=key("a", 4) | {"text": {"S": "x" * 10_000}})
    client.meta.events.register("before-call", ask)
    client.meta.events.register("before-parse", decompress)
    answer = client.get_item(TableName=table, Key=key("a", 4))
    assert answer["Item"]["text"]["S"] == "x" * 10_000
    client.meta.events.unregister("before-call", ask)
    client.meta.events.unregister("before-parse", decompress)


def test_one_boto3_client_serves_many_threads(client: DynamoDBClient, table: str) -> None:
    def put(number: int) -> None:
        client.put_item(TableName=table, Item=key("many", number))

    with ThreadPoolExecutor(32) as threads:
        list(threads.map(put, range(400)))
    assert (
        client.query(
            TableName=table,
            Select="COUNT",
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": {"S": "many"}},
        )["Count"]
        == 400
    )


def test_boto3_is_told_of_a_wrong_secret(locked: Address) -> None:
    with client_of(locked, "wrong") as client, pytest.raises(ClientError) as caught:
        client.list_tables()
    assert caught.value.response["Error"]["Code"] == "InvalidSignatureException"


def clean_environment(home: Path) -> dict[str, str]:
    """An environment in which no profile of the machine shows."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return kept | {
        "HOME": str(home),
        "AWS_ACCESS_KEY_ID": KEYS.access_key,
        "AWS_SECRET_ACCESS_KEY": KEYS.secret_key,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "1",
    }


def aws(address: Address, home: Path, *words: str) -> Any:
    command = [
        str(Path(sys.executable).parent / "aws"),
        "--endpoint-url",
        address.url,
        "--output",
        "json",
        *words,
    ]
    done = subprocess.run(command, env=clean_environment(home), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout or "{}")


def test_the_aws_cli_works(address: Address, table: str, tmp_path: Path) -> None:
    assert table in aws(address, tmp_path, "dynamodb", "list-tables")["TableNames"]
    item = json.dumps(key("한상", 1) | {"title": {"S": "밥"}})
    aws(address, tmp_path, "dynamodb", "put-item", "--table-name", table, "--item", item)
    found = aws(address, tmp_path, "dynamodb", "scan", "--table-name", table)
    assert found["Items"] == [json.loads(item)]
    assert aws(address, tmp_path, "dynamodbstreams", "list-streams", "--table-name", table)["Streams"]


SCRIPT = """
const {
  DynamoDBClient, PutItemCommand, GetItemCommand, QueryCommand, TransactWriteItemsCommand,
} = require(SDK);
const client = new DynamoDBClient({ endpoint: ENDPOINT, region: "us-east-1", credentials: KEYS, maxAttempts: 1 });
const failure = async (command) => { try { await client.send(command); } catch (error) { return error; } };
(async () => {
  const Key = { pk: { S: "한상" }, sk: { N: "1" } };
  const Item = { ...Key, bytes: { B: new Uint8Array([0, 255]) }, text: { S: "x".repeat(20000) } };
  await client.send(new PutItemCommand({ TableName, Item }));
  const found = await client.send(new GetItemCommand({ TableName, Key }));
  const condition = { TableName, Item, ConditionExpression: "attribute_not_exists(pk)" };
  const refused = await failure(new PutItemCommand(condition));
  const cancelled = await failure(new TransactWriteItemsCommand({ TransactItems: [{ Put: condition }] }));
  const missing = await failure(new QueryCommand({
    TableName: "none", KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": { S: "p" } } }));
  console.log(JSON.stringify({
    bytes: Array.from(found.Item.bytes.B), text: found.Item.text.S.length, refused: refused.name,
    reasons: cancelled.CancellationReasons.map((reason) => reason.Code), missing: missing.name,
    requestId: found.$metadata.requestId.length, attempts: found.$metadata.attempts }));
  client.destroy();
})();
"""


def missing_sdk(reason: str) -> None:
    """Skip on a machine of one's own; in CI the SDK has to be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(f"{reason} Put {SDK} on NODE_PATH to run this, or set CI=true to install it.")


@pytest.fixture(scope="session")
def node_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of node modules that has the SDK."""
    if not shutil.which("node") or not shutil.which("npm"):
        missing_sdk("node and npm are not installed.")
    there = ["node", "-e", f"require.resolve('{SDK}')"]
    if subprocess.run(there, capture_output=True, timeout=60).returncode == 0:
        return os.environ.get("NODE_PATH", "")
    if os.environ.get("CI") != "true":
        missing_sdk(f"{SDK} is not installed.")
    folder = tmp_path_factory.mktemp("sdk")
    install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), SDK]
    done = subprocess.run(install, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        missing_sdk(f"npm install {SDK} failed: {done.stderr}")
    return str(folder / "node_modules")


def test_the_javascript_sdk_works(address: Address, table: str, node_path: str, tmp_path: Path) -> None:
    credentials = {"accessKeyId": KEYS.access_key, "secretAccessKey": KEYS.secret_key}
    names = {"SDK": SDK, "ENDPOINT": address.url, "KEYS": credentials, "TableName": table}
    script = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in names.items()) + SCRIPT
    environment = clean_environment(tmp_path) | {"NODE_PATH": node_path}
    done = subprocess.run(["node", "-e", script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "bytes": [0, 255],
        "text": 20_000,
        "refused": "ConditionalCheckFailedException",
        "reasons": ["ConditionalCheckFailed"],
        "missing": "ResourceNotFoundException",
        "requestId": 52,
        "attempts": 1,
    }
