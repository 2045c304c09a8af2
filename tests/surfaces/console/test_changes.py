"""The history: who sees which changes, and who undoes them."""

from __future__ import annotations

import pytest

from hansang.apps.codex.design import Banner, BannerKey
from hansang.surfaces.shell import Shell
from tests.blueprint.designs import EXAMPLES
from tests.surfaces.console.changed import CREDENTIALS, OWNER, created, retitled, title_of
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock
from tests.surfaces.shops import APPLICATION


def test_the_newest_change_is_first_and_names_what_it_touched(
    visitor: Visitor, shell: Shell, clock: SetClock
) -> None:
    first = created(shell)
    clock.advance(60)
    second = retitled(shell, "Winter")
    page = visitor("owner", "en").get("/changes")
    ids = list(dict.fromkeys(each.rpartition("/")[2] for each in page.links if each.startswith("/changes/")))
    assert ids == [second.id, first.id]
    assert "Banner · title" in page.shown


def test_changes_are_of_one_area_when_asked(visitor: Visitor, shell: Shell) -> None:
    change = created(shell)
    browser = visitor("owner")
    assert f"/changes/{change.id}" in browser.get("/changes?area=codex").links
    assert f"/changes/{change.id}" not in browser.get("/changes?area=news").links


def test_changes_come_page_by_page(visitor: Visitor, shell: Shell, clock: SetClock) -> None:
    created(shell)
    for number in range(40):
        clock.advance(1)
        retitled(shell, f"Title {number}")
    browser = visitor("owner", "en")
    first = browser.get("/changes")
    (following,) = [own["href"] or "" for own in first.all("a", rel="next")]
    second = browser.get(f"/changes{following}")
    seen = [{each for each in page.links if each.startswith("/changes/")} for page in (first, second)]
    assert [len(each) for each in seen] == [30, 11]
    assert not seen[0] & seen[1]
    assert "31–41" in second.shown


def test_a_cursor_that_was_made_up_is_refused(visitor: Visitor) -> None:
    assert visitor("owner").get("/changes?cursor=nonsense").status == 400


def test_one_sees_the_changes_of_what_one_may_read(visitor: Visitor, shell: Shell) -> None:
    change = created(shell)
    assert visitor("reporter").get(f"/changes/{change.id}").status == 200
    assert visitor("admin").get(f"/changes/{change.id}").status == 404
    assert f"/changes/{change.id}" not in visitor("admin").get("/changes?area=codex").links
    assert visitor("guest").get("/changes").status == 200


def test_before_and_after_stand_beside_each_other(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    page = visitor("owner", "en").get(f"/changes/{retitled(shell, 'Winter').id}")
    assert "title S changed Autumn Winter" in page.shown
    assert "attributes unchanged" in page.shown


def test_a_change_leads_to_its_item_as_long_as_there_is_one(visitor: Visitor, shell: Shell) -> None:
    browser, item = visitor("owner"), "/data/codex/tables/FMWebAppTable/item?pk=BANNER%23b1&sk=METADATA"
    assert item in browser.get(f"/changes/{created(shell).id}").links
    assert browser.get(item).status == 200
    found = shell.editing.find(Banner, {"id": "b1"})
    assert found is not None
    deleted = shell.editing.delete(BannerKey(id="b1"), found[1], OWNER).change
    assert deleted is not None
    assert item not in browser.get(f"/changes/{deleted.id}").links


def test_a_change_is_undone_and_that_too(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    browser = visitor("owner", "en")
    browser.get(f"/changes/{retitled(shell, 'Winter').id}")
    browser.send(f"/changes/{retitled_id(browser.page)}/undo")
    assert title_of(shell) == "Autumn"
    page = browser.follow()
    assert "The change was undone" in page.shown
    browser.send(f"/changes/{retitled_id(page)}/undo")
    assert title_of(shell) == "Winter"


def retitled_id(page: object) -> str:
    (action,) = {each for each in page.actions if each.endswith("/undo")}  # type: ignore[attr-defined]
    return str(action.split("/")[2])


def test_what_was_just_done_is_undone_from_where_one_is(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    browser = visitor("owner", "en")
    page = browser.get(f"/changes/{retitled(shell, 'Winter').id}")
    item = "/data/codex/tables/FMWebAppTable/item?pk=BANNER%23b1&sk=METADATA"
    assert browser.send(f"/changes/{retitled_id(page)}/undo", next=item).location == item
    again = browser.follow()
    assert "Redo" in again.shown
    assert [own["value"] for own in again.all("input", name="next")][-1] == item
    browser.send(f"/changes/{retitled_id(again)}/undo", next=item)
    assert title_of(shell) == "Winter"


def test_undoing_a_creation_leads_to_the_table_that_is_left(visitor: Visitor, shell: Shell) -> None:
    change = created(shell)
    browser = visitor("owner")
    browser.get(f"/changes/{change.id}")
    table = "/data/codex/tables/FMWebAppTable"
    sent = browser.send(f"/changes/{change.id}/undo", next=f"{table}/item?pk=BANNER%23b1&sk=METADATA")
    assert sent.location == table
    assert title_of(shell) is None


def test_what_was_changed_again_is_not_undone(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    change = retitled(shell, "Winter")
    retitled(shell, "Spring")
    browser = visitor("owner", "en")
    browser.get(f"/changes/{change.id}")
    assert browser.send(f"/changes/{change.id}/undo").status == 303
    assert "the item has been changed again since" in browser.follow().shown
    assert title_of(shell) == "Spring"


def test_whoever_may_only_read_sees_no_undo_and_cannot(visitor: Visitor, shell: Shell) -> None:
    change = created(shell)
    browser = visitor("reporter")
    page = browser.get(f"/changes/{change.id}")
    assert [each for each in page.actions if each.endswith("/undo")] == []
    assert browser.send(f"/changes/{change.id}/undo").status == 403
    assert title_of(shell) == "Autumn"


@pytest.mark.parametrize("applications", [(APPLICATION,)])
def test_what_is_kept_for_ever_is_not_offered_for_undoing(visitor: Visitor, shell: Shell) -> None:
    kept = EXAMPLES[1]
    change = shell.editing.create(kept, OWNER).change
    assert change is not None
    owner = visitor("owner")
    page = owner.get(f"/changes/{change.id}")
    assert [each for each in page.actions if each.endswith("/undo")] == []
    assert owner.send(f"/changes/{change.id}/undo").status == 403
    assert shell.database.find(kept) is not None


def test_what_is_guarded_is_seen_and_undone_by_owners_alone(visitor: Visitor, shell: Shell) -> None:
    change = shell.editing.create(CREDENTIALS, OWNER).change
    assert change is not None
    shown = visitor("owner", "en").get(f"/changes/{change.id}")
    assert "passwordHash S added" in shown.shown
    assert "the-hash-itself" not in shown.text
    editor = visitor("editor", "en")
    page = editor.get(f"/changes/{change.id}")
    assert "the-hash-itself" not in page.text
    assert "Only owners of this application can see the content." in page.shown
    assert editor.send(f"/changes/{change.id}/undo").status == 403
