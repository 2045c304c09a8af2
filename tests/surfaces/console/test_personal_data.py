"""Personal data in the console: the word that it is hidden, and who sees it."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from hansang.apps.codex.design import ContactInquiry
from hansang.surfaces.shell import Shell
from tests.spoiling import spoil
from tests.surfaces.console.changed import AT, OWNER
from tests.surfaces.console.conftest import Visitor

TABLE = "/data/codex/tables/FMWebAppTable"
KEY = urlencode({"pk": "CONTACT#q1", "sk": "METADATA"})
ITEM = f"{TABLE}/item?{KEY}"
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


@pytest.fixture(autouse=True)
def change(shell: Shell) -> str:
    """The id of the change by which the inquiry came to be."""
    made = shell.editing.create(INQUIRY, OWNER).change
    assert made is not None
    return made.id


@pytest.mark.parametrize(
    "path", [TABLE, f"{TABLE}?as=entities", ITEM, "/data/codex/patterns/ContactInquiry.latest"]
)
def test_a_viewer_is_told_that_a_value_is_hidden(visitor: Visitor, path: str) -> None:
    page = visitor("viewer", "en").get(path)
    assert "minji@example.com" not in page.text
    assert "Hidden" in page.shown
    assert "personal data only to the roles that the design names" in page.text
    assert "비공개" in visitor("viewer").get(path).shown
    assert "minji@example.com" in visitor("owner", "en").get(path).shown


def test_a_change_says_what_it_changed_and_not_to_what(visitor: Visitor, change: str) -> None:
    page = visitor("viewer", "en").get(f"/changes/{change}")
    assert "email S added" in page.shown
    assert "Hidden" in page.shown
    assert "minji@example.com" not in page.text
    assert "minji@example.com" in visitor("owner").get(f"/changes/{change}").shown


def test_an_editor_changes_what_is_seen_and_the_rest_stays(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor", "en")
    assert any("/edit?" in each for each in editor.get(ITEM).links)
    page = editor.get(f"{TABLE}/edit?{KEY}")
    assert "minji@example.com" not in page.text
    assert "Hidden values stay as they are." in page.shown
    assert not page.all("input", name="value-email")
    [tag] = [str(own["value"]) for own in page.all("input", name="etag")]
    assert tag != shell.editing.etag(INQUIRY)
    sent = {
        "etag": tag,
        "value-status": "done",
        "value-referral": "search",
        "value-email": "guess@example.com",
    }
    assert editor.send(f"{TABLE}/edit?{KEY}", **sent).status == 303
    found = shell.database.find(INQUIRY)
    assert found is not None
    assert (found.status, found.email, found.message) == ("done", INQUIRY.email, INQUIRY.message)


def test_an_edit_of_what_changed_meanwhile_tells_nothing_hidden(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor", "en")
    page = editor.get(f"{TABLE}/edit?{KEY}")
    [tag] = [str(own["value"]) for own in page.all("input", name="etag")]
    shell.database.put(INQUIRY.model_copy(update={"email": "other@example.com", "status": "spam"}))
    page = editor.send(f"{TABLE}/edit?{KEY}", **{"etag": tag, "value-status": "done"})
    assert page.status == 409
    assert "other@example.com" not in page.text
    assert "minji@example.com" not in page.text


def test_an_editor_who_does_not_see_it_all_can_delete(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor", "en")
    [seen] = [str(own["value"]) for own in editor.get(ITEM).all("input", name="etag")]
    editor.send(f"{TABLE}/delete?{KEY}", etag=shell.editing.etag(INQUIRY))
    assert shell.database.find(INQUIRY) == INQUIRY
    editor.get(ITEM)
    assert editor.send(f"{TABLE}/delete?{KEY}", etag=seen).status == 303
    assert shell.database.find(INQUIRY) is None


def test_an_editor_repairs_no_item_with_what_is_hidden(visitor: Visitor, shell: Shell) -> None:
    spoil(shell.database, INQUIRY, CreatedAt={"S": "never"})
    assert not any("/repair?" in each for each in visitor("editor").get(ITEM).links)
    assert visitor("editor").get(f"{TABLE}/repair?{KEY}").status == 403
    assert "minji@example.com" in visitor("owner").get(f"{TABLE}/repair?{KEY}").shown
