"""The data pages of further copies of tables: browsed like the first, with the same rights, and not edited."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote, urlencode

import pytest

from hansang.apps.application import Application
from hansang.apps.codex.application import APPLICATION as CODEX
from hansang.apps.codex.design import Category, Credentials, FMWebApp
from hansang.apps.table_names import copied
from hansang.blueprint.explorer.cells import HIDDEN
from hansang.design import Database
from hansang.surfaces.shell import Shell
from tests.spoiling import put_item
from tests.surfaces.console.browsers import Page
from tests.surfaces.console.changed import AT, OWNER
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.console.test_personal_data import INQUIRY

FIRST, SECOND = "/data/codex/tables/FMWebAppTable", "/data/codex/copies/second/tables/FMWebAppTable"
NAME = "second-FMWebAppTable"
PERSONAL = urlencode({"pk": "CONTACT#q1", "sk": "METADATA"})
SECRET = urlencode({"pk": "USER#u1", "sk": "AUTH"})
WRITTEN_TO = ("edit", "edit-json", "repair", "delete", "new/Category", "selected/preview", "selected/delete")


@pytest.fixture
def applications() -> tuple[Application, ...]:
    """The company site, twice; anyone with the role writes the first by hand."""
    return (replace(CODEX, writes={}, copies=lambda settings: ("second",)),)


def category(number: int, title: str) -> Category:
    return Category(id=f"c{number:02}", title=title, desc="Text", created_at=AT, updated_at=AT)


@pytest.fixture
def second(shell: Shell) -> Database:
    """The database of the other copy, which has eleven categories; the first has one."""
    found = shell.database.renamed(copied("second", CODEX.tables, shell.database.name))
    shell.editing.create(category(1, "Of the first"), OWNER)
    for number in range(1, 12):
        found.put(category(number, f"Of the second, {number}"))
    return found


@pytest.fixture
def planted(second: Database) -> None:
    """Personal data, and a secret, in the other copy alone."""
    second.put(INQUIRY)
    second.put(Credentials(user_id="u1", password_hash="$scrypt$secret"))


def item(number: int, copy: str = SECOND) -> str:
    return f"{copy}/item?{urlencode({'pk': f'CATEGORY#c{number:02}', 'sk': 'METADATA'})}"


def following(page: Page) -> str:
    """The address of the next page of a list."""
    [found] = [own["href"] or "" for own in page.all("a", rel="next")]
    return found


# ── browsing ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("second")
def test_links_lead_to_the_tables_of_each_copy(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    for path in ("/data/codex", "/apps/codex"):
        assert {FIRST, SECOND} <= set(viewer.get(path).links), path
    assert viewer.get(SECOND).status == 200


@pytest.mark.usefixtures("second")
def test_a_table_that_is_missing_has_no_link(visitor: Visitor, shell: Shell) -> None:
    shell.database.call("DeleteTable", {"TableName": NAME}, "test")
    page = visitor("viewer", "en").get("/data/codex")
    assert f"{NAME} Table missing" in page.shown
    assert SECOND not in page.links


@pytest.mark.usefixtures("second")
def test_each_copy_shows_its_own_items(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    first, second = viewer.get(FIRST).shown, viewer.get(SECOND).shown
    assert ("Of the first" in first, "Of the second" in first) == (True, False)
    assert ("Of the first" in second, "Of the second" in second) == (False, True)
    assert f"Scan · {NAME}" in second
    assert "1–11 of 11" in second


@pytest.mark.usefixtures("second")
def test_pages_follow_each_other_by_cursors_of_their_own(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    begun = viewer.get(f"{SECOND}?limit=10")
    rest = following(begun)
    assert "1–10 of 11" in begun.shown
    assert "11–11 of 11" in viewer.get(f"{SECOND}{rest}").shown
    assert viewer.get(f"{FIRST}{rest}").status == 400


@pytest.mark.usefixtures("second")
def test_items_are_found_by_key_index_kind_and_attribute(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")

    def numbers(**asked: str) -> list[int]:
        page = viewer.get(f"{SECOND}?{urlencode(asked)}")
        return [number for number in range(1, 12) if item(number) in page.links]

    assert numbers(partition="CATEGORY#c07") == [7]
    assert numbers(attribute="title", test="=", value="Of the second, 9") == [9]
    assert numbers(index=FMWebApp.type_created_at.name, partition="Category") == [*range(1, 12)]
    assert numbers(kind="Post") == []
    assert numbers(kind="Category") == [*range(1, 12)]


@pytest.mark.usefixtures("second")
def test_the_kinds_of_each_copy_are_counted_apart(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    assert "1–1 of 1 ·" in viewer.get(f"{FIRST}?kind=Category&limit=10").shown
    assert "1–10 of 11 ·" in viewer.get(f"{SECOND}?kind=Category&limit=10").shown


@pytest.mark.usefixtures("second")
def test_an_item_is_shown_with_its_attributes_indexes_and_cost(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    page = viewer.get(item(3))
    assert "Of the second, 3" in page.shown
    assert "Indexes it is in" in page.shown
    assert FMWebApp.type_created_at.name in page.shown
    assert "RCU" in page.shown
    assert SECOND in page.links
    raw = viewer.client.get(item(3).replace("/item?", "/raw?"))
    assert raw.json()["title"] == {"S": "Of the second, 3"}


@pytest.mark.usefixtures("second")
def test_what_is_not_there_is_named(visitor: Visitor) -> None:
    viewer = visitor("viewer", "en")
    absent = viewer.get(item(12))
    assert (absent.status, f"Item {NAME}/CATEGORY#c12" in absent.shown) == (404, True)
    unknown = viewer.get(SECOND.replace("second", "third"))
    assert (unknown.status, "There are second." in unknown.shown) == (404, True)
    assert viewer.get(SECOND.replace("FMWebAppTable", "Other")).status == 404


# ── rights ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("second")
def test_whoever_may_not_read_the_application_is_refused(visitor: Visitor) -> None:
    guest, nobody = visitor("guest"), visitor()
    guest.get("/")
    for path in (SECOND, item(1), item(1).replace("/item?", "/raw?")):
        assert guest.get(path).status == 403, path
        assert nobody.get(path).location == f"/sign-in?{urlencode({'next': path})}", path
    assert guest.get("/data/codex").status == 403
    guest.get("/")
    assert (
        guest.send(f"{SECOND}/selected/export?format=json", key="pk=CATEGORY%23c01&sk=METADATA").status == 403
    )


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize("name", ["viewer", "editor"])
def test_personal_data_is_hidden_from_whoever_lacks_the_role(visitor: Visitor, name: str) -> None:
    browser, owner = visitor(name, "en"), visitor("owner", "en")
    for path in (SECOND, f"{SECOND}?as=entities&kind=ContactInquiry", f"{SECOND}/item?{PERSONAL}"):
        page = browser.get(path)
        assert page.status == 200
        assert "minji" not in page.text.lower(), path
        assert "Hidden" in page.shown, path
        assert "(without what you do not see)" in page.shown, path
        assert "minji@example.com" in owner.get(path).shown, path
    raw = f"{SECOND}/raw?{PERSONAL}"
    assert browser.client.get(raw).json()["email"] == {"S": HIDDEN}
    assert owner.client.get(raw).json()["email"] == {"S": "minji@example.com"}


@pytest.mark.usefixtures("planted")
def test_a_filter_does_not_tell_what_is_hidden(visitor: Visitor) -> None:
    asked = f"{SECOND}?{urlencode({'attribute': 'email', 'test': 'begins_with', 'value': 'minji'})}"
    assert f"{SECOND}/item?{PERSONAL}" not in visitor("viewer").get(asked).links
    assert f"{SECOND}/item?{PERSONAL}" in visitor("owner").get(asked).links


@pytest.mark.usefixtures("planted")
def test_a_secret_is_told_to_nobody_and_guarded_items_to_owners_alone(visitor: Visitor) -> None:
    editor, owner = visitor("editor", "en"), visitor("owner", "en")
    assert "One protected item is not shown." in editor.get(SECOND).shown
    assert "USER#u1" not in editor.get(SECOND).text
    for verb in ("item", "raw"):
        assert editor.get(f"{SECOND}/{verb}?{SECRET}").status == 403
        shown = owner.get(f"{SECOND}/{verb}?{SECRET}")
        assert (shown.status, "scrypt" in shown.text) == (200, False)


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize("form", ["json", "csv"])
def test_chosen_items_are_exported_as_they_are_seen(visitor: Visitor, form: str) -> None:
    def exported(name: str) -> str:
        browser = visitor(name)
        browser.get(SECOND)
        answer = browser.send(f"{SECOND}/selected/export?format={form}", key=[PERSONAL, SECRET])
        assert f'filename="{NAME}.{form}"' in answer.response.headers["content-disposition"]
        return answer.text

    viewer, owner = exported("viewer"), exported("owner")
    assert ("CONTACT#q1" in viewer, "minji" in viewer, "USER#u1" in viewer) == (True, False, False)
    assert ("minji@example.com" in owner, "USER#u1" in owner, "scrypt" in owner) == (True, True, False)


# ── no editing ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("second")
def test_nothing_is_edited_there_and_the_pages_say_so(visitor: Visitor) -> None:
    owner = visitor("owner", "en")
    for path in (SECOND, item(1)):
        page = owner.get(path)
        assert "This table is read-only here" in page.shown
        ways = [*page.links, *page.actions, *(own.get("formaction") or "" for own in page.all("button"))]
        assert [way for way in ways if way.startswith((SECOND, FIRST)) and is_writing(way)] == []
        assert page.faults == page.doubled_ids == []
    assert "열람만 할 수 있는 테이블입니다" in visitor("owner").get(SECOND).shown
    ways_of_the_first = [*owner.get(item(1, FIRST)).links, *owner.get(FIRST).links]
    assert {"edit", "edit-json", "new/Category"} <= {
        verb for verb in WRITTEN_TO for way in ways_of_the_first if f"/{verb}" in way
    }


def is_writing(way: str) -> bool:
    return any(f"/{verb}" in way for verb in WRITTEN_TO)


def test_no_address_of_a_copy_takes_a_change(visitor: Visitor, second: Database) -> None:
    owner = visitor("owner")
    stored = second.get(category(1, "Any"))
    key = item(1).partition("?")[2]
    for verb in WRITTEN_TO:
        assert owner.get(f"{SECOND}/{verb}?{key}").status == 404, verb
        owner.get(SECOND)
        sent = {"value-title": "Other", "etag": "*", "key": key}
        assert owner.send(f"{SECOND}/{verb}?{key}", **sent).status in (404, 405), verb
    assert second.get(category(1, "Any")) == stored


@pytest.mark.usefixtures("second")
def test_changes_of_the_first_are_not_told_as_those_of_another(visitor: Visitor) -> None:
    owner = visitor("owner", "en")
    assert any(each.startswith("/changes/") for each in owner.get(item(1, FIRST)).links)
    page = owner.get(item(1))
    assert not any(each.startswith("/changes/") for each in page.links)
    assert "No manual changes." not in page.shown


def test_an_item_that_cannot_be_read_is_shown_with_what_is_wrong(visitor: Visitor, second: Database) -> None:
    key = {"PK": {"S": "CATEGORY#bad"}, "SK": {"S": "METADATA"}}
    put_item(second, FMWebApp, {**key, "Type": {"S": "Category"}, "title": {"N": "1"}})
    put_item(second, FMWebApp, {"PK": {"S": "?"}, "SK": {"S": "?"}})
    owner = visitor("owner", "en")
    bad = owner.get(f"{SECOND}/item?{urlencode({'pk': 'CATEGORY#bad', 'sk': 'METADATA'})}")
    assert "Lists leave it out, and programs cannot read it." in bad.shown
    assert "The attribute title" in bad.shown
    strange = owner.get(f"{SECOND}/item?{urlencode({'pk': '?', 'sk': '?'})}")
    assert "No entity of the design can read it." in strange.shown
    assert "Repair" not in bad.shown + strange.shown


def test_a_search_of_a_copy_is_saved_like_any_other(visitor: Visitor, second: Database) -> None:
    viewer = visitor("viewer", "en")
    asked = f"{SECOND}?partition={quote('CATEGORY#c07')}"
    viewer.get(asked)
    viewer.send("/data/codex/questions", title="The seventh", address=asked)
    assert asked in viewer.get("/data/codex").links
