"""What has to be true of codes that somebody writes by hand."""

from __future__ import annotations

from hansang.apps.assets.codes import CodeItem, expect_list
from hansang.design import Database


def check_codes(database: Database, before: CodeItem | None, after: CodeItem | None) -> None:
    """A list has each code once, and accounts of the families that entries know (X1-17)."""
    if after is not None:
        expect_list(after)
