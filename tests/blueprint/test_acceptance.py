"""Findings that a design accepts: counted apart, shown with their reasons, and found when they are stale."""

from __future__ import annotations

import json
from typing import Literal

import pytest

from hansang.apps.platform.design import Platform
from hansang.blueprint.document import document
from hansang.blueprint.findings import Finding, has_errors
from hansang.blueprint.lint import lint
from hansang.blueprint.reports import as_json, as_sarif, as_text
from hansang.blueprint.subject import Design
from hansang.blueprint.words import ENGLISH
from hansang.design import Entity, Key, Query, Table, pattern

FEW = "There are ten of them in the whole country."


class Offices(Table, name="Offices"):
    pass


class OfficeKey(Key["Office"], pk="OFFICES", sk="OFFICE#{id}"):
    id: str


class Office(OfficeKey, Entity, table=Offices):
    @pattern
    def newest(cls) -> Query[Office]:
        """The newest first."""
        return cls.query().descending()


class Rooms(Table, name="Rooms"):
    pass


class RoomKey(Key["Room"], pk="ROOM#{floor}", sk="{id}"):
    floor: Literal["1", "2"]
    id: str


class Room(RoomKey, Entity, table=Rooms):
    @pattern
    def named(cls, name: str) -> Query[Room]:
        """By something that no key has."""
        return cls.query(Room.id == name)


ACCEPTED = {
    "Office H201": FEW,
    "Office.newest H105": "Ids grow with time.",
    "Room H201": " ",
    "Room H205": "There are no lists.",
    "Room H999": "There is no such rule.",
    "Room.named H001": "It is not used yet.",
    "Gone H201": "It was there once.",
}


def told(findings: list[Finding]) -> set[tuple[str, str]]:
    return {(each.place.subject.partition(":")[2], each.message) for each in findings if each.code == "H302"}


OFFICES = lint(Design([Offices]))
ROOMS = lint(Design([Rooms]))


def test_what_is_accepted_has_its_reason() -> None:
    found = {each.code: each.accepted for each in OFFICES}
    assert (found["H201"], found["H105"], found["H204"]) == (FEW, "Ids grow with time.", "")


def test_lines_for_other_tables_of_the_module_are_left_alone() -> None:
    assert told(OFFICES) == {("Gone", "ACCEPTED has 'Gone H201', which is not found.")}


def test_a_line_that_fits_nothing_is_a_finding() -> None:
    assert told(ROOMS) == {
        ("Room", "ACCEPTED has 'Room H201' without a reason."),
        ("Room", "ACCEPTED has 'Room H205', which is not found."),
        ("Room", "ACCEPTED has 'Room H999', but H999 is not a rule."),
        ("Room", "ACCEPTED has 'Room.named H001', which is an error and cannot be accepted."),
        ("Gone", "ACCEPTED has 'Gone H201', which is not found."),
    }


def test_an_error_stays_one() -> None:
    assert has_errors(ROOMS)
    assert all(not each.accepted for each in ROOMS)


def test_text_counts_what_is_accepted_and_shows_it_when_asked() -> None:
    assert as_text(OFFICES).splitlines()[-1] == "1 warning, 1 info, 2 accepted"
    assert FEW not in as_text(OFFICES)
    assert f"Reason: {FEW}" in as_text(OFFICES, everything=True).partition("Accepted:")[2]
    assert as_text([each for each in OFFICES if each.accepted]) == "0 warnings, 2 accepted"


def test_programs_are_told_the_reason() -> None:
    assert {each["accepted"] for each in json.loads(as_json(OFFICES))} == {FEW, "Ids grow with time.", None}
    [run] = json.loads(as_sarif(OFFICES))["runs"]
    reasons = [each["suppressions"] for each in run["results"] if "suppressions" in each]
    assert [{"kind": "inSource", "justification": FEW}] in reasons


def test_the_document_gives_the_reason() -> None:
    assert f"Accepted: {FEW}" in document(Design([Offices]), ENGLISH)


@pytest.mark.parametrize("application", ["assets", "leaderboards", "news", "codex", "rankings"])
def test_the_designs_have_no_warnings_that_they_do_not_accept(application: str) -> None:
    from hansang.surfaces.cli.designs import load

    open_ = [each for each in lint(load([application])) if not each.accepted]
    assert [(each.code, each.place.subject) for each in open_ if each.severity != "info"] == []


def test_the_platforms_own_table_has_none_either() -> None:
    open_ = [each for each in lint(Design([Platform])) if not each.accepted]
    assert [(each.code, each.place.subject) for each in open_ if each.severity != "info"] == []
