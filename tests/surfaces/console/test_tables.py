"""Tables of the console: there and back again, filtered, counted, several rows at once, and what is long."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from hansang.apps.assets.design import AssetManager, Income
from hansang.apps.codex.design import Banner, ContactInquiry, FMWebApp
from hansang.design.requests import shape_of
from hansang.design.shape import Item
from hansang.surfaces.addresses import address
from hansang.surfaces.shell import Shell
from tests.apps.assets.household import income, savings
from tests.apps.codex.site import banner, inquiry, post
from tests.spoiling import put_item
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor

ASSETS = "/data/assets/tables/AssetManager"
SITE = f"/data/codex/tables/{FMWebApp.name}"


def opened_by(page: Page) -> list[str]:
    """Where the rows of a page lead."""
    return list(dict.fromkeys(each for each in page.links if "/item?" in each))


def follow(browser: Browser, page: Page, rel: str) -> Page | None:
    found = [own["href"] for own in page.all("a", rel=rel)]
    return browser.get(f"{ASSETS}{found[0]}") if found else None


@pytest.fixture
def many(shell: Shell) -> list[Income]:
    return [shell.database.put(income(name=f"이름{number:02}")) for number in range(25)]


# ── there and back ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    "query", ["", "&partition=INCOME%232025.01", "&partition=INCOME%232025.01&order=descending"]
)
def test_every_page_leads_back_to_the_one_before(visitor: Visitor, query: str) -> None:
    browser = visitor("viewer")
    page: Page | None = browser.get(f"{ASSETS}?limit=10{query}")
    seen = []
    while page is not None:
        seen.append(opened_by(page))
        last, page = page, follow(browser, page, "next")
    assert [len(each) for each in seen] == [10, 10, 5]
    assert "21–25 / 총 25개" in last.shown
    back = []
    while (earlier := follow(browser, last, "prev")) is not None:
        last = earlier
        back.append(opened_by(last))
    assert back == [seen[1], seen[0]]
    assert last.all("a", rel="prev") == []


def test_going_back_is_right_after_items_have_come_and_gone(
    visitor: Visitor, shell: Shell, many: list[Income]
) -> None:
    browser = visitor("viewer")
    start = browser.get(f"{ASSETS}?limit=10&partition=INCOME%232025.01")
    second = follow(browser, start, "next")
    assert second is not None
    third = follow(browser, second, "next")
    shell.database.delete(many[9])
    new = shell.database.put(income(name="이름00a"))
    assert third is not None
    second_again = follow(browser, third, "prev")
    assert second_again is not None
    assert opened_by(second_again) == opened_by(second)
    first_again = follow(browser, second_again, "prev")
    assert first_again is not None
    assert any(
        urlencode(address(AssetManager, shape_of(new).encode(new))) in each for each in first_again.links
    )


def test_a_way_back_that_is_too_long_leads_to_the_first_page(visitor: Visitor, shell: Shell) -> None:
    for number in range(60):
        put_item(shell.database, AssetManager, {"PK": {"S": f"{'x' * 900}{number}"}, "SK": {"S": "x"}})
    browser = visitor("viewer")
    page = browser.get(f"{ASSETS}?limit=10")
    for _ in range(5):
        page = follow(browser, page, "next") or page
    steps = 0
    while (earlier := follow(browser, page, "prev")) is not None:
        page, steps = earlier, steps + 1
    assert 0 < steps < 5
    assert "?limit=10" in page.links


@pytest.mark.usefixtures("many")
def test_a_cursor_is_signed_for_the_table_that_it_was_given_for(visitor: Visitor) -> None:
    browser = visitor("viewer")
    [link] = [own["href"] for own in browser.get(f"{ASSETS}?limit=10").all("a", rel="next")]
    assert browser.get(f"{ASSETS}{link}").status == 200
    assert browser.get(f"{ASSETS}{link}&partition=INCOME%232025.02").status == 400
    assert browser.get(f"{SITE}{link}").status == 400


def test_an_empty_page_has_no_first_and_no_last(visitor: Visitor) -> None:
    for path in (ASSETS, f"{ASSETS}?partition=NOTHING", "/data/codex/patterns/Banner.newest"):
        page = visitor("viewer").get(path)
        assert "1–0" not in page.shown


# ── filtering ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"attribute": "name", "test": "contains", "value": "이름1"}, 10),
        ({"attribute": "amount", "test": ">=", "value": "1"}, 25),
        ({"attribute": "amount", "test": "<=", "value": "1"}, 0),
        ({"attribute": "nothing", "test": "exists"}, 0),
        ({"kind": "Income"}, 25),
        ({"kind": "Savings"}, 1),
    ],
)
def test_a_table_is_filtered_by_attribute_and_by_kind(
    visitor: Visitor, shell: Shell, query: dict[str, str], count: int
) -> None:
    shell.database.put(savings())
    page = visitor("viewer").get(f"{ASSETS}?limit=50&{urlencode(query)}")
    incomes = [each for each in opened_by(page) if query.get("kind") or "INCOME" in each]
    assert len(incomes) == count


@pytest.mark.usefixtures("many")
def test_a_filtered_table_comes_page_by_page_too(visitor: Visitor, shell: Shell) -> None:
    for number in range(5):
        shell.database.put(savings(f"적금{number}"))
    browser = visitor("viewer")
    page: Page | None = browser.get(f"{ASSETS}?limit=10&kind=Income")
    seen: list[str] = []
    while page is not None:
        seen += opened_by(page)
        page = follow(browser, page, "next")
    assert len(seen) == len(set(seen)) == 25


def test_no_filter_tells_what_is_hidden(visitor: Visitor, shell: Shell) -> None:
    asked = shell.database.put(inquiry())
    assert isinstance(asked, ContactInquiry)
    query = urlencode({"attribute": "message", "test": "contains", "value": asked.message[:4]})
    assert opened_by(visitor("owner").get(f"{SITE}?{query}")) != []
    assert opened_by(visitor("viewer").get(f"{SITE}?{query}")) == []


# ── kinds ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("many")
def test_an_application_counts_its_kinds_and_leads_to_their_lists(visitor: Visitor) -> None:
    page = visitor("viewer", "en").get("/data/assets")
    assert f"{ASSETS}?kind=Income" in page.links
    assert " 25 Sample" in page.shown
    assert any("/item?" in each for each in page.links)
    assert "of 25" in visitor("viewer", "en").get(f"{ASSETS}?kind=Income&limit=10").shown


# ── several at once ───────────────────────────────────────────────────────────────────────────────


def keys_of(page: Page) -> list[str]:
    return [own["value"] or "" for own in page.all("input", name="key")]


def send(browser: Browser, path: str, **fields: list[str]) -> Page:
    assert browser.page is not None
    data = {"csrf": browser.page.csrf, **fields}
    browser.page = Page(browser.client.post(path, data=data))
    return browser.page


def test_several_items_are_deleted_after_a_look_and_undone_together(visitor: Visitor, shell: Shell) -> None:
    banners = [shell.database.put(banner(number)) for number in range(3)]
    editor = visitor("editor")
    keys = keys_of(editor.get(SITE))
    seen = send(editor, f"{SITE}/selected/preview", key=keys)
    assert seen.status == 200
    assert shell.database.all(Banner.latest()) != []
    tags = [own["value"] or "" for own in seen.all("input", name="etag")]
    done = send(editor, f"{SITE}/selected/delete", key=keys_of(seen), etag=tags)
    assert done.status == 303
    assert shell.database.all(Banner.latest()) == []
    notice = editor.follow()
    assert "3개를 삭제했습니다" in notice.shown
    [undo] = [each for each in notice.links if "/undo?" in each]
    page = editor.get(undo)
    [request] = [own["value"] or "" for own in page.all("input", name="request")]
    assert send(editor, "/data/codex/undo", request=[request]).status == 303
    assert sorted(each.id for each in shell.database.all(Banner.latest())) == [each.id for each in banners]
    assert "되돌릴 변경이 없습니다" in editor.get(undo).shown


def test_what_has_changed_since_it_was_looked_at_stays(visitor: Visitor, shell: Shell) -> None:
    for number in range(2):
        shell.database.put(banner(number))
    editor = visitor("editor")
    editor.get(SITE)
    seen = send(editor, f"{SITE}/selected/preview", key=keys_of(editor.get(SITE)))
    keys, tags = keys_of(seen), [own["value"] or "" for own in seen.all("input", name="etag")]
    shell.database.put(banner(1).model_copy(update={"title": "바뀐 제목"}))
    send(editor, f"{SITE}/selected/delete", key=keys, etag=tags)
    assert [each.title for each in shell.database.all(Banner.latest())] == ["바뀐 제목"]
    assert "1개를 삭제했고 1개는 그대로" in editor.follow().shown


def test_whoever_may_only_read_exports_and_deletes_nothing(visitor: Visitor, shell: Shell) -> None:
    stored = shell.database.put(income())
    viewer = visitor("viewer")
    keys = keys_of(viewer.get(ASSETS))
    assert send(viewer, f"{ASSETS}/selected/preview", key=keys).status == 403
    viewer.get(ASSETS)
    assert send(viewer, f"{ASSETS}/selected/delete", key=keys).status == 403
    viewer.get(ASSETS)
    [item] = json.loads(send(viewer, f"{ASSETS}/selected/export?format=json", key=keys).text)
    assert (item["PK"], item["amount"]) == ("INCOME#2025.01", stored.amount)
    viewer.get(ASSETS)
    lines = send(viewer, f"{ASSETS}/selected/export?format=csv", key=keys).text.splitlines()
    assert len(lines) == 2
    assert lines[0].lstrip("\ufeff").startswith("PK,SK")


def test_an_export_hides_what_is_hidden(visitor: Visitor, shell: Shell) -> None:
    asked = shell.database.put(inquiry())
    viewer = visitor("viewer")
    keys = keys_of(viewer.get(SITE))
    assert asked.message not in send(viewer, f"{SITE}/selected/export?format=json", key=keys).text


# ── what is long ──────────────────────────────────────────────────────────────────────────────────


def test_a_long_value_is_cut_on_the_page_and_whole_under_its_address(visitor: Visitor, shell: Shell) -> None:
    text = "긴 글입니다. " * 8_000
    shell.database.put(post().model_copy(update={"contents": text}))
    at = urlencode({"pk": "CATEGORY#c001", "sk": "POST#p001"})
    viewer = visitor("viewer")
    page = viewer.get(f"{SITE}/item?{at}")
    assert len(page.text) < 100_000
    assert viewer.get(f"{SITE}/raw?{at}&name=contents").text == text
    assert json.loads(viewer.get(f"{SITE}/raw?{at}").text)["contents"] == {"S": text}
    assert viewer.get(f"{SITE}/raw?{at}&name=nothing").status == 404
    assert len(viewer.get(SITE).text) < 60_000


def test_a_map_is_shown_over_several_lines(visitor: Visitor, shell: Shell) -> None:
    item: Item = {
        "PK": {"S": "X"},
        "SK": {"S": "Y"},
        "map": {"M": {"a": {"N": "1"}, "b": {"L": [{"S": "c"}]}}},
    }
    put_item(shell.database, FMWebApp, item)
    page = visitor("viewer").get(f"{SITE}/item?{urlencode({'pk': 'X', 'sk': 'Y'})}")
    assert "{\n  &#34;a&#34;: 1,\n" in page.text
