"""Budgets, a year and its report, and files in and out, as pages."""

from __future__ import annotations

import re

from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.rules import month_after
from hansang.surfaces.console.rendering import Rendering
from tests.apps.assets.console.homes import WHO, Home, opened_home
from tests.clauses import clause
from tests.surfaces.console.browsers import Page


def test_budgets_are_written_in_one_form_and_warn_in_time(home: Home) -> None:
    said = home.sees("/assets/budget")
    assert "식비 생활비 60.1만" in said.replace(",", "")
    fields = {"place": ["living-expense/식비", "living-expense/교통비"], "amount": ["8만", ""]}
    home.send(f"/assets/budget?month={home.month}", **fields)
    [budget] = home.assets.reports.budgets(home.month)
    assert (budget.code, budget.budget, budget.spent) == ("식비", 80_000, 84_300)
    assert "식비 예산을 4,300 넘었습니다" in home.sees("/assets/budget")
    wrong = home.send("/assets/budget", place=["living-expense/식비"], amount=["많이"])
    assert (wrong.status, "금액으로 읽을 수 없습니다" in wrong.shown) == (422, True)
    home.send("/assets/budget", place=["living-expense/식비"], amount=[""])
    assert home.assets.reports.budgets(home.month) == []


def test_a_year_is_shown_by_code_and_month_with_its_flows(read_home: Home) -> None:
    month = month_after(read_home.month, -1)
    year = month[:4]
    page = read_home.get(f"/assets/year?year={year}")
    assert page.status == 200
    assert "식비" in page.shown
    assert "주거 21 21 21" in page.shown  # the rent, in 만
    assert 'class="flows' in page.text
    assert f"{int(year) - 1}년의 내역이 없습니다" in page.shown
    assert read_home.get(f"/assets/year?year={year}&by=amount").status == 200
    report = read_home.sees(f"/assets/year/report?year={year}")
    assert "7,270,000" in report
    assert "구분을 적은 결제가 없습니다" in report
    assert "Nothing entered in 1950" in read_home.sees("/assets/year?year=1950", "en")


def looked_at(home: Home, text: str, **fields: object) -> Page:
    home.browser().get("/assets/files")
    return home.browser().send("/assets/files/look", text=text, **fields)


def test_a_file_is_mapped_looked_at_entered_and_taken_back_with_one_undo(home: Home) -> None:
    first, last = month_after(home.month, -1), home.month
    day, other = (f"{each.replace('.', '-')}-02" for each in (last, first))
    text = f"언제,어디,얼마\n{day},책방,12000\n{other},커피,3000\n{day},커피,4500\n어제,커피,1\n"
    unknown = looked_at(home, text)
    assert (unknown.status, "열 이름이 있는 줄을 찾을 수 없습니다" in unknown.shown) == (422, True)
    assert re.findall(r'name="header" value="([^"]*)"', unknown.text) == ["언제", "어디", "얼마"]
    mapping = {"header": ["언제", "어디", "얼마"], "meaning": ["date", "memo", "out"], "otherwise": "식비"}
    page = looked_at(home, text, **mapping)
    assert (page.status, page.faults) == (200, [])
    assert "3줄 넣기" in page.shown
    assert "5번째 줄: 어제는 날짜가 아닙니다" in page.shown
    lines = {
        "shown": ["2", "3", "4"],
        "line": ["2", "3"],
        "memo": ["책방", "커피", "커피"],
        "place": ["문화생활", "", ""],
    }
    before = home.assets.reading.period(first, last).by_code()
    home.browser().send("/assets/files/take", text=text, remember="골목카드", **mapping, **lines)
    after = home.assets.reading.period(first, last).by_code()
    assert after[("living-expense", "식비")] - before[("living-expense", "식비")] == 3_000
    assert after[("living-expense", "문화생활")] == 12_000
    done = home.browser().follow()
    assert "2줄을 넣고 2줄을 뺐습니다" in done.shown
    assert "골목카드" in done.shown
    [undo] = set(re.findall(r'action="(/assets/changes/[0-9a-z]+/undo)"', done.text))
    home.browser().send(undo, next="/assets/history", household="")
    assert home.assets.reading.period(first, last).by_code() == before
    known = looked_at(home, text)
    assert "문화생활" in re.findall(r'name="place"[^>]*value="([^"]*)"', known.text)
    report = home.browser().send("/assets/files/report", text=text, **mapping)
    assert "어제는 날짜가 아닙니다" in report.text
    home.browser().get("/assets/files")
    home.browser().send("/assets/files/forget", name="골목카드")
    assert home.assets.importing.presets.all() == []


def test_the_household_goes_out_as_files(read_home: Home) -> None:
    lines = read_home.get("/assets/files/export?form=jsonl").text.splitlines()
    assert lines[0].startswith('{"form":"hansang-assets"')
    month = read_home.month.replace(".", "-")
    sheet = read_home.get(f"/assets/files/export?form=csv&from={month}&to={month}").text
    assert "마트 장보기" in sheet
    said = read_home.sees("/assets/files")
    assert "내보내기" in said
    assert "맞추기와 미리 보기" not in read_home.sees("/assets/files", name="viewer")
    again = looked_at(read_home, "\n".join(lines))
    assert (again.status, "이미 가계부가 있습니다" in again.shown) == (409, True)


def test_what_is_usual_is_that_of_the_months_that_the_book_has(rendering: Rendering) -> None:
    with opened_home(rendering, is_empty=True) as home:
        month, food = month_after(home.month, -1), Place.of("living-expense", ("식비",))
        home.assets.entering.enter(month, food, Given(amount=300_000), WHO)
        assert "평소의 두 배" not in home.sees(f"/assets/year?year={month[:4]}")
        row = home.get("/assets/budget").shown.split("식비")[1]
        assert "30만" in row


@clause("X1-10")
def test_an_amount_that_changed_since_the_look_is_asked_with_both_values(home: Home) -> None:
    text = f"month,kind,name,amount\n{home.month},living-expense,교통비,60000\n{home.month},living-expense,기타,7"
    looked = looked_at(home, text)
    home.enter("living-expense", "교통비", "12000", mode="add")
    lines = {"text": text, "shown": ["2", "3"], "memo": ["", ""], "place": ["", ""]}
    fields = {**lines, "line": ["2", "3"], "seen": looked.hidden("seen")}
    late = home.browser().send("/assets/files/take", **fields)
    assert (late.status, late.faults) == (409, [])
    assert "미리 본 뒤에 내역 1건이 바뀌어 아무것도 저장하지 않았습니다" in late.shown
    assert "지금은 12,000원, 파일에는 60,000원입니다" in late.shown
    assert late.all("input", type="checkbox", value="2", checked="") == []
    assert home.entry("living-expense", "기타") is None
    kept = {**lines, "line": ["3"], "seen": late.hidden("seen")}
    assert home.browser().send("/assets/files/take", **kept).status == 303
    assert (amount(home, "교통비"), amount(home, "기타")) == (12_000, 7)
    home.browser().follow()
    assert home.browser().send("/assets/files/take", **{**kept, "line": ["2"]}).status == 303
    assert amount(home, "교통비") == 60_000


def amount(home: Home, code: str) -> int | None:
    entry = home.entry("living-expense", code)
    return None if entry is None else entry.amount


def test_the_month_says_what_is_left_of_each_budget(home: Home) -> None:
    assert "See all" not in home.sees("/assets", "en")
    places = ["living-expense/식비", "living-expense/교통비"]
    home.send(f"/assets/budget?month={home.month}", place=places, amount=["80000", "50000"])
    said = home.sees("/assets", "en")
    assert "budget ₩4,300 over" in said
    assert "budget ₩50K left" in said
    card = said.split("of the month has passed See all")[1]
    assert card.index("식비 ₩4,300 over ₩84.3K / ₩80K") < card.index("교통비 ₩0 / ₩50K")
    assert "예산 5만 남음" in home.sees("/assets")
