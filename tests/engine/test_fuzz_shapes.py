"""Wrong-typed, missing and surplus parameters of every operation are refused, and nothing breaks."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from hansang.errors import WireError
from tests.engine.fuzz_engine import ACCOUNT, KEY, ask, assert_indexes_agree, contents, filled_engine, keep
from tests.engine.model_tables import SINGLES, TABLES, WORDS

TABLE = WORDS.name
ARN = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{TABLE}"
STREAM = f"{ARN}/stream/2026-01-01T00:00:00.000"
THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
CONDITION = {
    "ConditionExpression": "#t = :t",
    "ExpressionAttributeNames": {"#t": "txt"},
    "ExpressionAttributeValues": {":t": {"S": "가나다"}},
}
INDEX = {
    "IndexName": "by_text",
    "KeySchema": [{"AttributeName": "txt", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["num"]},
}

REQUESTS: dict[str, dict[str, Any]] = {
    "CreateTable": {
        **SINGLES.creation(),
        "TableName": "Fresh",
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": THROUGHPUT,
        "GlobalSecondaryIndexes": [{**SINGLES.indexes[0].schema(), "ProvisionedThroughput": THROUGHPUT}],
        "SSESpecification": {"Enabled": True},
        "Tags": [{"Key": "a", "Value": "b"}],
        "DeletionProtectionEnabled": False,
        "TableClass": "STANDARD",
    },
    "DescribeTable": {"TableName": TABLE},
    "ListTables": {"ExclusiveStartTableName": "Aaa", "Limit": 10},
    "UpdateTable": {
        "TableName": TABLE,
        "AttributeDefinitions": [{"AttributeName": "txt", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": INDEX}],
    },
    "DeleteTable": {"TableName": TABLE},
    "UpdateTimeToLive": {
        "TableName": TABLE,
        "TimeToLiveSpecification": {"AttributeName": "end", "Enabled": True},
    },
    "DescribeTimeToLive": {"TableName": TABLE},
    "TagResource": {"ResourceArn": ARN, "Tags": [{"Key": "a", "Value": "b"}]},
    "UntagResource": {"ResourceArn": ARN, "TagKeys": ["a"]},
    "ListTagsOfResource": {"ResourceArn": ARN, "NextToken": "x"},
    "DescribeLimits": {},
    "DescribeEndpoints": {},
    "PutItem": {
        "TableName": TABLE,
        "Item": {**KEY, "any": {"L": [{"M": {"a": {"N": "1"}}}]}},
        "ReturnValues": "ALL_OLD",
        "ReturnConsumedCapacity": "INDEXES",
        "ReturnItemCollectionMetrics": "SIZE",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        **CONDITION,
    },
    "GetItem": {
        "TableName": TABLE,
        "Key": KEY,
        "ConsistentRead": True,
        "ProjectionExpression": "#t, m.a",
        "ExpressionAttributeNames": {"#t": "txt"},
        "ReturnConsumedCapacity": "TOTAL",
    },
    "UpdateItem": {
        "TableName": TABLE,
        "Key": KEY,
        "UpdateExpression": "SET num = num + :one",
        "ReturnValues": "UPDATED_NEW",
        **CONDITION,
        "ExpressionAttributeValues": {":t": {"S": "가나다"}, ":one": {"N": "1"}},
    },
    "DeleteItem": {"TableName": TABLE, "Key": KEY, "ReturnValues": "ALL_OLD", **CONDITION},
    "Query": {
        "TableName": TABLE,
        "IndexName": "by_group",
        "KeyConditionExpression": "g = :g AND n > :n",
        "FilterExpression": "#t <> :t",
        "ProjectionExpression": "#t, h",
        "ExpressionAttributeNames": {"#t": "txt"},
        "ExpressionAttributeValues": {":g": {"S": "group"}, ":n": {"N": "1"}, ":t": {"S": ""}},
        "Limit": 2,
        "Select": "SPECIFIC_ATTRIBUTES",
        "ScanIndexForward": False,
        "ConsistentRead": False,
        "ExclusiveStartKey": {**KEY, "g": {"S": "group"}, "n": {"N": "9"}},
        "ReturnConsumedCapacity": "INDEXES",
    },
    "Scan": {
        "TableName": TABLE,
        "FilterExpression": "txt = :t",
        "ExpressionAttributeValues": {":t": {"S": "x"}},
        "Segment": 0,
        "TotalSegments": 2,
        "Limit": 1,
        "Select": "COUNT",
    },
    "BatchGetItem": {
        "RequestItems": {TABLE: {"Keys": [KEY], "ConsistentRead": True, "ProjectionExpression": "txt"}},
        "ReturnConsumedCapacity": "TOTAL",
    },
    "BatchWriteItem": {
        "RequestItems": {
            TABLE: [{"PutRequest": {"Item": {**KEY, "num": {"N": "1"}}}}],
            SINGLES.name: [{"DeleteRequest": {"Key": {"h": {"S": "x"}}}}],
        },
        "ReturnItemCollectionMetrics": "SIZE",
    },
    "TransactGetItems": {
        "TransactItems": [{"Get": {"TableName": TABLE, "Key": KEY, "ProjectionExpression": "txt"}}]
    },
    "TransactWriteItems": {
        "TransactItems": [
            {"ConditionCheck": {"TableName": TABLE, "Key": KEY, **CONDITION}},
            {"Put": {"TableName": SINGLES.name, "Item": {"h": {"S": "x"}}}},
            {"Delete": {"TableName": SINGLES.name, "Key": {"h": {"S": "y"}}}},
            {
                "Update": {
                    "TableName": SINGLES.name,
                    "Key": {"h": {"S": "z"}},
                    "UpdateExpression": "SET num = :n",
                    "ExpressionAttributeValues": {":n": {"N": "1"}},
                }
            },
        ],
        "ClientRequestToken": "token",
    },
    "ListStreams": {"TableName": TABLE, "Limit": 5, "ExclusiveStartStreamArn": STREAM},
    "DescribeStream": {
        "StreamArn": STREAM,
        "Limit": 5,
        "ExclusiveStartShardId": "shardId-00000000000000000000-0",
    },
    "GetShardIterator": {
        "StreamArn": STREAM,
        "ShardId": "shardId-00000000000000000000-00000000",
        "ShardIteratorType": "AT_SEQUENCE_NUMBER",
        "SequenceNumber": "1" * 21,
    },
    "GetRecords": {"ShardIterator": f"{STREAM}|1|what", "Limit": 10},
    "ExecuteStatement": {
        "Statement": f"SELECT txt, m.a FROM {TABLE} WHERE h = ? AND num > ? AND contains(any, 'a')",
        "Parameters": [KEY["h"], {"N": "1"}],
        "ConsistentRead": True,
        "Limit": 2,
        "ReturnConsumedCapacity": "INDEXES",
    },
    "BatchExecuteStatement": {
        "Statements": [
            {
                "Statement": f"INSERT INTO {SINGLES.name} VALUE {{'h': 'fresh', 'num': ?}}",
                "Parameters": [{"N": "1"}],
            },
            {"Statement": f"DELETE FROM {SINGLES.name} WHERE h = 'x' AND num = 1"},
        ],
        "ReturnConsumedCapacity": "TOTAL",
    },
    "ExecuteTransaction": {
        "TransactStatements": [
            {
                "Statement": f"INSERT INTO {SINGLES.name} VALUE {{'h': 'fresh', 'list': [?]}}",
                "Parameters": [{"N": "1"}],
            },
            {"Statement": f"DELETE FROM {SINGLES.name} WHERE h = 'y'"},
        ],
        "ClientRequestToken": "token",
    },
    "UpdateItem by older parameters": {
        "TableName": TABLE,
        "Key": KEY,
        "AttributeUpdates": {"num": {"Action": "ADD", "Value": {"N": "1"}}, "any": {"Action": "DELETE"}},
        "Expected": {
            "h": {"ComparisonOperator": "NOT_NULL"},
            "nothing": {"Exists": False},
            "num": {"ComparisonOperator": "NE", "AttributeValueList": [{"N": "-7"}]},
        },
        "ConditionalOperator": "AND",
    },
    "Query by older parameters": {
        "TableName": TABLE,
        "KeyConditions": {"h": {"ComparisonOperator": "EQ", "AttributeValueList": [KEY["h"]]}},
        "QueryFilter": {
            "txt": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": "a"}, {"S": "b"}]},
            "num": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "1"}]},
        },
        "ConditionalOperator": "OR",
        "AttributesToGet": ["txt"],
    },
}

scalars: SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 30),
    st.sampled_from([2**31, 2**63, -(2**70), 1.5, 1e400, float("nan")]),
    st.sampled_from(["", "a", "\0", "한", "x" * 300, "INDEXES", "ALL", "\ud800", "a b", "9" * 40, TABLE]),
)
json_values: SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["S", "N", "M", "L", "a", "TableName", "", "#t", ":t"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)

Spot = tuple[Any, ...]


def spots(thing: Any, here: Spot = ()) -> Iterator[Spot]:
    """The way to every part of a request."""
    parts = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    for name, part in parts:
        yield (*here, name)
        yield from spots(part, (*here, name))


@st.composite
def spoiled(draw: DrawFn, right: dict[str, Any]) -> dict[str, Any]:
    """A right request in which one to three parts are replaced, dropped or joined by others."""
    request = copy.deepcopy(right)
    for _ in range(draw(st.integers(1, 3))):
        _spoil(draw, request)
    return request


def _spoil(draw: DrawFn, request: dict[str, Any]) -> None:
    found = list(spots(request))
    if not found or draw(st.integers(0, 9)) == 0:
        request[draw(st.sampled_from(["TableName", "Limit", "Key", "What", ""]))] = draw(json_values)
        return
    *way, last = draw(st.sampled_from(found))
    holder: Any = request
    for name in way:
        holder = holder[name]
    if draw(st.integers(0, 4)) == 0:
        del holder[last]
    elif draw(st.integers(0, 6)) == 0 and isinstance(holder[last], list):
        holder[last] *= draw(st.sampled_from([0, 2, 30, 101]))
    else:
        holder[last] = draw(json_values)


@pytest.mark.parametrize("operation", REQUESTS)
@given(data=st.data())
def test_a_spoiled_request_is_answered_or_refused(operation: str, data: st.DataObject) -> None:
    request = data.draw(spoiled(REQUESTS[operation]))
    with filled_engine() as engine:
        before = {name: contents(engine, table) for name, table in TABLES.items()}
        answer = ask(engine, operation.partition(" ")[0], request)
        if isinstance(answer, WireError):
            assert {name: contents(engine, table) for name, table in TABLES.items()} == before
            keep(engine)
        elif operation not in ("DeleteTable", "UpdateTable"):
            for table in TABLES.values():
                assert_indexes_agree(engine, table)


@pytest.mark.parametrize(
    "operation", [name for name in REQUESTS if name not in ("DescribeLimits", "DescribeEndpoints")]
)
@given(request=st.dictionaries(st.sampled_from(["TableName", "Key", "Item", "a"]), json_values, max_size=3))
def test_a_request_of_random_json_is_answered_or_refused(operation: str, request: dict[str, Any]) -> None:
    with filled_engine() as engine:
        if isinstance(ask(engine, operation.partition(" ")[0], request), WireError):
            keep(engine)


@pytest.mark.parametrize(
    "operation", ["", "Nonsense", "putItem", "executeStatement", "__class__", "PutItem "]
)
def test_an_operation_that_does_not_exist_is_unknown(operation: str) -> None:
    with filled_engine() as engine, pytest.raises(WireError) as caught:
        engine.call(operation, {})
    assert caught.value.code == "UnknownOperationException"


def test_the_requests_are_right_before_they_are_spoiled() -> None:
    """All but those that name a stream or a token, which only a running engine can know."""
    unknown = {"ListTagsOfResource", "ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"}
    for operation, request in REQUESTS.items():
        with filled_engine() as engine:
            answer = ask(engine, operation.partition(" ")[0], request)
            assert operation in unknown or not isinstance(answer, WireError), (operation, answer)
