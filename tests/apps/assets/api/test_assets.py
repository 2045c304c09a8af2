"""The ledger through the API: months, dashboard, periods, opening balances, codes, checking."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from copy import copy
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from starlette.exceptions import HTTPException

from hansang.apps.assets.api import ROUTES
from hansang.apps.assets.application import APPLICATION
from hansang.apps.assets.design import Totals, TotalsKey
from hansang.apps.assets.plans import Budget, Goal, Holding
from hansang.design import attr
from hansang.parts.history import Actor
from hansang.surfaces.api.routes import Routes, http_problem
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell
from tests.clauses import clause
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With
from tests.surfaces.shells import SetClock, new_key, opened

PATH = "/api/assets"


@pytest.fixture
def shell() -> Iterator[Shell]:
    with opened(SetClock(1_740_000_000), applications=(APPLICATION,)) as shell:  # 2025-02-19
        yield shell


@pytest.fixture
def caller(shell: Shell) -> Caller:
    app, gate = FastAPI(exception_handlers={HTTPException: http_problem}), Gate(shell)
    app.router.routes.append(Routes(route for each in ROUTES for route in each(shell, gate).all()))
    return Caller(app, new_key(shell, "assets:write"))


def put(caller: Caller, path: str, **body: Any) -> Any:
    answer = caller.put(f"{PATH}/{quote(path, safe='/?=')}", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def fill(caller: Caller) -> None:
    """The month of the document."""
    put(caller, "opening", month="2024.12", cash=13_500_000, investment=7_000_000, short={"여행": 700_000})
    for name in ("배우자1", "배우자2"):
        put(caller, f"months/2025.01/income/{name}/월급", amount=3_500_000)
    put(caller, "months/2025.01/fixed-expense/대출", amount=1_800_000)
    put(caller, "months/2025.01/living-expense/식비", amount=500_000)
    for account in ("적금1", "적금2", "적금3"):
        put(caller, f"months/2025.01/savings/{account}", amount=500_000)
    put(caller, "months/2025.01/investment/주식", amount=1_000_000)
    put(caller, "months/2025.01/short-savings/여행/적립", amount=200_000)


@clause("G1", "G2", "1-17", "1-18")
def test_the_month_of_the_document_is_shown_with_its_own_names(caller: Caller) -> None:
    fill(caller)
    month = caller.get(f"{PATH}/months/2025.01").json()
    assert month["totals"] == {
        "yearMonth": "2025.01",
        "totalIncome": 7_000_000,
        "totalExpense": 2_300_000,
        "totalSavings": 1_500_000,
        "totalInvestment": 1_000_000,
        "totalShortSavings": 200_000,
        "netAsset": 2_000_000,
    }
    balances = month["balances"]
    assert (balances["cashAccumulated"], balances["investmentAccumulated"]) == (15_000_000, 8_000_000)
    assert balances["shortSavingsBalances"] == {"여행": 900_000}
    assert month["entries"][0]["incomeType"] == "월급"
    assert [each["kind"] for each in month["entries"]].count("savings") == 3


def test_adding_tells_what_it_has_become_and_what_is_recalculated(caller: Caller) -> None:
    fill(caller)
    put(caller, "months/2025.03/living-expense/식비", amount=1)
    done = put(caller, "months/2025.01/living-expense/식비", add=12_000, memo="장보기", by="배우자2")
    assert (done["entries"][0]["amount"], done["totals"]["totalExpense"]) == (512_000, 2_312_000)
    assert (done["recalculated_from"], done["recalculated_through"]) == ("2025.02", "2025.03")
    assert done["entries"][0]["entries"][-1]["memo"] == "장보기"


@clause("X1-10")
def test_the_second_of_two_is_told_both_values(caller: Caller) -> None:
    first = put(caller, "months/2025.01/living-expense/식비", amount=1_000)
    version = first["entries"][0]["version"]
    path = f"{PATH}/months/2025.01/living-expense/{quote('식비')}"
    put(caller, "months/2025.01/living-expense/식비", amount=2_000, version=version)
    late = caller.put(path, {"amount": 3_000, "version": version})
    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    assert "it is 2,000 now, and you gave 3,000" in late.json()["detail"]
    told = late.json()
    assert (told["theirs"]["amount"], told["yours"]) == (2_000, {"amount": 3_000, "add": None})
    again = caller.put(path, {"amount": 3_000, "version": told["version"]})
    assert again.status_code == 200


def test_a_request_under_a_key_is_done_once(caller: Caller) -> None:
    path, key = f"{PATH}/months/2025.01/living-expense/{quote('식비')}", {"Idempotency-Key": "one"}
    first, again = (caller.put(path, {"add": 500}, headers=key) for _ in range(2))
    assert (first.json(), again.headers["Idempotency-Replayed"]) == (again.json(), "true")
    assert caller.get(f"{PATH}/months/2025.01").json()["totals"]["totalExpense"] == 500


def test_several_entries_are_sent_together_and_undone_together(caller: Caller, shell: Shell) -> None:
    given = [
        {"kind": "income", "parts": ["배우자1", "월급"], "amount": 10},
        {"kind": "living-expense", "parts": ["식비"], "amount": 3},
    ]
    done = caller.post(f"{PATH}/months/2025.01/entries", {"entries": given}).json()
    assert done["totals"]["netAsset"] == 7
    shell.editing.undo(done["change"], shell.history.get(done["change"]).actor)
    assert caller.get(f"{PATH}/months/2025.01").json()["entries"] == []


def test_one_entry_is_undone_as_every_change_is(caller: Caller, shell: Shell) -> None:
    done = put(caller, "months/2025.01/living-expense/식비", amount=9)
    shell.editing.undo(done["change"], shell.history.get(done["change"]).actor)
    assert caller.get(f"{PATH}/months/2025.01").json()["totals"]["totalExpense"] == 0
    assert caller.get(f"{PATH}/check").json()["is_right"]


def test_entries_are_deleted(caller: Caller) -> None:
    fill(caller)
    caller.delete(f"{PATH}/months/2025.01/living-expense/{quote('식비')}")
    done = caller.delete(f"{PATH}/months/2025.01/income/{quote('배우자1')}/{quote('월급')}").json()
    assert (done["totals"]["totalIncome"], done["totals"]["totalExpense"]) == (3_500_000, 1_800_000)


@clause("1-26", "1-27", "X1-05")
def test_the_dashboard_and_a_period(caller: Caller) -> None:
    fill(caller)
    put(caller, "months/2025.02/savings/적금1", amount=5)
    board = caller.get(f"{PATH}/dashboard").json()
    assert (board["month"], len(board["months"]), board["previous"]["month"]) == ("2025.02", 12, "2025.01")
    assert (board["net_worth"], board["previous"]["net_worth"]) == (23_900_005, 23_900_000)
    assert (board["balances"]["surplusAccumulated"], board["months"][0]["totals"]) == (1_999_995, None)
    period = caller.get(f"{PATH}/period?from=2025.01&to=2025.02").json()
    assert (period["totals"]["totalSavings"], len(period["months"])) == (1_500_005, 2)
    assert caller.get(f"{PATH}/period?from=2025.02&to=2025.01").status_code == 422
    assert caller.get(f"{PATH}/dashboard?month=2025.13").status_code == 422


@clause("1-22", "1-29", "X1-15", "X1-16")
def test_codes_are_those_of_the_document_until_the_household_has_its_own(caller: Caller) -> None:
    assert caller.get(f"{PATH}/codes/NAME").json()["codes"] == ["배우자1", "배우자2"]
    assert list(caller.get(f"{PATH}/codes/ACCOUNT_TYPE").json()["codes"]) == [
        "현금확보용적금",
        "투자용",
        "단기저축용",
    ]
    put(caller, "codes/LIVING_EXPENSE_CATEGORY", codes=["식비", "반려견"], labels={"식비": "밥"})
    put(caller, "months/2025.01/living-expense/반려견", amount=1)
    found = caller.get(f"{PATH}/codes/LIVING_EXPENSE_CATEGORY").json()
    assert (found["labels"], found["archived"]) == ({"식비": "밥"}, ["교통비", "의료비", "문화생활", "기타"])
    assert caller.put(f"{PATH}/codes/NAME", {"codes": {"a": ["b"]}}).status_code == 422
    assert caller.put(f"{PATH}/codes/NAME", {"codes": ["가", "가"]}).status_code == 422
    stale = caller.put(f"{PATH}/codes/LIVING_EXPENSE_CATEGORY", {"codes": ["식비"], "version": "old"})
    assert stale.status_code == 409


@clause("1-31", "X1-09")
def test_checking_and_closing_find_what_is_wrong_and_make_it_right(caller: Caller, shell: Shell) -> None:
    fill(caller)
    shell.database.update(TotalsKey(year_month="2025.01"), attr(Totals.total_savings).add(7))
    [drift] = caller.get(f"{PATH}/check").json()["drifts"]
    assert (drift["name"], drift["stored"], drift["expected"]) == ("totalSavings", 1_500_007, 1_500_000)
    assert caller.post(f"{PATH}/close/2025.01").json()["drifts"] == [drift]
    assert caller.get(f"{PATH}/check").json()["is_right"]
    assert caller.get(f"{PATH}/months/2025.01").json()["is_closed"]


@clause("X1-24")
def test_what_investments_are_worth_is_noted(caller: Caller) -> None:
    fill(caller)
    assert put(caller, "valuations/2025.01", worth={"주식": 9})["investmentValuation"] == {"주식": 9}


def test_bad_requests_are_refused_with_what_to_do(caller: Caller) -> None:
    path = f"{PATH}/months/2025.01/living-expense/{quote('식비')}"
    for body in ({}, {"amount": 1, "add": 1}, {"amount": -1}, {"amount": 1.5}, {"amount": "1"}):
        assert caller.put(path, body).status_code == 422, body
    assert caller.get(f"{PATH}/months/2025-01").status_code == 422
    unknown = caller.put(f"{PATH}/months/2025.01/living-expense/{quote('술값')}", {"amount": 1})
    assert (unknown.status_code, "Add it first" in unknown.json()["detail"]) == (422, True)
    assert caller.get(f"{PATH}/opening").status_code == 404


@pytest.mark.parametrize("code", ["a%23b", "%07bell", "%20edge"])
def test_what_cannot_name_an_entry_is_refused(caller: Caller, code: str) -> None:
    answer = caller.get(f"{PATH}/months/2025.01/living-expense/{code}")
    assert answer.status_code == 422
    assert "control characters" in answer.json()["detail"]


def test_a_month_is_filled_from_proposals_and_from_a_block(caller: Caller) -> None:
    for month in ("2025.01", "2025.02", "2025.03"):
        put(caller, f"months/{month}/fixed-expense/통신", amount=80_000)
    found = caller.get(f"{PATH}/proposals/2025.04").json()
    assert (
        [each["parts"] for each in found["recurring"]]
        == [["통신"]]
        == [each["parts"] for each in found["last_month"]]
    )
    done = caller.post(f"{PATH}/copy/2025.04", {"what": "recurring"}).json()
    assert done["totals"]["totalExpense"] == 80_000
    block = {"text": "식비\t3.5만\n술값\t1", "dry_run": True}
    looked = caller.post(f"{PATH}/paste/2025.04", block).json()
    assert ([each["state"] for each in looked["cells"]], looked["changes"]) == (["new", "unknown"], [])
    entered = caller.post(f"{PATH}/paste/2025.04", block | {"dry_run": False}).json()
    assert len(entered["changes"]) == 1
    assert caller.get(f"{PATH}/months/2025.04").json()["totals"]["totalExpense"] == 115_000


@clause("X1-15")
def test_a_code_is_renamed_after_a_look(caller: Caller) -> None:
    put(caller, "months/2025.01/living-expense/식비", amount=1)
    path = f"{PATH}/rename/LIVING_EXPENSE_CATEGORY"
    looked = caller.get(path, params={"old": "식비", "new": "밥"}).json()
    assert (looked["entries"], looked["state"]) == ({"2025.01": 1}, "preview")
    assert caller.post(path, {"old": "식비", "new": "밥"}).json()["state"] == "done"
    assert caller.get(f"{PATH}/months/2025.01").json()["entries"][0]["category"] == "밥"


def test_reports_are_answered(caller: Caller, shell: Shell) -> None:
    fill(caller)
    shell.database.put(Holding(name="전세금", kind="deposit", amount=100))
    shell.database.put(Budget(kind="living-expense", code="식비", amount=400_000))
    shell.database.put(Goal(account="여행", amount=1_800_000))
    put(
        caller,
        "months/2025.01/living-expense/의료비",
        add=5,
        memo="치과",
        tag="의료비",
        by="배우자1",
        whom="부모님",
    )
    reports, span = f"{PATH}/reports", "from=2025.01&to=2025.02"
    assert caller.get(f"{reports}/net-worth?month=2025.01").json()["total"] == 23_900_100
    assert caller.get(f"{reports}/budgets?month=2025.01").json()["budgets"][0]["state"] == "over"
    assert caller.get(f"{reports}/pots?month=2025.01").json()["pots"][0]["percent"] == 50
    assert caller.get(f"{reports}/years/2025").json()["rows"][0]["months"][0] == 3_500_000
    assert caller.get(f"{reports}/people?{span}").json()["people"][0]["spent"] == 5
    assert caller.get(f"{reports}/tags/2025").json()["tags"] == {"의료비": {"배우자1": 5}}
    assert list(caller.get(f"{reports}/gifts?{span}").json()["gifts"]) == ["부모님"]
    assert caller.get(f"{reports}/search?q=치과&{span}").json()["payments"][0]["payment"]["amount"] == 5


def test_a_file_comes_in_and_the_household_goes_out(caller: Caller, shell: Shell) -> None:
    fill(caller)
    text = "이용일자,가맹점명,이용금액\n2025-01-03,마트,7\n2025-02-03,책,8\n어제,책,8"
    body = {"text": text, "to": "living-expense/식비", "remember": "카드", "dry_run": True}
    looked = caller.post(f"{PATH}/import", body).json()
    assert (looked["entered"], looked["change"]) == (0, None)
    assert [each["state"] for each in looked["lines"]] == ["new", "new", "refused"]
    done = caller.post(f"{PATH}/import", body | {"dry_run": False}).json()
    assert (done["entered"], done["lines"][2]["code"]) == (2, "assets.line-day")
    assert caller.get(f"{PATH}/months/2025.02").json()["totals"]["totalExpense"] == 8
    shell.editing.undo(done["change"], Actor("person", "owner", "owner"))
    assert caller.get(f"{PATH}/months/2025.02").json()["totals"]["totalExpense"] == 0
    again = caller.post(f"{PATH}/import", {"content": b64encode(text.encode()).decode(), "dry_run": True})
    assert again.json()["preset"] == "카드"
    bad = caller.post(f"{PATH}/import", {"content": "????"})
    assert bad.status_code == 422
    lines = caller.get(f"{PATH}/export").text
    assert lines.startswith('{"form":"hansang-assets"')
    sheet = caller.get(f"{PATH}/export?form=xlsx&from=2025.01&to=2025.01")
    assert sheet.content[:2] == b"PK"
    there = caller.post(f"{PATH}/import", {"text": lines})
    assert there.status_code == 409


def test_a_year_stands_beside_another(caller: Caller) -> None:
    fill(caller)
    found = caller.get(f"{PATH}/reports/years/2025?against=2024").json()
    assert found["months_over"] == 1
    assert found["against"][0] == {"kind": "income", "before": 0, "now": 7_000_000, "percent": None}
    assert found["against"][-1]["now"] == 2_000_000


@clause("X1-21")
def test_households_are_chosen_by_a_parameter(caller: Caller, shell: Shell) -> None:
    admin = copy(caller)
    admin.headers = caller.headers | {"Authorization": f"Bearer {new_key(shell, 'assets:admin')}"}
    made = admin.post(f"{PATH}/households", {"id": "parents", "title": "부모님"})
    assert (made.status_code, made.json()["id"]) == (201, "parents")
    assert admin.post(f"{PATH}/households", {"id": "parents", "title": "또"}).status_code == 409
    path = f"{PATH}/months/2025.01/living-expense/{quote('식비')}"
    done = admin.put(f"{path}?household=parents", {"amount": 70})
    assert done.status_code == 200
    assert admin.get(f"{PATH}/months/2025.01?household=parents").json()["totals"]["totalExpense"] == 70
    assert admin.get(f"{PATH}/months/2025.01").json()["totals"]["totalExpense"] == 0
    assert caller.get(f"{PATH}/months/2025.01?household=parents").status_code == 403
    assert caller.get(f"{PATH}/months/2025.01?household=nobody").status_code == 404
    assert [each["id"] for each in caller.get(f"{PATH}/households").json()["households"]] == ["first"]
    [mine] = [each for each in admin.get(f"{PATH}/households").json()["households"] if each["id"] != "first"]
    assert list(mine["members"].values()) == ["owner"]
    undone = admin.post(f"{PATH}/undo/{done.json()['change']}?household=parents")
    assert undone.status_code == 200
    assert (
        admin.post(f"{PATH}/rules?household=parents", {"month_starts_on": 25}).json()["month_starts_on"] == 25
    )
    assert admin.get(f"{PATH}/rules").json()["month_starts_on"] == 1
    members = {"title": "부모님", "members": {"junho": "viewer"}}
    assert admin.post(f"{PATH}/households/parents/members", members).status_code == 403
    named = caller.get(f"{PATH}/months/2025.01?household=first")
    assert (named.status_code, named.json()) == (200, caller.get(f"{PATH}/months/2025.01").json())
    reserved = admin.post(f"{PATH}/households", {"id": "first", "title": "또"})
    assert (reserved.status_code, "first already" in reserved.text) == (409, True)
    assert admin.post(f"{PATH}/households/first/members", members).status_code == 403
    squatted = admin.post(f"{PATH}/households", {"id": "pocket-0123456789", "title": "주머니"})
    assert (squatted.status_code, "private pockets" in squatted.text) == (409, True)


def test_a_private_pocket_is_made_and_seen_as_a_sum(caller: Caller, shell: Shell) -> None:
    key = {"Idempotency-Key": "pocket"}
    made = caller.post(f"{PATH}/pockets", {"title": "주머니"}, headers=key)
    again = caller.post(f"{PATH}/pockets", {"title": "주머니"}, headers=key)
    assert (made.status_code, made.json()) == (201, again.json())
    assert caller.post(f"{PATH}/pockets", {"title": "또"}).status_code == 409
    pocket = made.json()["id"]
    put(caller, f"months/2025.02/living-expense/식비?household={pocket}", amount=70)
    seen = copy(caller)
    seen.headers = caller.headers | {"Authorization": f"Bearer {new_key(shell, 'assets:admin')}"}
    answer = {"month": "2025.02", "pockets": [{"title": "주머니", "spent": 70}]}
    assert seen.get(f"{PATH}/pockets").json() == seen.get(f"{PATH}/pockets?household=first").json() == answer
    assert seen.get(f"{PATH}/months/2025.02?household={pocket}").status_code == 403


_SPAN = {"from": "2025.01", "to": "2025.02"}
_NEEDED: dict[str, dict[str, str]] = {
    "period": _SPAN,
    "export": {"form": "csv"},
    "reports/net-worth": {"month": "2025.01"},
    "reports/pots": {"month": "2025.01"},
    "reports/people": _SPAN,
    "reports/gifts": _SPAN,
    "reports/search": {"q": "a gift", **_SPAN},
    "rename/{type}": {"old": "식비", "new": "밥"},
}
"""What a route has to be asked with."""
_PLACE = {"ym": "2025.01", "year": "2025", "type": "LIVING_EXPENSE_CATEGORY"}
_ENTRY = {"kind": "living-expense", "part": "식비"}
_PAIR = {"kind": "income", "part": "배우자1", "second": "월급"}


def test_every_question_is_answered_for_the_household_that_is_asked_for(caller: Caller, shell: Shell) -> None:
    caller.headers |= {"Authorization": f"Bearer {new_key(shell, 'assets:admin')}"}
    caller.post(f"{PATH}/households", {"id": "parents", "title": "부모님"})
    put(caller, "opening?household=parents", month="2024.11", cash=5, investment=6, short={"여행": 7})
    for month in ("2024.12", "2025.01"):
        put(caller, f"months/{month}/income/배우자1/월급?household=parents", amount=70)
    put(caller, "months/2024.12/fixed-expense/대출?household=parents", amount=9)
    gift = {"add": 8, "memo": "a gift", "whom": "한나", "tag": "의료", "date": "2025-01-03"}
    put(caller, "months/2025.01/living-expense/식비?household=parents", **gift)
    wanted = [
        each.path.removeprefix(f"{PATH}/")
        for group in ROUTES
        for each in group(shell, Gate(shell)).all()
        if each.methods == {"GET"}
    ]
    refused, alike = {}, set()
    for path in wanted:
        address = f"{PATH}/{path.format(**_PLACE | (_PAIR if 'second' in path else _ENTRY))}"
        asked = _NEEDED.get(path, {})
        first, parents = (caller.get(address, params=asked | more) for more in ({}, {"household": "parents"}))
        if parents.status_code != 200:
            refused[path] = parents.text
        if first.content == parents.content:
            alike.add(path)
    assert refused == {}
    assert alike == {"households", "rules", "pockets", "codes/{type}", "reports/budgets"}


def test_the_list_of_all_households_is_for_administrators(standing_with: With) -> None:
    for path in ("entities/Household?id=parents", "patterns/Household.all_of_them"):
        refused = standing_with("assets:write").get(f"{PATH}/{path}")
        assert (refused.status_code, refused.json()["code"]) == (403, "missing-scope")
    assert standing_with("assets:admin").get(f"{PATH}/patterns/Household.all_of_them").status_code == 200


@clause("X1-10")
def test_a_preview_that_is_older_than_an_addition_is_decided_again(caller: Caller) -> None:
    put(caller, "months/2025.01/living-expense/식비", amount=500)
    sheet = "month,kind,name,amount\n2025.01,living-expense,식비,600\n2025.01,fixed-expense,통신,80"
    sent: list[tuple[str, dict[str, Any]]] = [
        ("import", {"text": sheet}),
        ("paste/2025.01", {"text": "식비\t700\n주거\t90"}),
    ]
    for path, body in sent:
        looked = caller.post(f"{PATH}/{path}", body | {"dry_run": True}).json()
        added = put(caller, "months/2025.01/living-expense/식비", add=12)["entries"][0]
        body["seen"] = looked["seen"]
        late = caller.post(f"{PATH}/{path}", body)
        assert (late.status_code, late.json()["code"]) == (409, "conflict")
        [line] = late.json()["lines"]
        assert (line["theirs"], line["yours"]) == (added["amount"], 700 if "paste" in path else 600)
        found = caller.get(f"{PATH}/months/2025.01").json()["entries"]
        assert added in found, "nothing was written"
        body["seen"][line["seen"]] = line["version"]
        done = caller.post(f"{PATH}/{path}", body)
        assert (done.status_code, done.json()["change"] is None) == (200, False)
        amounts = caller.get(f"{PATH}/months/2025.01").json()["entries"]
        assert line["yours"] in [each["amount"] for each in amounts]


def test_the_first_month_of_all_has_no_dashboard(caller: Caller) -> None:
    answer = caller.get(f"{PATH}/dashboard?month=0000.01")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-input")
    assert caller.get(f"{PATH}/dashboard?month=9999.12").status_code == 200
