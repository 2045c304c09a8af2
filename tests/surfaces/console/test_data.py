"""The data pages: browsing, asking, and changing items by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from starlette.types import ASGIApp

from hansang.apps.application import Application
from hansang.apps.assets.design import AssetManager, Income, IncomeKey
from hansang.apps.codex.design import Credentials, FMWebApp
from hansang.apps.news.design import NewsItem, NewsItems
from hansang.blueprint.table_status import table_status
from hansang.parts.platform import Platform
from hansang.surfaces.shell import Shell
from tests.apps.assets.household import income
from tests.surfaces.by_hand import BY_HAND
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor

ASSETS = "/data/assets/tables/AssetManager"
KEY = IncomeKey(year_month="2025.01", name="배우자1", income_type="월급")
AT = urlencode({"pk": "INCOME#2025.01", "sk": "배우자1#월급"})
EDIT, ITEM, DELETE = (f"{ASSETS}/{verb}?{AT}" for verb in ("edit", "item", "delete"))
NEW = f"{ASSETS}/new/Income"
MORNING = datetime(2025, 11, 6, 0, 35, 12, tzinfo=UTC)


@pytest.fixture
def applications() -> tuple[Application, ...]:
    """A ledger that is written by hand."""
    return BY_HAND


def link(number: int = 1) -> NewsItem:
    return NewsItem.uploaded(MORNING, url=f"https://example.com/{number}", title="Title", tickers=["NVDA"])


@pytest.fixture
def stored(shell: Shell) -> Income:
    return shell.database.put(income())


def filled(page: Page, **changed: str) -> dict[str, str]:
    """What the form of a page would send, with some fields changed."""
    inputs = {own["name"] or "": own.get("value") or "" for own in page.all("input") if own.get("name")}
    found = {name: value for name, value in inputs.items() if name.startswith("value-") or name == "etag"}
    return found | {f"value-{name}": value for name, value in changed.items()}


def sent(browser: Browser, path: str, **changed: str) -> Page:
    page = browser.get(path)
    return browser.send(path, **filled(page, **changed))


# ── looking ───────────────────────────────────────────────────────────────────────────────────────


def test_everyone_sees_the_tables_of_what_they_may_read(visitor: Visitor) -> None:
    all_of_them = visitor("viewer").get("/data")
    assert {"/data/assets", "/data/news"} <= set(all_of_them.links)
    some = visitor("reporter").get("/data")
    assert "/data/news" in some.links
    assert "/data/assets" not in some.links
    assert "볼 수 있는 테이블이 없습니다" in visitor("guest").get("/data").shown


def test_a_table_of_another_application_is_closed(visitor: Visitor) -> None:
    reporter = visitor("reporter")
    assert reporter.get(ASSETS).status == 403
    assert reporter.get("/data/news/tables/news_items").status == 200
    assert reporter.get("/data/news/tables/AssetManager").status == 404
    assert reporter.get("/data/news/tables/news_items/item?pk=none").status == 404


def test_an_application_shows_its_entities_indexes_and_patterns(visitor: Visitor) -> None:
    page = visitor("viewer").get("/data/assets")
    assert "/data/assets/patterns/Income.of_month" in page.links
    assert f"{ASSETS}?index=yearMonth-PK-index" in page.links
    assert "한 달의 수입" in page.shown
    assert NEW not in page.links
    assert NEW in visitor("editor").get("/data/assets").links


@pytest.mark.usefixtures("stored")
def test_a_table_has_one_size_on_every_page(visitor: Visitor, shell: Shell) -> None:
    status = table_status(shell.database, AssetManager)
    assert status.whole == status.item_bytes + sum(size for _, size in status.indexes.values()) > 0
    browser = visitor("viewer", "en")
    for path in ("/data", "/data/assets", "/apps/assets"):
        shown = browser.get(path).shown
        assert f"{status.whole} B" in shown
        assert "with indexes" in shown


@pytest.mark.usefixtures("stored")
def test_items_are_shown_with_the_marks_of_their_types_where_that_is_asked(visitor: Visitor) -> None:
    viewer = visitor("viewer")
    assert viewer.get(ASSETS).all("abbr") == []
    page = viewer.get(f"{ASSETS}?types=on")
    assert "INCOME#2025.01" in page.shown
    assert {own["title"] for own in page.all("abbr")} >= {"문자열", "숫자"}
    assert f"{ASSETS}/item?{AT}" in page.links


@pytest.mark.usefixtures("stored")
def test_items_are_shown_as_entities_by_their_fields(visitor: Visitor) -> None:
    page = visitor("viewer").get(f"{ASSETS}?as=entities")
    assert "수입 종류" in page.shown
    assert "Income" in page.shown


def test_a_partition_and_the_beginning_of_a_sort_key_find_items(visitor: Visitor, shell: Shell) -> None:
    for name in ("배우자1", "배우자2"):
        shell.database.put(income(name=name))
    found = visitor("viewer").get(f"{ASSETS}?{urlencode({'partition': 'INCOME#2025.01', 'sort': '배우자2'})}")
    assert "1개를 읽었습니다" in found.shown
    assert "Query" in found.shown
    month = visitor("viewer").get(f"{ASSETS}?index=yearMonth-PK-index&partition=2025.01")
    assert "2개를 읽었습니다" in month.shown


def test_a_table_comes_page_by_page(visitor: Visitor, shell: Shell) -> None:
    for number in range(23):
        shell.database.put(income(name=f"이름{number}"))
    browser = visitor("viewer")
    seen: list[str] = []
    page = browser.get(f"{ASSETS}?limit=10")
    for _ in range(3):
        seen += dict.fromkeys(each for each in page.links if "/item?" in each)
        following = [own["href"] for own in page.all("a", rel="next")]
        if following:
            page = browser.get(f"{ASSETS}{following[0]}")
    assert (len(seen), len(set(seen)), following) == (23, 23, [])
    assert "21–23 / 총 23개" in page.shown


def test_a_key_of_the_wrong_type_is_said_and_not_thrown(visitor: Visitor) -> None:
    page = visitor("viewer", "en").get("/data/leaderboards/tables/UsersLeaderboard?partition=abc")
    assert "The value of Id does not match its type" in page.shown
    assert page.all("input", name="partition")[0]["aria-invalid"] == "true"


def test_an_empty_table_says_what_to_do(visitor: Visitor) -> None:
    assert "이 테이블은 비어 있습니다" in visitor("viewer").get(ASSETS).shown


@pytest.mark.parametrize("query", ["cursor=x", "cursor=e30"])
def test_a_broken_cursor_is_no_fault_of_the_server(visitor: Visitor, query: str) -> None:
    assert visitor("viewer").get(f"{ASSETS}?{query}").status == 400


def test_an_index_that_is_not_there_is_not_found(visitor: Visitor) -> None:
    assert visitor("viewer").get(f"{ASSETS}?index=none").status == 404


# ── one item ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("stored")
def test_an_item_tells_its_size_its_cost_and_its_indexes(visitor: Visitor) -> None:
    page = visitor("viewer").get(ITEM)
    assert "yearMonth = 2025.01" in page.shown
    assert "income_type" in page.shown
    assert "2 WCU" in page.shown
    assert "직접 변경한 기록이 없습니다" in page.shown


@pytest.mark.usefixtures("stored")
def test_whoever_may_only_read_sees_no_buttons_and_is_refused(visitor: Visitor) -> None:
    viewer = visitor("viewer")
    page = viewer.get(ITEM)
    assert EDIT not in page.links
    assert not any("/delete" in each for each in page.actions)
    assert viewer.get(EDIT).status == viewer.get(NEW).status == 403
    assert viewer.send(DELETE, etag="x").status == 403


def test_an_item_that_no_entity_knows_can_be_seen_and_deleted(visitor: Visitor, shell: Shell) -> None:
    item = {"PK": {"S": "STRANGE#1"}, "SK": {"S": "x"}, "n": {"N": "1"}}
    shell.database.backend.call("PutItem", {"TableName": "AssetManager", "Item": item})
    editor = visitor("editor")
    at = urlencode({"pk": "STRANGE#1", "sk": "x"})
    page = editor.get(f"{ASSETS}/item?{at}")
    assert "설계에 없는 아이템입니다" in page.shown
    assert not any("/edit?" in each for each in page.links)
    assert editor.get(f"{ASSETS}/edit?{at}").status == 403
    editor.get(f"{ASSETS}/item?{at}")
    [etag] = [own["value"] for own in page.all("input", name="etag")]
    assert editor.send(f"{ASSETS}/delete?{at}", etag=etag).status == 303
    assert shell.database.find_item(AssetManager, {"PK": item["PK"], "SK": item["SK"]}) is None


def test_an_item_that_does_not_fit_its_entity_says_so(visitor: Visitor, shell: Shell) -> None:
    item = {"PK": {"S": "INCOME#2025.01"}, "SK": {"S": "배우자1#월급"}}
    shell.database.backend.call("PutItem", {"TableName": "AssetManager", "Item": item})
    editor = visitor("editor")
    assert "저장된 내용이 엔티티에 맞지 않습니다" in editor.get(ITEM).shown
    assert editor.get(EDIT).status == 403


def test_a_secret_is_never_shown_nor_written(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(Credentials(user_id="u1", password_hash="$scrypt$secret"))
    owner = visitor("owner")
    table = f"/data/codex/tables/{FMWebApp.name}"
    at = urlencode({"pk": "USER#u1", "sk": "AUTH"})
    for path in (table, f"{table}?as=entities", f"{table}/item?{at}"):
        page = owner.get(path)
        assert page.status == 200
        assert "scrypt" not in page.text
    assert owner.get(f"{table}/edit?{at}").status == 403
    assert owner.get(f"{table}/new/Credentials").status == 403


def test_what_is_guarded_is_for_owners_alone(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(Credentials(user_id="u1", password_hash="$scrypt$secret"))
    table = f"/data/codex/tables/{FMWebApp.name}"
    at = urlencode({"pk": "USER#u1", "sk": "AUTH"})
    editor = visitor("editor", "en")
    page = editor.get(table)
    assert "USER#u1" not in page.text
    assert "One protected item is not shown." in page.shown
    assert editor.get(f"{table}?as=entities").status == 200
    assert editor.get(f"{table}/item?{at}").status == 403
    assert "USER#u1" in visitor("owner").get(table).shown


@pytest.mark.parametrize("name", ["editor", "owner"])
def test_nobody_deletes_a_secret_by_hand(visitor: Visitor, shell: Shell, name: str) -> None:
    kept = shell.database.put(Credentials(user_id="u1", password_hash="$scrypt$secret"))
    browser = visitor(name)
    browser.get("/data")
    path = f"/data/codex/tables/{FMWebApp.name}/delete?{urlencode({'pk': 'USER#u1', 'sk': 'AUTH'})}"
    assert browser.send(path, etag=shell.editing.etag(kept)).status == 403
    assert shell.database.find(kept) == kept


def test_the_table_of_people_keys_and_sessions_is_not_among_the_data(visitor: Visitor) -> None:
    owner = visitor("owner")
    assert not any("platform" in each for each in owner.get("/data").links if each.startswith("/data/"))
    assert owner.get("/data/platform").status == 404
    assert owner.get(f"/data/news/tables/{Platform.name}").status == 404


# ── creating, editing, deleting ───────────────────────────────────────────────────────────────────


def test_an_item_is_created_and_its_toast_leads_to_the_undoing(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor")
    made = {"year_month": "2025.01", "name": "배우자1", "income_type": "월급", "amount": "3,500,000"}
    page = sent(editor, NEW, **made)
    assert (page.status, page.location) == (303, ITEM)
    entity = shell.database.get(KEY)
    assert (entity.amount, entity.created_at.timestamp()) == (3_500_000, int(shell.clock()))
    [change] = shell.history.page("assets")
    assert (change.verb, change.actor_name) == ("create", "editor")
    assert change.request_id == page.response.headers["x-request-id"]
    item = editor.follow()
    assert "만들었습니다" in item.shown
    assert f"/changes/{change.id}" in item.links


def test_what_was_written_stays_in_the_form_when_it_is_wrong(visitor: Visitor, shell: Shell) -> None:
    page = sent(visitor("editor"), NEW, year_month="2025.13", name="배우자1", income_type="월급", amount="-5")
    assert page.status == 422
    assert page.all("input", name="value-amount")[0]["value"] == "-5"
    assert page.all("input", name="value-year_month")[0]["aria-invalid"] == "true"
    assert "0 이상이어야 합니다" in page.shown
    assert "2곳을 수정하십시오" in page.shown
    assert shell.database.find(KEY) is None


@pytest.mark.usefixtures("stored")
def test_an_item_that_is_there_is_not_created_again(visitor: Visitor, shell: Shell) -> None:
    made = {"year_month": "2025.01", "name": "배우자1", "income_type": "월급", "amount": "1"}
    page = sent(visitor("editor"), NEW, **made)
    assert page.status == 409
    assert "이미 있습니다" in page.shown
    assert shell.database.get(KEY) == income()


@pytest.mark.usefixtures("stored")
def test_an_item_is_edited_and_what_its_design_does_not_know_stays(visitor: Visitor, shell: Shell) -> None:
    item = shell.database.find_item(AssetManager, income_key())
    assert item is not None
    kept = {**item, "note": {"S": "kept"}}
    shell.database.backend.call("PutItem", {"TableName": "AssetManager", "Item": kept})
    page = sent(visitor("editor"), EDIT, amount="42", entries='[{"date": "2025-01-02", "amount": 42}]')
    assert (page.status, page.location) == (303, ITEM)
    found = shell.database.find_item(AssetManager, income_key())
    assert found is not None
    assert (found["amount"], found["note"]) == ({"N": "42"}, {"S": "kept"})
    assert shell.database.get(KEY).entries is not None


def income_key() -> dict[str, dict[str, str]]:
    return {"PK": {"S": "INCOME#2025.01"}, "SK": {"S": "배우자1#월급"}}


@pytest.mark.usefixtures("stored")
def test_the_key_of_an_item_cannot_be_changed(visitor: Visitor, shell: Shell) -> None:
    sent(visitor("editor"), EDIT, amount="42", name="somebody")
    assert shell.database.get(KEY).amount == 42
    assert len(shell.database.all(Income.of_month("2025.01"))) == 1


@pytest.mark.usefixtures("stored")
def test_saving_what_is_not_different_changes_nothing(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor")
    assert sent(editor, EDIT).status == 303
    assert "변경된 내용이 없습니다" in editor.follow().shown
    assert shell.history.page("assets").items == []


def test_two_editors_do_not_overwrite_each_other(visitor: Visitor, shell: Shell, stored: Income) -> None:
    first, second = visitor("editor"), visitor("owner")
    mine, theirs = filled(first.get(EDIT), amount="1"), filled(second.get(EDIT), amount="2")
    assert second.send(EDIT, **theirs).status == 303
    page = first.send(EDIT, **mine)
    assert page.status == 409
    assert "그사이 Owner님이 수정했습니다" in page.shown
    assert "Owner" in page.shown
    assert shell.database.get(KEY).amount == 2
    assert first.send(EDIT, **filled(page)).status == 303
    assert shell.database.get(KEY).amount == 1
    assert stored.amount != 1


@pytest.mark.usefixtures("stored")
def test_a_conflict_with_ones_own_other_window_says_so(visitor: Visitor) -> None:
    first, second = visitor("editor", "en"), visitor("editor", "en")
    mine, theirs = filled(first.get(EDIT), amount="1"), filled(second.get(EDIT), amount="2")
    second.send(EDIT, **theirs)
    page = first.send(EDIT, **mine)
    assert "You changed it in another window, on" in page.shown
    assert "Someone" not in page.shown


@pytest.mark.usefixtures("stored")
def test_a_conflict_with_what_the_history_does_not_know_names_nobody(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor", "en")
    mine = filled(editor.get(EDIT), amount="1")
    sent(visitor("editor"), EDIT, amount="2")
    shell.database.put(income(amount=3))
    assert "It was changed in the meantime" in editor.send(EDIT, **mine).shown


@pytest.mark.usefixtures("stored")
def test_an_item_is_deleted_and_the_deletion_can_be_undone(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor")
    [etag] = [own["value"] for own in editor.get(ITEM).all("input", name="etag")]
    assert editor.send(DELETE, etag=etag).location == ASSETS
    assert shell.database.find(KEY) is None
    [change] = shell.history.page("assets")
    shell.editing.undo(change.id, change.actor)
    assert shell.database.get(KEY) == income()


@pytest.mark.usefixtures("stored")
def test_what_changed_meanwhile_is_not_deleted(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor")
    [etag] = [own["value"] for own in editor.get(ITEM).all("input", name="etag")]
    shell.database.put(income(amount=1))
    assert editor.send(DELETE, etag=etag).location == ITEM
    assert "그사이 아이템이 변경되어" in editor.follow().shown
    assert shell.database.get(KEY).amount == 1


def test_what_the_application_alone_writes_is_shown_as_such(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(link())
    owner = visitor("owner")
    table = f"/data/news/tables/{NewsItems.name}"
    at = urlencode({"pk": link().pk})
    page = owner.get(f"{table}/item?{at}")
    assert "뉴스 서비스만 쓰는 항목입니다" in page.shown
    assert "hansang news load" in page.shown
    assert not any("/edit?" in each for each in page.links)
    assert owner.get(f"{table}/edit?{at}").status == 403
    owner.get(f"{table}/item?{at}")
    assert owner.send(f"{table}/delete?{at}", etag=shell.editing.etag(link())).status == 403
    assert shell.database.find(link()) is not None


def test_a_form_without_its_token_changes_nothing(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor")
    page = editor.get(NEW)
    made = filled(page, year_month="2025.01", name="배우자1", income_type="월급", amount="1")
    assert editor.send(NEW, **{**made, "csrf": "0" * 64}).status == 403
    assert shell.database.find(KEY) is None


def test_a_kind_that_is_not_there_is_not_found(visitor: Visitor) -> None:
    assert visitor("editor").get(f"{ASSETS}/new/Nothing").status == 404


def test_a_choice_and_paragraphs_have_fields_of_their_own(visitor: Visitor) -> None:
    page = visitor("owner", "en").get("/data/codex/tables/FMWebAppTable/new/ContactInquiry")
    names = {own["name"] for own in page.all("textarea")} | {own["name"] for own in page.all("select")}
    assert {"value-message", "value-memo", "value-status"} <= names


# ── asking ────────────────────────────────────────────────────────────────────────────────────────

INCOME = "/data/assets/patterns/Income.of_month"


@pytest.mark.usefixtures("stored")
def test_a_pattern_is_offered_values_and_then_answered(visitor: Visitor) -> None:
    viewer = visitor("viewer")
    page = viewer.get(INCOME)
    assert f"{INCOME}?arg-month=2025.01" in page.links
    answered = viewer.get(f"{INCOME}?arg-month=2025.01")
    assert "배우자1" in answered.shown
    assert len(page.all("a", **{"class": "chip"})) == 1
    assert not answered.all("a", **{"class": "chip"})
    assert ITEM in answered.links
    assert "0.5 RCU" in answered.shown
    assert '"INCOME#2025.01"' in answered.text.replace("&#34;", '"')


@pytest.mark.usefixtures("stored")
def test_a_question_shows_its_request_in_three_forms_and_where_to_export_it(whole: ASGIApp) -> None:
    viewer = Browser(whole, "en").sign_in("viewer")
    page = viewer.get(f"{INCOME}?arg-month=2025.01")
    assert "dynamodb.query(" in page.shown
    assert "aws dynamodb query" in page.shown
    assert "/api/assets/patterns/Income.of_month?month=2025.01&format=csv" in page.links
    exported = viewer.client.get("/api/assets/patterns/Income.of_month?month=2025.01&format=csv")
    assert (exported.status_code, "배우자1" in exported.text) == (200, True)


def test_a_question_that_is_filled_in_wrongly_says_where(visitor: Visitor) -> None:
    page = visitor("viewer", "en").get(
        "/data/rankings/patterns/LevelRow.between?arg-day=x&arg-low=1&arg-high="
    )
    assert "Enter a date, such as 2026-11-15." in page.shown
    assert "Enter a value." in page.shown
    assert page.all("input", name="arg-day")[0]["aria-invalid"] == "true"


def test_a_question_without_values_is_answered_at_once(visitor: Visitor) -> None:
    page = visitor("viewer").get("/data/codex/patterns/Post.latest")
    assert "결과가 없습니다" in page.shown


def test_answers_of_several_kinds_are_shown_kind_by_kind(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(income())
    shell.database.put(income(name="배우자2"))
    page = visitor("viewer").get("/data/assets/patterns/Totals.with_everything?arg-month=2025.01")
    assert "Income" in page.shown
    assert page.shown.count("배우자") >= 2


def test_the_next_page_of_answers_goes_on(visitor: Visitor, shell: Shell) -> None:
    for number in range(12):
        shell.database.put(income(name=f"이름{number:02d}"))
    viewer = visitor("viewer")
    page = viewer.get(f"{INCOME}?arg-month=2025.01&limit=10")
    [following] = [own["href"] for own in page.all("a", rel="next")]
    rest = viewer.get(f"{INCOME}{following}")
    assert "11–12 / 총 12개" in rest.shown


def test_a_cursor_of_another_question_is_said_and_not_thrown(visitor: Visitor) -> None:
    page = visitor("viewer").get(f"{INCOME}?arg-month=2025.01&cursor=abc")
    assert (page.status, "이어서 볼 위치를 찾을 수 없습니다" in page.shown) == (200, True)


def test_a_misfit_among_the_answers_is_said_and_not_thrown(visitor: Visitor, shell: Shell) -> None:
    item = {"PK": {"S": "INCOME#2025.01"}, "SK": {"S": "배우자1#월급"}}
    shell.database.backend.call("PutItem", {"TableName": "AssetManager", "Item": item})
    page = visitor("viewer").get(f"{INCOME}?arg-month=2025.01")
    assert "엔티티에 맞지 않는 아이템이 있습니다" in page.shown


@pytest.mark.parametrize(
    ("query", "per_day"),
    [("per_day=500", "500"), ("per_day=-1", "10000"), ("per_day=x&region=mars", "10000")],
)
def test_the_month_follows_how_often_it_is_asked(visitor: Visitor, query: str, per_day: str) -> None:
    page = visitor("viewer").get(f"{INCOME}?arg-month=2025.01&{query}")
    assert page.all("input", name="per_day")[0]["value"] == per_day


def test_a_pattern_that_is_not_there_is_not_found(visitor: Visitor) -> None:
    assert visitor("viewer").get("/data/assets/patterns/Income.nothing").status == 404
