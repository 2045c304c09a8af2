"""PartiQL on the data pages: plans, answers, previews, and what nobody learns through them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from hansang.apps.codex.design import Category, ContactInquiry, Credentials
from hansang.apps.codex.editorial import PostSlug
from hansang.parts.editing import Editing
from hansang.surfaces.shell import Shell
from tests.storing import shape
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.changed import AT
from tests.surfaces.console.conftest import Visitor

CONSOLE = "/data/codex/partiql"
TABLE = '"FMWebAppTable"'
INQUIRY = ContactInquiry(
    id="q1",
    name="Kim Minji",
    email="minji@example.com",
    company="Acme",
    title="Director",
    referral="search",
    subject="A question",
    message="Please call me.",
    created_at=AT,
    updated_at=AT,
)
KEY = "\"PK\" = 'CONTACT#q1' AND \"SK\" = 'METADATA'"
SELECT = f"SELECT * FROM {TABLE} WHERE {KEY}"
UPDATE = f"UPDATE {TABLE} SET \"status\" = 'done' WHERE {KEY}"


@pytest.fixture(autouse=True)
def inquiry(shell: Shell) -> None:
    shell.database.put(INQUIRY)


def asked(browser: Browser, statement: str, parameters: str = "", **more: str) -> Page:
    given = {"statement": statement, "parameters": parameters, **more}
    return browser.get(f"{CONSOLE}?{urlencode(given)}")


def tags(page: Page) -> list[str]:
    """The tags in the form that runs a statement; none if it cannot be run."""
    return [str(own["value"]) for own in page.all("input", name="etag")]


def confirmed(browser: Browser, statement: str) -> Page:
    """Look at a statement that writes, and run it."""
    [tag] = tags(asked(browser, statement))
    return browser.send(CONSOLE, statement=statement, parameters="", etag=tag)


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def test_every_reader_has_the_console_with_examples_that_can_be_run(visitor: Visitor) -> None:
    assert [visitor(name).get(CONSOLE).status for name in ("guest", "")] == [403, 303]
    for name, language in (("viewer", "en"), ("editor", "ko")):
        browser = visitor(name, language)
        page = browser.get(CONSOLE)
        assert (page.status, page.faults, page.doubled_ids) == (200, [], [])
        offered = [each for each in page.links if each.startswith(f"{CONSOLE}?statement=")]
        assert len(offered) > 2
        assert [each for each in offered if browser.get(each).status != 200] == []
        assert any("UPDATE" in each for each in offered) == (name == "editor")
    assert CONSOLE in browser.get("/data/codex").links
    assert CONSOLE in browser.get("/search?q=partiql").links


def test_the_plan_says_how_the_items_are_found(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    found = asked(viewer, SELECT)
    assert found.faults == []
    assert "Operation GetItem Table FMWebAppTable Index None" in found.shown
    assert "0.5 RCU" in found.shown
    several = asked(
        viewer, f"SELECT * FROM {TABLE} WHERE \"PK\" IN ['CONTACT#q1', 'x'] AND \"status\" <> 'b'"
    )
    assert "Operation Query × 2" in several.shown
    assert "Filter \"status\" <> 'b'" in several.shown
    every = asked(viewer, f'SELECT * FROM {TABLE} WHERE "status" = ? OR NOT "a"."b"[0] IS MISSING', '"new"')
    assert "Operation Scan Reads everything" in every.shown
    assert 'Filter "status" = \'new\' OR NOT ("a"."b"[0] IS MISSING)' in every.shown
    by_index = asked(viewer, f'SELECT "id" FROM {TABLE}."Type_CreatedAt" WHERE "Type" = \'ContactInquiry\'')
    assert "Operation Query Table FMWebAppTable Index Type_CreatedAt" in by_index.shown
    assert any("/item?pk=CONTACT" in each for each in by_index.links)


def test_answers_come_in_pages_and_what_was_typed_stays(visitor: Visitor, shell: Shell) -> None:
    for number in range(23):
        shell.database.put(INQUIRY.model_copy(update={"id": f"p{number:02}", "status": "spam"}))
    viewer, pages = visitor("viewer", "en"), list[set[str]]()
    page = asked(viewer, f'SELECT "PK" FROM {TABLE} WHERE "status" = \'spam\'', limit="10")
    while True:
        pages.append({each for each in page.links if "/item?pk=CONTACT" in each})
        following = [str(own["href"]) for own in page.all("a", rel="next")]
        if not following:
            break
        page = viewer.get(CONSOLE + following[0])
    assert ([len(each) for each in pages], len(set[str]().union(*pages))) == ([10, 10, 3], 23)
    assert not asked(viewer, SELECT, cursor="forged").all("table")
    for statement, said in {
        "SELEKT <b>": "Expected data manipulation",
        "SELECT * FROM Nowhere": "codex has no table Nowhere",
        f"SELECT * FROM {TABLE} WHERE a = ?": "Number of parameters",
        f'SELECT * FROM {TABLE}."none"': "does not have the specified index",
        f"SELECT * FROM {TABLE} WHERE " + "(" * 3000: "nested too deeply",
        f"EXISTS(SELECT * FROM {TABLE})": "EXISTS stands in transactions alone",
        "x" * 8193: "characters. Give long values as parameters",
    }.items():
        page = asked(viewer, statement)
        assert (page.status, page.faults) == (200, [])
        assert said in page.shown
        assert statement[:200] in page.shown
    assert "Line 2 of the parameters" in asked(viewer, SELECT, "1\nno json").shown


def test_a_statement_of_any_length_is_asked_by_the_form(visitor: Visitor, shell: Shell) -> None:
    for number in range(23):
        shell.database.put(INQUIRY.model_copy(update={"id": f"p{number:02}", "status": "spam"}))
    viewer, given = visitor("viewer", "en"), {"parameters": "", "limit": "10"}
    viewer.get(CONSOLE)
    short = viewer.send(f"{CONSOLE}/ask", statement="SELECT 1\r\n", **given)
    assert (short.status, short.location) == (303, f"{CONSOLE}?statement=SELECT+1%0A&limit=10")
    begun = f'SELECT * FROM {TABLE} WHERE "status" = \'spam\' AND "referral" <> \''
    statement = begun + "가" * (8192 - len(begun) - 1) + "'"
    viewer.get(CONSOLE)
    page, seen = viewer.send(f"{CONSOLE}/ask", statement=statement, **given), set[str]()
    while True:
        assert (page.status, page.faults, page.doubled_ids) == (200, [], [])
        seen |= {each for each in page.links if "/item?pk=CONTACT" in each}
        cursor = page.hidden("cursor")
        if not cursor:
            break
        page = viewer.send(f"{CONSOLE}/ask", statement=statement, cursor=cursor, **given)
    assert len(seen) == 23
    assert "characters. Give long" in viewer.send(f"{CONSOLE}/ask", statement=statement + " ", **given).shown
    assert viewer.get(f"{CONSOLE}/ask").location == CONSOLE
    viewer.get(CONSOLE)
    refused = viewer.send(f"{CONSOLE}/ask", statement=UPDATE + " " * 8000, **given)
    assert (refused.status, tags(refused)) == (200, [])
    assert shell.database.find(INQUIRY) == INQUIRY
    assert visitor("viewer", "en").send(f"{CONSOLE}/ask", statement=statement).status == 403


# ── what is not told ──────────────────────────────────────────────────────────────────────────────


def test_nobody_learns_what_is_hidden_by_any_statement(visitor: Visitor, shell: Shell) -> None:
    credentials = Credentials(user_id="u9", password_hash="very-hidden")
    shell.database.put(credentials)
    viewer, owner = visitor("viewer", "en"), visitor("owner", "en")
    assert "minji@example.com" in asked(owner, SELECT).shown
    for columns in ("*", '"email", "status"', '"email"', '"message"', '"name", "email"."x", "email"[0]'):
        page = asked(viewer, SELECT.replace("*", columns))
        assert page.status == 200
        assert "minji" not in page.text.lower()
        assert "call me" not in page.text
    for condition in (
        "\"subject\" = 'A question'",
        "begins_with(message, 'P')",
        'size("message") > 3',
        '"message" IS MISSING',
        "\"PK\" = 'a' OR NOT ('x' < \"message\")",
        '"status" = "subject"',
    ):
        page = asked(viewer, f"SELECT * FROM {TABLE} WHERE {condition}")
        assert "you do not see it in FMWebAppTable" in page.shown, condition
        assert not page.all("table")
    # A company has an address that everybody sees.
    for condition in (f"email = '{INQUIRY.email}'", "size(email) > 3", "begins_with(\"email\", 'minji')"):
        page = asked(viewer, f"SELECT * FROM {TABLE} WHERE {condition}")
        assert ("Operation Scan" in page.shown, any("CONTACT" in each for each in page.links)) == (
            True,
            False,
        )
    secret = f"SELECT * FROM {TABLE} WHERE begins_with(\"passwordHash\", 'v')"
    assert all("you do not see it" in asked(browser, secret).shown for browser in (viewer, owner))
    key = "\"PK\" = 'USER#u9' AND \"SK\" = 'AUTH'"
    for statement in (f"SELECT * FROM {TABLE} WHERE {key}", f'SELECT "PK" FROM {TABLE}'):
        assert "pk=USER%23u9" not in "".join(asked(viewer, statement).links)
    assert "very-hidden" not in asked(owner, f"SELECT * FROM {TABLE} WHERE {key}").text
    for name in ("HansangPlatform", "news_items", "AssetManager-pocket-1"):
        assert f"codex has no table {name}" in asked(owner, f'SELECT * FROM "{name}"').shown


def test_what_is_not_written_by_hand_is_refused_with_the_way(visitor: Visitor, shell: Shell) -> None:
    credentials = Credentials(user_id="u9", password_hash="very-hidden")
    slug = PostSlug(slug="about", post_id="p1")
    shell.database.put(credentials)
    shell.database.put(slug)
    item = shape(PostSlug).encode(slug)
    at = " AND ".join(f"\"{name}\" = '{item[name]['S']}'" for name in ("PK", "SK"))
    editor, owner, viewer = (visitor(name, "en") for name in ("editor", "owner", "viewer"))
    page = asked(editor, f"DELETE FROM {TABLE} WHERE {at}")
    assert "Use drafts and posts instead: /api/codex/drafts" in page.shown
    key = "\"PK\" = 'USER#u9' AND \"SK\" = 'AUTH'"
    pages = [page, *(asked(browser, f"DELETE FROM {TABLE} WHERE {key}") for browser in (editor, owner))]
    pages.append(asked(editor, f"UPDATE {TABLE} SET \"email\" = 'x@example.com' WHERE {KEY}"))
    pages.append(asked(editor, f'UPDATE {TABLE} SET "referral" = "email" WHERE {KEY}'))
    pages.append(asked(viewer, UPDATE))
    assert [tags(each) for each in pages] == [[]] * len(pages)
    assert "Operation UpdateItem" in pages[-1].shown
    assert "minji" not in "".join(each.text for each in pages)
    tag = shell.editing.etag(credentials)
    refused = editor.send(CONSOLE, statement=f"DELETE FROM {TABLE} WHERE {key}", etag=tag)
    assert refused.status == 403
    assert viewer.send(CONSOLE, statement=UPDATE, etag=shell.editing.etag(INQUIRY)).status == 403
    assert [shell.database.find(each) for each in (credentials, slug, INQUIRY)] == [
        credentials,
        slug,
        INQUIRY,
    ]


# ── writing ───────────────────────────────────────────────────────────────────────────────────────


def test_an_update_is_shown_then_run_with_a_line_of_history_that_can_be_undone(
    visitor: Visitor, shell: Shell
) -> None:
    editor = visitor("editor", "en")
    page = asked(editor, UPDATE)
    assert "status S changed new done" in page.shown
    assert "minji@example.com" not in page.text
    assert "write units for the item and its indexes" in page.shown
    assert shell.database.find(INQUIRY) == INQUIRY
    done = confirmed(editor, UPDATE)
    assert (done.status, done.location.startswith(f"{CONSOLE}?statement=SELECT")) == (303, True)
    found = shell.database.find(INQUIRY)
    assert found is not None
    assert (found.status, found.email, found.message) == ("done", INQUIRY.email, INQUIRY.message)
    [change] = shell.history.page("codex", 10).items
    assert (change.verb, change.kind, change.actor.name) == ("replace", "ContactInquiry", "editor")
    shell.editing.undo(change.id, change.actor)
    preview = asked(editor, UPDATE)
    [tag] = tags(preview)
    shell.database.put(INQUIRY.model_copy(update={"status": "spam"}))
    seen = preview.hidden("seen")
    late = editor.send(CONSOLE, statement=UPDATE, etag=tag, seen=seen)
    assert (late.status, "has changed since you looked" in late.shown) == (409, True)
    assert "As you saw it Now status S changed new spam" in late.shown
    assert "status S changed spam done" in late.shown
    assert INQUIRY.message not in late.text + seen
    for wrong in ("", "[]", "{", '{"a": 1}', '{"": {"S": "x"}}'):
        editor.get(CONSOLE)
        assert editor.send(CONSOLE, statement=UPDATE, etag=tag, seen=wrong).status == 409
    shell.database.delete(INQUIRY)
    editor.get(CONSOLE)
    gone = editor.send(CONSOLE, statement=UPDATE, etag=tag, seen=seen)
    assert (gone.status, "status S removed new none" in gone.shown) == (409, True)
    assert "no item with this key" in gone.shown


def test_a_write_between_the_check_and_the_run_is_not_run_over(
    visitor: Visitor, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, find = visitor("editor", "en"), Editing.find_item
    [tag] = tags(asked(editor, UPDATE))
    others = iter([INQUIRY.model_copy(update={"status": "spam"})])

    def find_then_change(editing: Editing, table: Any, key: Any) -> Any:
        found = find(editing, table, key)
        for other in others:
            shell.database.put(other)
        return found

    monkeypatch.setattr(Editing, "find_item", find_then_change)
    assert editor.send(CONSOLE, statement=UPDATE, etag=tag).status == 409
    found = shell.database.find(INQUIRY)
    assert (found and found.status) == "spam"


def test_an_insert_and_a_delete_go_the_same_way(visitor: Visitor, shell: Shell) -> None:
    made = Category(id="made", title="새 분류", desc="It's", created_at=AT, updated_at=AT)
    item = shape(Category).encode(made)
    texts = {name: value["S"].replace("'", "''") for name, value in item.items() if "S" in value}
    given = ", ".join(f"'{name}': '{text}'" for name, text in texts.items())
    insert = f"INSERT INTO {TABLE} VALUE {{{given}}}"
    delete = f"DELETE FROM {TABLE} WHERE \"PK\" = 'CATEGORY#made' AND \"SK\" = 'METADATA'"
    editor = visitor("editor", "en")
    assert confirmed(editor, insert).status == 303
    found = shell.database.find(made)
    assert found is not None
    assert (found.title, found.desc) == (made.title, made.desc)
    assert "An item with this key is there already" in asked(editor, insert).shown
    assert confirmed(editor, delete).status == 303
    assert shell.database.find(made) is None
    for statement, said in {
        delete: "no item with this key",
        UPDATE.replace("q1", "no"): "no item with this key",
        f"{UPDATE} AND \"referral\" = 'another'": "the condition does not hold",
        UPDATE.replace("done", str(INQUIRY.status)): "like this already",
        UPDATE.replace("status", "subjekt"): "has no attribute subjekt",
        UPDATE.replace("'done'", "12"): "cannot be written this way",
    }.items():
        page = asked(editor, statement)
        assert said in page.shown, statement
        assert tags(page) == []


# ── switching ─────────────────────────────────────────────────────────────────────────────────────


def buttons(page: Page, part: str) -> list[dict[str, str]]:
    """The buttons that send the statement's form elsewhere."""
    return [
        own for own in page.all("button", form="statement-form") if part in str(own.get("formaction", ""))
    ]


def test_a_statement_that_was_sent_outlasts_a_switch_of_language_and_theme(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    statement = SELECT + ' AND "referral" <> \'' + "x" * 5000 + "'"
    given = {"statement": statement, "parameters": "", "limit": "10"}
    viewer.get(CONSOLE)
    page = viewer.send(f"{CONSOLE}/ask", **given)
    assert (page.status, page.faults) == (200, [])
    korean = next(own for own in buttons(page, "/ask") if own["lang"] == "ko")
    page = viewer.send(str(korean["formaction"]), **given, again=page.hidden("again"))
    assert (statement in page.shown, "실행 계획" in page.shown) == (True, True)
    dark = buttons(page, "/preferences")[0]
    again = page.hidden("again")
    assert again == f"{CONSOLE}/ask"
    sent = {**given, "again": again, "theme": str(dark["value"])}
    moved = viewer.send("/preferences", **sent)
    assert (moved.status, moved.location) == (307, f"{CONSOLE}/ask")
    viewer.get(CONSOLE)
    page = viewer.send(moved.location, **sent)
    assert (statement in page.shown, 'data-theme="dark"' in page.text) == (True, True)


def test_a_short_statement_that_was_refused_is_switched_by_its_address(visitor: Visitor) -> None:
    editor = visitor("editor", "en")
    asked(editor, UPDATE)
    page = editor.send(CONSOLE, statement=UPDATE, parameters="", etag="other")
    assert page.status == 409
    korean = next(own for own in buttons(page, "/ask") if own["lang"] == "ko")
    moved = editor.send(str(korean["formaction"]), statement=UPDATE, parameters="")
    page = editor.get(moved.location)
    assert (UPDATE in page.shown, "바뀔 내용" in page.shown) == (True, True)
    assert "바뀔 내용" in asked(editor, UPDATE).shown


def test_the_theme_leads_to_no_other_host(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    viewer.get(CONSOLE)
    assert viewer.send("/preferences", theme="dark", again="https://elsewhere.example/").location == "/"
