"""The design language: a table written down once, and everything that follows from it."""

from hansang.design.asynchronous import AsyncDatabase, AsyncFeed
from hansang.design.attributes import Update, attr
from hansang.design.codec import Attr
from hansang.design.collections import collection
from hansang.design.database import Database, Page
from hansang.design.entity import Derived, Entity, Key, View, derived
from hansang.design.expressions import Condition, all_of, any_of, none_of
from hansang.design.feed import Feed, ItemChange
from hansang.design.inputs import Input, References, Stamped
from hansang.design.marks import Personal, SecretField
from hansang.design.pages import Unreadable
from hansang.design.paths import inside
from hansang.design.query import Query, pattern
from hansang.design.scans import Scan
from hansang.design.serialized import Serialized
from hansang.design.slots import Version
from hansang.design.table import ALL, GSI, KEYS_ONLY, LSI, Index, Table
from hansang.design.table_options import Capacity, Encryption
from hansang.design.timestamps import AT_WRITE, Expiry, Timestamp, TimestampMs, UpdatedAt

__all__ = [
    "ALL",
    "AT_WRITE",
    "GSI",
    "KEYS_ONLY",
    "LSI",
    "AsyncDatabase",
    "AsyncFeed",
    "Attr",
    "Capacity",
    "Condition",
    "Database",
    "Derived",
    "Encryption",
    "Entity",
    "Expiry",
    "Feed",
    "Index",
    "Input",
    "ItemChange",
    "Key",
    "Page",
    "Personal",
    "Query",
    "References",
    "Scan",
    "SecretField",
    "Serialized",
    "Stamped",
    "Table",
    "Timestamp",
    "TimestampMs",
    "Unreadable",
    "Update",
    "UpdatedAt",
    "Version",
    "View",
    "all_of",
    "any_of",
    "attr",
    "collection",
    "derived",
    "inside",
    "none_of",
    "pattern",
]
