"""The platform's own table: people and keys, changes, jobs, receipts. One table, like every design here."""

from __future__ import annotations

from hansang.design import GSI, Table


class Platform(Table, name="HansangPlatform", type_attribute="Type"):
    """What the shell has to remember; items with ExpiresAt go away by themselves."""

    by_subject = GSI("Subject_At", pk="Subject", sk="At")
    """The changes of one item, in the order of time."""
    by_area = GSI("Area_At", pk="Area", sk="At")
    """The changes of one application, in the order of time."""
