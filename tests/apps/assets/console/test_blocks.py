"""Blocks from Excel: by names, by heads, from a cell on; looked at first, then entered together."""

from __future__ import annotations

from hansang.apps.assets.console.blocks import read_block
from hansang.apps.assets.console.grid import Grid, grid_of
from hansang.apps.assets.rules import month_before
from hansang.apps.assets.sharing import shares
from tests.apps.assets.console.homes import Home
from tests.clauses import clause


def grid(home: Home) -> Grid:
    reading = home.assets.reading
    return grid_of(reading.month(home.month), reading.month(month_before(home.month)), home.assets.codes)


def states(
    home: Home, text: str, at: str = "", column: int | None = None
) -> list[tuple[str, str | None, str]]:
    found = read_block(grid(home), text, at, column)
    return [(each.name, each.by, each.state) for each in found.cells]


def test_names_in_the_first_column_find_their_rows(read_home: Home) -> None:
    assert states(read_home, "식비\t3.5만\n없는것\t100\n교통비\t-\n") == [
        ("식비", None, "changed"),
        ("없는것", None, "unknown"),
    ]


def test_heads_name_the_people(read_home: Home) -> None:
    assert states(read_home, "항목\t준호\t서연\n식비\t11500\t1\n월급\t5만\t만원쯤\n") == [
        ("식비", "준호", "same"),
        ("식비", "서연", "changed"),
        ("월급", "준호", "changed"),
        ("월급", "서연", "unreadable"),
    ]


def test_numbers_alone_are_laid_from_the_chosen_cell_on(read_home: Home) -> None:
    assert states(read_home, "1\t2\n3\t4\n", "living-expense/식비", 0) == [
        ("식비", "서연", "changed"),
        ("식비", "준호", "changed"),
        ("교통비", "서연", "new"),
        ("교통비", "준호", "new"),
    ]


def test_an_income_has_no_shared_cell(read_home: Home) -> None:
    assert states(read_home, "1\t2\t3\n", "income/월급", 0) == [
        ("월급", "서연", "changed"),
        ("월급", "준호", "changed"),
    ]


def test_a_block_is_shown_before_it_is_entered_together(home: Home) -> None:
    path, text = f"/assets/months/{home.month}/paste", "교통비\t62000\n의료비\t39200\n반려동물\t54000\n"
    page = home.send(path, text=text)
    assert "3칸을 읽었고 2칸이 바뀝니다" in page.shown
    assert "반려동물: 항목을 먼저 만드십시오" in page.shown
    assert home.entry("living-expense", "교통비") is None
    assert home.browser().send(path, text=text, sure="yes").status == 303
    assert "2칸을 붙여넣었습니다 되돌리기" in home.browser().follow().shown
    assert shares(home.entry("living-expense", "의료비")) == {None: 39_200}


@clause("X1-10")
def test_a_cell_that_changed_since_the_look_is_asked_with_both_values(home: Home) -> None:
    path, text = f"/assets/months/{home.month}/paste", "교통비\t62000\n의료비\t39200\n"
    looked = home.send(path, text=text)
    home.enter("living-expense", "교통비", "12000", mode="add")
    late = home.browser().send(path, text=text, sure="yes", seen=looked.hidden("seen"))
    assert late.status == 409
    assert "미리 본 뒤에 1칸이 바뀌었습니다" in late.shown
    assert "교통비 함께 12,000 → 62,000 그사이 바뀜" in late.shown
    assert home.entry("living-expense", "의료비") is None
    fields = {"text": text, "sure": "yes", "seen": late.hidden("seen"), "asked": late.hidden("asked")}
    assert home.browser().send(path, **fields).status == 303
    assert shares(home.entry("living-expense", "교통비")) == {None: 12_000}
    assert shares(home.entry("living-expense", "의료비")) == {None: 39_200}
    home.browser().follow()
    assert home.browser().send(path, **fields, mine=late.hidden("asked")).status == 303
    assert shares(home.entry("living-expense", "교통비")) == {None: 62_000}
