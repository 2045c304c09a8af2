"""A couple begins its ledger: the first steps, a month by keyboard and by paste, on a phone, a correction, undo."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.browsing import Browsing, Watched
from tests.browser.serving import Site, served_empty

AMOUNTS = {
    "35000": 35_000, "3.5만": 35_000, "1억 2천": 120_000_000, "1억 2천원": 100_002_000, "35,000원": 35_000,
    "12000+8500": 20_500, "1만-500": 9_500, "천": 1_000, "0": 0, "3만5천워": None, "1,00": None, "2 3": None, "+": None,
}  # fmt: skip
PASTE = """text => { const clipboardData = new DataTransfer(); clipboardData.setData("text/plain", text);
  const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(paste); }"""
READ = """async texts => { const [script] = [...document.querySelectorAll('link[href*="assets/amounts.js"]')];
  const { readAmount } = await import(script.href); return texts.map(readAmount); }"""


@pytest.fixture(scope="module")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server whose household has nothing yet."""
    with served_empty(tmp_path_factory.mktemp("household"), "assets") as found:
        yield found


@pytest.fixture
def couple(browsing: Browsing, empty_site: Site) -> Iterator[Watched]:
    found = browsing.open_for(empty_site, "seoyeon", "ko", "light", 1440)
    yield found
    found.context.close()
    assert [each for each in found.faults if "503" not in each] == []  # the one that was held back


def cell(page: Page, row: str, by: str) -> Locator:
    return page.locator(f'tr[data-row="{row}"] button.cell[data-by="{by}"]')


def said(page: Page, text: str) -> None:
    expect(page.locator("[data-toast]")).to_contain_text(text)


def test_a_household_from_nothing_to_a_correction_and_back(couple: Watched) -> None:
    page = couple.page()
    begin(page)
    by_keyboard(page)
    by_paste(page)
    without_a_connection(page)
    while_the_other_enters(page, couple)
    page.goto("/assets/dashboard?month=" + str(page.locator("[data-ledger]").get_attribute("data-month")))
    expect(page.locator("[data-waterfall] rect.bar")).to_have_count(7)
    a_correction_and_undo(page)
    the_same_elsewhere(page)


def begin(page: Page) -> None:
    page.goto("/assets")
    page.get_by_role("link", name="시작하기").click()
    page.get_by_label("나", exact=True).fill("서연")
    page.get_by_label("배우자").fill("준호")
    page.get_by_role("button", name="다음: 통장과 잔액").click()
    page.wait_for_load_state()  # So that the script listens.
    first = page.locator("[name=amount0]").first
    first.fill("1250만")
    expect(page.locator("[data-reads]").first).to_have_text("12,500,000원으로 읽었습니다")
    expect(page.locator("[data-whole]")).to_have_text("12,500,000")
    page.get_by_role("button", name="다음: 첫 달 쓰기").click()
    page.get_by_label("월급 서연").fill("385만")
    page.get_by_role("button", name="장부 열기").click()
    said(page, "1칸으로 시작했습니다")
    page.wait_for_load_state()


def by_keyboard(page: Page) -> None:
    found = page.evaluate(READ, list(AMOUNTS))
    assert dict(zip(AMOUNTS, found, strict=True)) == AMOUNTS
    cell(page, "income/월급", "서연").focus()
    page.keyboard.press("ArrowRight")
    expect(cell(page, "income/월급", "준호")).to_be_focused()
    page.keyboard.type("342만")
    expect(page.locator('[data-total="net_asset"] b')).to_have_text("7,270,000")
    page.keyboard.press("Enter")
    said(page, "월급 (준호) +3,420,000 · 저장했습니다")
    cell(page, "living-expense/식비", "서연").focus()
    page.keyboard.type("12000+8500")
    expect(page.locator(".pop-sum b")).to_have_text("20,500원")
    page.keyboard.press("Enter")
    expect(cell(page, "living-expense/교통비", "서연")).to_be_focused()
    said(page, "식비 +20,500")
    expect(cell(page, "living-expense/식비", "서연")).to_have_text("20,500")


def by_paste(page: Page) -> None:
    cell(page, "living-expense/교통비", "서연").focus()
    page.evaluate(PASTE, "62000\t11만8400\n39200\t\n")
    dialog = page.locator("#pasted")
    expect(dialog).to_contain_text("3칸이 바뀝니다")
    dialog.get_by_role("button", name="3칸 넣기").click()
    said(page, "3칸을 붙여넣었습니다")
    expect(cell(page, "living-expense/교통비", "준호")).to_have_text("118,400")
    expect(page.locator('[data-total="total_expense"] b')).to_have_text("240,100")


def without_a_connection(page: Page) -> None:
    """What is entered while nothing gets through waits, over a reload too, and arrives once."""

    def hold(route: Route) -> None:
        route.fulfill(status=503, body="")

    page.route("**/cells", hold)
    cell(page, "fixed-expense/통신", "").focus()
    page.keyboard.type("84000")
    page.keyboard.press("Enter")
    expect(page.locator("[data-offline]")).to_contain_text("쓰신 1건은 이 기기에 두었습니다")
    page.unroute("**/cells", hold)
    page.reload()
    said(page, "통신 +84,000")
    expect(page.locator("[data-offline]")).to_be_hidden()


def while_the_other_enters(page: Page, couple: Watched) -> None:
    """The change is seen without a reload, and the sums of what is being typed run along on top of it."""
    cell(page, "savings/적금1", "").focus()
    page.keyboard.type("1만")
    saved = page.locator('[data-total="net_asset"] b')
    expect(saved).to_have_text("6,935,900")
    on_a_phone(couple)
    expect(cell(page, "living-expense/식비", "준호")).to_have_text("3,500")
    expect(saved).to_have_text("6,932,400")
    page.keyboard.press("Escape")
    expect(saved).to_have_text("6,942,400")
    cell(page, "fixed-expense/통신", "").focus()
    page.keyboard.type("9만")
    expect(saved).to_have_text("6,936,400")
    in_the_same_cell(couple)
    expect(page.locator('tr[data-row="fixed-expense/통신"] [data-sum]')).to_have_attribute(
        "data-sum", "85000"
    )
    expect(saved).to_have_text("6,936,400")
    page.keyboard.press("Escape")
    expect(saved).to_have_text("6,941,400")
    expect(cell(page, "fixed-expense/통신", "")).to_have_text("85,000")


def in_the_same_cell(couple: Watched) -> None:
    page = couple.page()
    page.goto("/assets")
    cell(page, "fixed-expense/통신", "").focus()
    page.keyboard.type("=85000")
    page.keyboard.press("Enter")
    said(page, "통신")
    page.close()


def on_a_phone(couple: Watched) -> None:
    page = couple.page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/assets")
    month = str(page.locator("[data-ledger]").get_attribute("data-month")).replace(".", "-")
    page.get_by_role("button", name="얼마 쓰셨습니까?").click()
    pad = page.locator("[data-pad]")
    pad.get_by_role("button", name="식비").click()
    pad.get_by_role("button", name="준호").click()
    for key in ("3", "천", "+", "5", "00"):
        pad.locator(f'[data-pad-key="{key}"]').click()
    pad.get_by_role("button", name="식비에 3,500원 더하기").click()
    said(page, "식비 +3,500")
    expect(page.locator('tr[data-row="living-expense/식비"] .whos')).to_contain_text("3,500")
    page.goto("/assets/year")
    expect(page.locator(".heat th[data-now]")).to_be_in_viewport(ratio=1)
    page.goto("/assets/files")
    expect(page.locator(".seg [aria-current=page]")).to_be_in_viewport(ratio=1)
    page.locator("textarea[name=text]").fill(f"이용일,가맹점,금액\n{month}-04,골목 빵집,4500")
    page.get_by_role("button", name="맞추기와 미리 보기").click()
    expect(page.get_by_role("cell", name="4,500", exact=True)).to_be_in_viewport(ratio=1)
    page.close()


def a_correction_and_undo(page: Page) -> None:
    """This month has savings; a line of them is entered into the next, and then this one is corrected."""
    page.goto("/assets")
    month = str(page.locator("[data-ledger]").get_attribute("data-month"))
    page.keyboard.press("Escape")
    page.get_by_role("link", name="다음 달").click()
    page.wait_for_load_state()
    cell(page, "savings/적금1", "").focus()
    page.keyboard.type("10만")
    page.keyboard.press("Enter")
    said(page, "적금1 +100,000")
    page.goto(f"/assets?month={month}")
    cell(page, "savings/적금1", "").focus()
    page.keyboard.type("20만")
    page.keyboard.press("Enter")
    reach = page.locator(".reach-card")
    expect(reach).to_contain_text("2개월 가운데 2개월 끝남")
    expect(reach).to_contain_text("12,600,000→12,800,000")
    page.keyboard.press("Control+z")
    expect(page.locator("[data-toast]")).to_contain_text("되돌렸습니다")
    expect(cell(page, "savings/적금1", "")).to_have_text("–")


def the_same_elsewhere(page: Page) -> None:
    """The household goes out as a file, and comes into a second one, which has the same month then."""
    page.goto("/assets")
    month = page.locator("[data-grid]").inner_text()
    page.goto("/assets/files")
    page.get_by_label("형식").select_option("jsonl")
    with page.expect_download() as download:
        page.get_by_role("button", name="내려받기").click()
    page.goto("/assets/household")
    page.get_by_label("새 가계부 이름").fill("둘째 장부")
    page.get_by_label("주소에 쓸 이름").fill("second")
    page.get_by_role("button", name="가계부 만들기").click()
    said(page, "둘째 장부를 만들었습니다")
    page.goto("/assets")
    expect(page.get_by_role("link", name="시작하기")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/assets/files")
    page.get_by_label("파일", exact=True).set_input_files(download.value.path())
    page.get_by_role("button", name="맞추기와 미리 보기").click()
    expect(page.locator("main")).to_contain_text("장부를 가져왔습니다")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/assets")
    expect(page.get_by_role("heading", level=1)).to_contain_text("둘째 장부")
    assert page.locator("[data-grid]").inner_text() == month
