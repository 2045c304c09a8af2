"""Exports that go on, on the page of jobs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.errors import RequestStopped
from hansang.parts import exports
from hansang.parts.history import Actor
from hansang.surfaces.shell import Shell
from tests.surfaces.console.conftest import Visitor


@pytest.fixture
def download(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Iterator[bytes]:
    """An export of which some is read."""
    monkeypatch.setattr(exports, "PAUSE", 0.0)
    lines = (b"%d\n" % number for number in range(5_000))
    found = shell.exports.watched(lines, Actor("person", "minji", "Minji"), "news-articles.csv", 1)
    for _ in range(1_235):
        next(found)
    return found


@pytest.mark.usefixtures("download")
def test_exports_are_listed_with_who_what_since_when_and_how_far(visitor: Visitor) -> None:
    page = visitor("viewer", "en").get("/admin/jobs")
    assert "Exports in progress" in page.shown
    assert "Minji person:minji just now 1,234" in page.shown
    assert not [each for each in page.actions if "exports" in each]


def test_an_export_is_stopped_by_a_button_and_that_is_logged(
    visitor: Visitor, shell: Shell, download: Iterator[bytes]
) -> None:
    browser = visitor("editor", "en")
    [action] = [each for each in browser.get("/admin/jobs").actions if "exports" in each]
    assert browser.send(action).location == "/admin/jobs"
    assert "The export is being stopped" in browser.follow().shown
    assert not [each for each in browser.get("/admin/jobs").actions if "exports" in each]
    with pytest.raises(RequestStopped):
        list(download)
    assert "Exports in progress" not in browser.get("/admin/jobs").shown
    assert any(
        each.detail.startswith("Export ") and each.who == "person:editor" for each in shell.audit.each()
    )


def test_without_exports_there_is_no_list_of_them(visitor: Visitor) -> None:
    assert "Exports in progress" not in visitor("owner", "en").get("/admin/jobs").shown


def test_one_that_is_over_is_not_found(visitor: Visitor) -> None:
    browser = visitor("owner")
    browser.get("/admin/jobs")
    assert browser.send("/admin/exports/20261115T000000Z-123456/stop").status == 404
