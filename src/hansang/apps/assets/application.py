"""The household ledger application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.apps.assets.checks import ENTRIES, check_entry, check_totals
from hansang.apps.assets.design import AssetManager, Totals
from hansang.apps.assets.sample import fill
from hansang.apps.assets.today import today
from hansang.parts.words import Words

APPLICATION = Application(
    name="assets",
    title=Words("가계부", "Household ledger"),
    summary=Words(
        "한 달의 수입과 지출, 저축과 투자를 한눈에 보고 쌓인 자산을 따라갑니다.",
        "Income, expenses, savings and investments month by month, and the assets they add up to.",
    ),
    short=Words("가계부", "Ledger"),
    icon="wallet",
    tables=(AssetManager,),
    checks={**dict.fromkeys(ENTRIES, check_entry), Totals: check_totals},
    fill=fill,
    today=today,
    words="hansang.apps.assets",
)
