"""The operations, one in a file: its shape as data, then how it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hansang.engine.operations import (
    batch_get_item,
    batch_write_item,
    create_table,
    delete_item,
    delete_table,
    describe_endpoints,
    describe_limits,
    describe_stream,
    describe_table,
    describe_time_to_live,
    get_item,
    get_records,
    get_shard_iterator,
    list_streams,
    list_tables,
    list_tags_of_resource,
    put_item,
    query,
    scan,
    tag_resource,
    transact_get_items,
    transact_write_items,
    untag_resource,
    update_item,
    update_table,
    update_time_to_live,
)

OPERATIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "BatchGetItem": batch_get_item.run,
    "BatchWriteItem": batch_write_item.run,
    "CreateTable": create_table.run,
    "DeleteItem": delete_item.run,
    "DeleteTable": delete_table.run,
    "DescribeEndpoints": describe_endpoints.run,
    "DescribeLimits": describe_limits.run,
    "DescribeStream": describe_stream.run,
    "DescribeTable": describe_table.run,
    "DescribeTimeToLive": describe_time_to_live.run,
    "GetItem": get_item.run,
    "GetRecords": get_records.run,
    "GetShardIterator": get_shard_iterator.run,
    "ListStreams": list_streams.run,
    "ListTables": list_tables.run,
    "ListTagsOfResource": list_tags_of_resource.run,
    "PutItem": put_item.run,
    "Query": query.run,
    "Scan": scan.run,
    "TagResource": tag_resource.run,
    "TransactGetItems": transact_get_items.run,
    "TransactWriteItems": transact_write_items.run,
    "UntagResource": untag_resource.run,
    "UpdateItem": update_item.run,
    "UpdateTable": update_table.run,
    "UpdateTimeToLive": update_time_to_live.run,
}
