"""The page of a month: its figures, its grid, and what is sent from its cells."""

from __future__ import annotations

from hansang.apps.assets.rules import month_after
from hansang.apps.assets.sharing import shares
from tests.apps.assets.console.homes import Home
from tests.clauses import clause


def test_the_month_says_what_came_in_went_out_and_is_left(read_home: Home) -> None:
    said = read_home.sees("/assets")
    assert "들어온 돈 7,270,000 원 지난달과 같음" in said
    assert "나간 돈 84,300 원 지난달 전체 81.2만의 10%" in said
    assert "남은 돈 월 잉여 7,185,700 원 들어온 돈 − 나간 돈 − 모은 돈" in said


def test_rows_are_codes_and_columns_are_people(read_home: Home) -> None:
    page = read_home.get("/assets")
    cells = [own for own in page.all("button") if "cell" in (own.get("class") or "").split()]
    assert {own["data-by"] for own in cells} == {"서연", "준호", ""}
    said = page.shown
    assert "식비 3건" in said
    assert "42,800 11,500 30,000 84,300 602,000" in said
    assert "마트 장보기 42,800" in said


def test_the_page_is_in_english_too_and_a_reader_cannot_write(read_home: Home) -> None:
    said = read_home.sees("/assets", "en", "viewer")
    assert "Came in 7,270,000 won As the month before" in said
    page = read_home.get("/assets", "en", "viewer")
    assert not [own for own in page.all("button") if "cell" in (own.get("class") or "").split()]
    assert "/copy" not in " ".join(page.actions)


def test_a_past_month_and_one_that_is_none_are_shown(read_home: Home) -> None:
    past = month_after(read_home.month, -2)
    assert "지난 달" in read_home.sees(f"/assets?month={past}")
    assert past.replace(".", "-") in str(read_home.get(f"/assets?month={past.replace('.', '-')}").text)
    assert read_home.get("/assets?month=nonsense").status == 200
    assert "아직 비어 있습니다" in read_home.sees(f"/assets?month={month_after(read_home.month)}")


def test_amounts_are_read_as_people_type_them(home: Home) -> None:
    page = home.enter("living-expense", "교통비", "12000+8500", by="서연", was="0")
    assert page.status == 200
    assert "교통비 +20,500 · 저장했습니다" in page.shown
    assert shares(home.entry("living-expense", "교통비")) == {"서연": 20_500}


def test_what_cannot_be_read_is_said_and_nothing_is_written(home: Home) -> None:
    page = home.enter("living-expense", "교통비", "3만5천워")
    assert page.status == 422
    assert "3만5천워" in page.shown
    assert home.entry("living-expense", "교통비") is None


def test_an_empty_cell_clears_the_entry(home: Home) -> None:
    home.enter("income", ["준호", "월급"], "", was="3420000")
    assert home.entry("income", "준호", "월급") is None


@clause("X1-10")
def test_somebody_who_was_quicker_is_told_with_both_values(home: Home) -> None:
    home.send(
        f"/assets/months/{home.month}/cells", "partner", kind="fixed-expense", part="통신", text="39000"
    )
    page = home.enter("fixed-expense", "통신", "45000", was="0")
    assert page.status == 409
    assert "준호 님이 먼저 고쳤습니다" in page.shown
    assert "39,000 원 통신 합계 39,000" in page.shown
    assert "45,000 원 통신 합계 45,000" in page.shown
    entry = home.entry("fixed-expense", "통신")
    assert entry is not None
    assert entry.amount == 39_000


def test_a_form_that_is_sent_twice_under_one_key_is_done_once(home: Home) -> None:
    for _ in range(2):
        page = home.enter("living-expense", "식비", "1000", mode="add", by="서연", key="one-key")
        assert page.status == 200
    entry = home.entry("living-expense", "식비")
    assert entry is not None
    assert entry.amount == 85_300


def test_a_line_is_removed_and_the_others_stay(home: Home) -> None:
    path = f"/assets/months/{home.month}/lines/remove"
    page = home.send(path, kind="living-expense", part="식비", line="1", seen="11500")
    assert "식비 84,300 → 72,800" in page.shown
    assert shares(home.entry("living-expense", "식비")) == {"서연": 42_800, None: 30_000}
    assert home.send(path, kind="living-expense", part="식비", line="1", seen="11500").status == 409


def test_the_month_before_is_copied_into_empty_cells_with_one_undo(home: Home) -> None:
    answer = home.send(f"/assets/months/{home.month}/copy", kinds=["fixed-expense", "savings", "income"])
    assert answer.status == 303
    page = home.browser().follow()
    assert "2칸을 채웠습니다 되돌리기" in page.shown
    assert home.entry("savings", "적금1") is not None
    [undo] = [own for own in page.all("form") if "data-undo" in own]
    home.browser().send(str(undo["action"]), next="/assets")
    assert home.entry("savings", "적금1") is None


def test_recurring_entries_propose_themselves(home: Home) -> None:
    assert "이번 달에도 나갈 돈" in home.sees("/assets")
    home.send(f"/assets/months/{home.month}/propose", one="fixed-expense/주거")
    entry = home.entry("fixed-expense", "주거")
    assert entry is not None
    assert entry.amount == 210_000
    assert home.entry("savings", "적금1") is None


def test_a_correction_of_the_past_shows_what_it_moved(home: Home) -> None:
    past = month_after(home.month, -2)
    path = f"/assets/months/{past}/cells"
    page = home.send(path, kind="savings", part="적금1", text="70만", was="500000")
    assert "이 수정으로 달라지는 것" in page.shown
    assert "3개월 가운데 3개월 끝남" in page.shown
    assert "3,600,000 → 3,800,000" in page.shown
    undo = next(each for each in page.actions if each.endswith("/undo"))
    assert home.browser().send(undo).status == 303
    entry = home.entry("savings", "적금1", month=past)
    assert entry is not None
    assert entry.amount == 500_000


def test_who_may_only_read_sends_nothing(home: Home) -> None:
    page = home.send(
        f"/assets/months/{home.month}/cells", "viewer", kind="fixed-expense", part="통신", text="1"
    )
    assert page.status == 403
    assert home.entry("fixed-expense", "통신") is None
