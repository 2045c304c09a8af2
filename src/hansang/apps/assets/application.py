"""The household ledger application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application, CountAlarm
from hansang.apps.assets.checks import check_codes
from hansang.apps.assets.design import AccountCodes, AssetManager, Balances, Book, Codes, Totals
from hansang.apps.assets.households import hears
from hansang.apps.assets.jobs import jobs
from hansang.apps.assets.kinds import ENTRY_ENTITIES
from hansang.apps.assets.plans import Household, HouseRules
from hansang.apps.assets.sample import fill
from hansang.apps.assets.service import undoing
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.today import today
from hansang.parts.words import Words
from hansang.parts.write_rules import application_only

_ENTER = application_only(
    Words(
        "가계부에서 입력하십시오: PUT /api/assets/months/{ym}/{kind}/… 또는 hansang assets set, add.",
        "Enter it in the ledger instead: PUT /api/assets/months/{ym}/{kind}/… or hansang assets set and add.",
    )
)
_FOLLOWS = application_only(
    Words(
        "합계와 잔액은 내역에서 계산됩니다. 내역을 입력하거나 hansang assets rebuild를 실행하십시오. "
        "기초 잔액은 PUT /api/assets/opening으로 정합니다.",
        "Totals and balances follow from the entries: enter those, or run hansang assets rebuild. Opening balances "
        "are set by PUT /api/assets/opening.",
    )
)

_HOUSEHOLD = application_only(
    Words(
        "가계부의 우리 집 화면이나 hansang assets households에서 정하십시오.",
        "Set it on the household page of the ledger, or with hansang assets households.",
    )
)

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
    writes={
        **dict.fromkeys(ENTRY_ENTITIES, _ENTER),
        **dict.fromkeys((Totals, Balances, Book), _FOLLOWS),
        **dict.fromkeys((Household, HouseRules), _HOUSEHOLD),
    },
    guarded=frozenset({Household}),
    checks={Codes: check_codes, AccountCodes: check_codes},
    undoing=undoing,
    settings=AssetsSettings,
    hears=hears,
    jobs=jobs,
    alarms=(CountAlarm("drifts", "Totals or balances were not what the entries add up to."),),
    fill=fill,
    today=today,
    api="hansang.apps.assets.api:ROUTES",
    pages="hansang.apps.assets.console:PAGES",
    commands="hansang.apps.assets.cli.commands:group",
    words="hansang.apps.assets",
)
