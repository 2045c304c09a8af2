"""The design language: a table written down once, and everything that follows from it."""

from hansang.design.codec import Attr, Expiry, Timestamp
from hansang.design.database import Database, Page
from hansang.design.entity import Derived, Entity, Key, View, derived
from hansang.design.expressions import Condition, Update, all_of, any_of, attr, none_of
from hansang.design.feed import Change, Feed
from hansang.design.planner import collection
from hansang.design.query import Query, pattern
from hansang.design.table import ALL, GSI, KEYS_ONLY, LSI, Index, Table

__all__ = [
    "ALL",
    "GSI",
    "KEYS_ONLY",
    "LSI",
    "Attr",
    "Change",
    "Condition",
    "Database",
    "Derived",
    "Entity",
    "Expiry",
    "Feed",
    "Index",
    "Key",
    "Page",
    "Query",
    "Table",
    "Timestamp",
    "Update",
    "View",
    "all_of",
    "any_of",
    "attr",
    "collection",
    "derived",
    "none_of",
    "pattern",
]
