"""The parameters that describe tables and indexes."""

from __future__ import annotations

from hansang.engine.shapes import INDEX_NAME, Flag, Many, Struct, Text, Whole, required

_NAME = Text(shortest=1, longest=255)
_TYPE = Text("B", "N", "S")
_ELEMENT = Struct("KeySchemaElement", AttributeName=required(_NAME), KeyType=required(Text("HASH", "RANGE")))

ATTRIBUTE_DEFINITIONS = Many(
    Struct("AttributeDefinition", AttributeName=required(_NAME), AttributeType=required(_TYPE))
)
KEY_SCHEMA = Many(_ELEMENT, fewest=1, most=2)
# Since November 2025 an index may have up to four attributes on either side of its key (R15).
INDEX_KEY_SCHEMA = Many(_ELEMENT, fewest=1, most=8)
THROUGHPUT = Struct(
    "ProvisionedThroughput",
    ReadCapacityUnits=required(Whole(least=1, kind="Long")),
    WriteCapacityUnits=required(Whole(least=1, kind="Long")),
)
ON_DEMAND = Struct(
    "OnDemandThroughput",
    MaxReadRequestUnits=Whole(kind="Long"),
    MaxWriteRequestUnits=Whole(kind="Long"),
)
WARM = Struct(
    "WarmThroughput",
    ReadUnitsPerSecond=Whole(least=1, kind="Long"),
    WriteUnitsPerSecond=Whole(least=1, kind="Long"),
)
ENCRYPTION = Struct("SSESpecification", Enabled=Flag(), SSEType=Text("AES256", "KMS"), KMSMasterKeyId=Text())
PROJECTION = Struct(
    "Projection",
    ProjectionType=Text("ALL", "INCLUDE", "KEYS_ONLY"),
    NonKeyAttributes=Many(_NAME, fewest=1, most=20),
)
LOCAL_INDEX = Struct(
    "LocalSecondaryIndex",
    IndexName=required(INDEX_NAME),
    KeySchema=required(KEY_SCHEMA),
    Projection=required(PROJECTION),
)
_GLOBAL = {
    "IndexName": required(INDEX_NAME),
    "KeySchema": required(INDEX_KEY_SCHEMA),
    "Projection": required(PROJECTION),
    "ProvisionedThroughput": THROUGHPUT,
    "OnDemandThroughput": ON_DEMAND,
    "WarmThroughput": WARM,
}
GLOBAL_INDEX = Struct("GlobalSecondaryIndex", **_GLOBAL)
INDEX_UPDATE = Struct(
    "GlobalSecondaryIndexUpdate",
    Create=Struct("CreateGlobalSecondaryIndexAction", **_GLOBAL),
    Update=Struct(
        "UpdateGlobalSecondaryIndexAction",
        IndexName=required(INDEX_NAME),
        ProvisionedThroughput=THROUGHPUT,
        OnDemandThroughput=ON_DEMAND,
    ),
    Delete=Struct("DeleteGlobalSecondaryIndexAction", IndexName=required(INDEX_NAME)),
)
BILLING_MODE = Text("PROVISIONED", "PAY_PER_REQUEST")
TABLE_CLASS = Text()
STREAM = Struct(
    "StreamSpecification",
    StreamEnabled=required(Flag()),
    StreamViewType=Text("OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE"),
)
TAGS = Many(Struct("Tag", Key=Text(), Value=Text()))
