"""An application of somebody else: a shop whose orders are immutable."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.parts.words import Words
from hansang.parts.write_rules import ONCE
from tests.blueprint.designs import Order, Shop

APPLICATION = Application(
    name="shop",
    title=Words("가게", "Shop"),
    summary=Words("손님과 주문", "Customers and orders"),
    icon="store",
    tables=(Shop,),
    writes={Order: ONCE},
)
