"""The other pages of the ledger: dashboard, history, codes, first steps, and what a phone is told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from urllib.parse import quote

import pytest

from hansang.apps.assets.design import Detail
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.plans import Goal, Holding
from hansang.apps.assets.rules import month_before
from hansang.apps.assets.sharing import shares
from hansang.surfaces.console.rendering import Rendering
from tests.apps.assets.console.homes import WHO, Home, opened_home
from tests.clauses import clause


@pytest.fixture
def empty_home(rendering: Rendering) -> Iterator[Home]:
    with opened_home(rendering, is_empty=True) as found:
        yield found


# ── the dashboard ─────────────────────────────────────────────────────────────────────────────────


def test_the_dashboard_opens_on_the_last_whole_month_with_six_figures(read_home: Home) -> None:
    said = read_home.sees("/assets/dashboard")
    assert "수입 727만 원 0% 지난달 727만" in said
    assert "지출 81.2만 원 ▲ 위로 0.1%" in said or "지출 81.2만 원 ▲" in said
    assert "저축률 12.4 %" in said
    assert "순자산 450만 원 ▲" in said


def test_the_waterfall_closes_on_what_is_left(read_home: Home) -> None:
    text = read_home.get("/assets/dashboard").text
    specs = [json.loads(each) for each in re.findall(r'<script type="application/json">(.*?)</script>', text)]
    [fall] = [each for each in specs if each["type"] == "waterfall"]
    assert sum(step["value"] for step in fall["steps"]) == fall["end"]["value"] == 5_558_000
    [flow] = [each for each in specs if each["type"] == "bars"]
    assert [len(each["values"]) for each in flow["series"]] == [12] * 5


def test_a_running_month_is_not_called_better_or_worse(read_home: Home) -> None:
    said = read_home.sees(f"/assets/dashboard?month={read_home.month}")
    assert "견주지 않습니다" in said
    assert "▲" not in said


# ── net worth ─────────────────────────────────────────────────────────────────────────────────────


def test_net_worth_is_written_out_with_pots_and_their_goals(home: Home) -> None:
    home.assets.database.put(Holding(name="전세금", kind="deposit", amount=280_000_000))
    home.assets.database.put(Holding(name="전세대출", kind="debt", amount=150_000_000))
    home.assets.database.put(Goal(account="여행", amount=1_800_000, due="2097.05"))
    said = home.sees("/assets/worth")
    assert "우리 집 순자산 1억 3,450만 원" in said
    assert "현금 250만 + 투자 110만 + 목적 통장 90만 + 전세금·차 2억 8,000만 − 빚 1억 5,000만" in said
    assert "50% 여행 900,000 원 목표 180만 · 2097년 5월" in said


# ── history ───────────────────────────────────────────────────────────────────────────────────────


def test_the_history_says_who_changed_what_with_the_way_back(home: Home) -> None:
    home.enter("fixed-expense", "통신", "84000")
    said = home.sees("/assets/history")
    assert "통신 +84,000" in said
    change = next(iter(home.assets.history.of_subject(f"assets/{home.month}", 1)), None)
    assert change is not None
    assert "등 2칸" in said
    page = home.get("/assets/history")
    assert f"/assets/changes/{change.id}/undo" in page.actions
    assert any(f"change={change.id}" in link for link in page.links)


def test_a_change_of_the_history_is_shown_with_its_consequences(home: Home) -> None:
    past = month_before(home.month)
    home.send(f"/assets/months/{past}/cells", kind="savings", part="적금1", text="600000", was="500000")
    change = next(each for each in home.shell.history.page("assets", 30) if each.kind == "Savings")
    [link] = [each for each in home.get("/assets/history").links if change.id in each]
    said = home.sees(link)
    assert "이 수정으로 달라지는 것" in said
    assert "500,000 → 600,000" in said


# ── payments by day ───────────────────────────────────────────────────────────────────────────────


def test_a_month_is_read_day_by_day_and_by_code(read_home: Home) -> None:
    said = read_home.sees("/assets/journal")
    assert "지출 84,300" in said
    assert ("마트 장보기 식비 42,800" in said, "날짜 없이 적은 금액" in said) == (True, True)
    assert "월급 3,850,000" in said
    day = date.fromisoformat(f"{read_home.month.replace('.', '-')}-01")
    assert f"1 {'월화수목금토일'[day.weekday()]} 지출" in said
    food = read_home.sees("/assets/journal?code=식비")
    assert ("점심" in food, "월급" in food, "모든 항목" in food) == (True, False, True)
    month = month_before(read_home.month)
    year = read_home.get(f"/assets/year?year={month[:4]}")
    assert f"/assets/journal?month={month}&code={quote('식비')}" in year.links
    assert "602,000" in read_home.sees(f"/assets/journal?month={month}&code=식비")


# ── codes ─────────────────────────────────────────────────────────────────────────────────────────


@clause("X1-15")
def test_a_code_is_renamed_after_a_look_at_what_is_rewritten(home: Home) -> None:
    fields = {"type": "LIVING_EXPENSE_CATEGORY", "family": "", "code": "식비", "name": "먹는 것"}
    looked = home.send("/assets/codes/rename", **fields)
    assert "4개월의 내역 4건을 새 이름으로 다시 씁니다" in looked.shown
    assert home.entry("living-expense", "식비") is not None
    assert home.browser().send("/assets/codes/rename", **fields, sure="yes").status == 303
    assert home.entry("living-expense", "식비") is None
    entry = home.entry("living-expense", "먹는 것")
    assert entry is not None
    assert entry.amount == 84_300


def test_codes_are_added_put_in_order_and_archived(home: Home) -> None:
    kind = {"type": "ACCOUNT_TYPE", "family": "단기저축용"}
    home.send("/assets/codes/add", **kind, code="경조비")
    home.send("/assets/codes/move", **kind, code="경조비", way="up")
    home.send("/assets/codes/archive", **kind, code="운동")
    assert home.assets.codes.accounts()["단기저축용"] in (["여행", "경조비"], ["여행", "운동"])
    said = home.sees("/assets/codes")
    assert "보관: 운동" in said
    assert "경조비" in said


def test_a_name_that_cannot_be_is_said(home: Home) -> None:
    fields = {"type": "NAME", "family": "", "code": "서연", "name": "준호"}
    page = home.send("/assets/codes/rename", **fields)
    assert page.status == 422
    assert "준호" in page.shown


# ── first steps ───────────────────────────────────────────────────────────────────────────────────


def test_an_empty_household_is_led_through_the_first_steps(empty_home: Home) -> None:
    home = empty_home
    assert "가계부를 시작합니다" in home.sees("/assets")
    assert home.send("/assets/start/names", name=["서연", "준호"]).location == "/assets/start?step=2"
    home.sees("/assets/start?step=2")
    accounts = {"account0": ["비상금", ""], "amount0": ["1250만", ""]}
    accounts |= {"account1": ["청약"], "amount1": ["640만"], "account2": ["여행"], "amount2": [""]}
    assert home.send("/assets/start/balances", **accounts).location == "/assets/start?step=3"
    opening = home.assets.opening.find()
    assert opening is not None
    assert (opening.cash_accumulated, opening.investment_accumulated) == (12_500_000, 6_400_000)
    assert "비상금" in home.sees("/assets/start?step=3")
    first = {"kind": ["income", "savings"], "code": ["월급", "비상금"], "by": ["서연", "준호"]}
    assert home.send("/assets/start/month", **first, amount=["385만", "50만"]).status == 303
    assert "2칸으로 시작했습니다" in home.browser().follow().shown
    assert shares(home.entry("savings", "비상금")) == {"준호": 500_000}


def test_a_step_that_cannot_be_read_says_so_and_stays(empty_home: Home) -> None:
    page = empty_home.send("/assets/start/balances?step=2", account0="비상금", amount0="많이")
    assert page.status == 422
    assert "많이" in page.shown
    assert empty_home.send("/assets/start/names", name=["", ""]).status == 422


# ── on a phone ────────────────────────────────────────────────────────────────────────────────────


def test_a_phone_is_told_how_to_install_the_ledger(read_home: Home) -> None:
    answer = read_home.browser().client.get("/assets/manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = answer.json()
    assert (manifest["start_url"], manifest["display"]) == ("/assets", "standalone")
    assert manifest["shortcuts"][0]["url"] == "/assets/quick"
    icon = read_home.browser().client.get(manifest["icons"][0]["src"])
    assert icon.headers["content-type"] == "image/png"
    assert {each["sizes"] for each in manifest["icons"]} == {"192x192", "512x512", "any"}


def test_the_keypad_has_an_address_of_its_own(read_home: Home) -> None:
    page = read_home.get("/assets/quick")
    assert page.status == 200
    assert "얼마 쓰셨습니까?" in page.shown
    assert read_home.get("/assets/quick", name="viewer").status == 403


def test_a_change_too_large_to_be_kept_is_told_and_breaks_no_page(home: Home) -> None:
    details = tuple(Detail(date=date(2025, 1, 3), amount=1, memo="길게 적은 메모 " * 20) for _ in range(400))
    done = home.assets.entering.enter(
        home.month, Place.parse("living-expense/식비"), Given(details=details), WHO
    )
    assert done.change is not None
    assert "기록에 남기기에 너무 큰 내역" in home.sees("/assets/history")
    assert "기록에 남기기에 너무 큰 내역" in home.sees(f"/assets?change={done.change.id}")
