"""What somebody does not see is not told by the data pages: not by an index, a condition, a cursor, a size or a cost."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from typing import Annotated
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from hansang.apps.application import Application
from hansang.design import GSI, Entity, Key, Personal, Query, Table, pattern
from hansang.parts.words import Words
from hansang.surfaces.shell import Shell
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor

AT, CONSOLE = "/data/clinic/tables/Clinic", "/data/clinic/partiql"
_COST = re.compile(r"([\d.,]+ ?(?:RCU|WCU|B\b|write units))")


class Clinic(Table, name="Clinic"):
    """Rooms and patients."""

    by_phone = GSI("ByPhone", pk="ward", sk="phone")
    by_ward = GSI("ByWard", pk="ward", project=["title"])


class PatientKey(Key["Patient"], pk="PATIENT#{id}", sk="METADATA"):
    id: str


class Patient(PatientKey, Entity, table=Clinic):
    """Somebody in a ward, whose title is personal."""

    title: Annotated[str, Personal(roles=("owner",))]
    phone: Annotated[str, Personal(roles=("owner",))]
    ward: str

    @pattern
    def with_id(cls, patient: str) -> Query[Patient]:
        """The patient with an id."""
        return cls.query(Patient.id == patient)


class RoomKey(Key["Room"], pk="ROOM#{id}", sk="METADATA"):
    id: str


class Room(RoomKey, Entity, table=Clinic):
    """A room, whose title everybody sees."""

    title: str
    ward: str


class QuietKey(Key["Quiet"], pk="QUIET", sk="WHO#{id}"):
    id: str


class Quiet(QuietKey, Entity, table=Clinic):
    """Who is not to be named; for owners alone."""


@pytest.fixture
def applications() -> tuple[Application, ...]:
    clinic = Application(
        name="clinic",
        title=Words("병원", "Clinic"),
        summary=Words("병실과 환자", "Rooms and patients"),
        icon="store",
        tables=(Clinic,),
        guarded=frozenset({Quiet}),
    )
    return (clinic,)


PATIENT = Patient(id="p1", title="Doctor", phone="010", ward="w1")


def asked(browser: Browser, statement: str, **more: str) -> Page:
    return browser.get(f"{CONSOLE}?{urlencode({'statement': statement, **more})}")


def found(page: Page) -> set[str]:
    """The partition keys of the items that a page leads to."""
    queries = [parse_qs(urlsplit(each).query) for each in page.links if each.startswith(f"{AT}/item?")]
    return {each["pk"][0] for each in queries}


def test_what_only_some_kinds_hide_may_be_asked_and_tells_of_the_others(
    visitor: Visitor, shell: Shell
) -> None:
    shell.database.put(PATIENT)
    shell.database.put(Room(id="r1", title="Doctor", ward="w1"))
    shell.database.put(Room(id="r2", title="Nurses", ward="w2"))
    viewer, owner = visitor("viewer", "en"), visitor("owner", "en")
    answers = {
        "\"title\" = 'Doctor'": {"ROOM#r1"},
        'size("title") = 6 AND "PK" <> \'x\'': {"ROOM#r1", "ROOM#r2"},
        "\"ward\" = 'w1' AND begins_with(title, 'Doc')": {"ROOM#r1"},
        "NOT contains(title, 'octo')": {"ROOM#r2", "PATIENT#p1"},
        "\"PK\" = 'PATIENT#p1' AND title IN ['Doctor', 'x']": set(),
        "\"PK\" IN ['PATIENT#p1', 'ROOM#r1'] AND 'Doctor' BETWEEN title AND 'Z'": {"ROOM#r1"},
    }
    said = {where: found(asked(viewer, f"SELECT * FROM Clinic WHERE {where}")) for where in answers}
    assert said == answers
    by_ward = "SELECT ward FROM Clinic.ByWard WHERE \"ward\" = 'w1' AND title = 'Doctor'"
    assert found(asked(viewer, by_ward)) == {"ROOM#r1"}
    assert found(asked(owner, by_ward)) == {"ROOM#r1", "PATIENT#p1"}
    for statement in ("SELECT * FROM Clinic WHERE phone = '010'", 'SELECT * FROM Clinic."ByPhone"'):
        assert "you do not see it in Clinic" in asked(viewer, statement).shown


def test_an_index_that_is_sorted_by_what_is_hidden_is_no_list(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(PATIENT)
    viewer, owner = visitor("viewer", "en"), visitor("owner", "en")
    page = viewer.get(f"{AT}?index=ByPhone&partition=w1&sort=01&sign=begins_with")
    assert (page.status, found(page)) == (403, set())
    assert "You do not see phone, and the index ByPhone is sorted by it." in page.shown
    assert "ByPhone" not in viewer.get(AT).text + viewer.get("/data/clinic").text
    assert found(owner.get(f"{AT}?index=ByPhone&partition=w1&sort=01&sign=begins_with")) == {"PATIENT#p1"}
    assert all("ByPhone" in owner.get(each).text for each in (AT, "/data/clinic"))


def test_a_cursor_and_the_pages_do_not_tell_the_keys_that_were_passed_over(
    visitor: Visitor, shell: Shell
) -> None:
    for number in range(30):
        shell.database.put(Quiet(id=f"q{number}"))
    for number in range(12):
        shell.database.put(PATIENT.model_copy(update={"id": f"p{number}"}))
    viewer = visitor("viewer", "en")
    pages = [
        viewer.get(f"{AT}?limit=10"),
        viewer.get(f"{AT}?limit=10&partition=QUIET"),
        asked(viewer, "SELECT * FROM Clinic", limit="10"),
        asked(viewer, "SELECT * FROM Clinic WHERE \"PK\" = 'QUIET'", limit="10"),
    ]
    cursors = [
        value
        for page in pages
        for link in page.links
        for value in parse_qs(urlsplit(link).query).get("cursor", ())
    ]
    assert cursors
    assert not [each for each in cursors if b"WHO#" in urlsafe_b64decode(each + "=" * (-len(each) % 4))]
    assert not [page for page in pages if "WHO#q" in page.text]
    assert not pages[-1].all("a", rel="next")


def test_no_size_and_no_cost_is_of_what_is_hidden(visitor: Visitor, shell: Shell) -> None:
    editor, seen = visitor("editor", "en"), []
    at = "\"PK\" = 'PATIENT#p1' AND \"SK\" = 'METADATA'"
    for title in ("Doctor", "D" * 30_000):
        shell.database.put(PATIENT.model_copy(update={"title": title}))
        pages = [
            editor.get(f"{AT}/item?{urlencode({'pk': 'PATIENT#p1', 'sk': 'METADATA'})}"),
            editor.get(f"{AT}?partition=PATIENT%23p1"),
            editor.get(f"{AT}?attribute=ward&test=contains&value=w"),
            asked(editor, f"SELECT * FROM Clinic WHERE {at}"),
            asked(editor, f"UPDATE Clinic SET ward = 'w2' WHERE {at}"),
        ]
        assert ["without what you do not see" in page.shown for page in pages] == [True] * 5
        seen.append([_COST.findall(page.shown) for page in pages])
    assert seen[0] == seen[1]
    assert all(seen[0])


def test_neither_a_pattern_nor_what_it_used_tells_how_long_a_hidden_value_is(
    visitor: Visitor, shell: Shell
) -> None:
    editor, owner, seen = visitor("editor", "en"), visitor("owner", "en"), []
    path = "/data/clinic/patterns/Patient.with_id?arg-patient=p1"
    for title in ("Doctor", "D" * 30_000):
        shell.database.put(PATIENT.model_copy(update={"title": title}))
        page = editor.get(path)
        assert "without what you do not see" in page.shown
        seen.append(_COST.findall(page.shown))
    assert seen[0] == seen[1]
    assert seen[0]
    assert "without what you do not see" not in owner.get(path).shown
    assert _COST.findall(owner.get(path).shown) != seen[0]
    used = [each.get("/apps/clinic").shown.partition("Patient.with_id")[2] for each in (editor, owner)]
    assert [bool(re.match(r".*?table \d+ –", each)) for each in used] == [True, False]
