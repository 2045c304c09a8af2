"""An organisation with its history, played through."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from hansang.backends.base import Backend
from hansang.design import Database, Unreadable, attr
from hansang.errors import (
    AlreadyExists,
    Conflict,
    DesignError,
    InvalidInput,
    InvalidKey,
    NotFound,
    UnexpectedItem,
)
from tests.designs.organisation import (
    Address,
    Contact,
    Department,
    DepartmentKey,
    Employee,
    EmployeeKey,
    EmployeeOfDepartment,
    MeetingRoom,
    MeetingRoomKey,
    Office,
    OfficeKey,
    Organisation,
    Places,
    Salary,
    SalaryKey,
)
from tests.designs.stages import NOW, Watch, fresh, in_pages
from tests.storing import item, load, stored

SEOUL = Address(
    country="KR",
    city="서울",
    lines=["종로 1", "2층"],
    zip_code="03000",
    position=(Decimal("37.57"), Decimal("126.98")),
)
OF_BEFORE = {"PK": "ORG#hs", "SK": "EMP#1", "name": "김", "updated_at": NOW, "version": 1}
"""An item that was written when an employee had a name and nothing else."""


def employee(
    id: str,  # noqa: A002
    name: str = "김민지",
    *,
    grade: int = 1,
    manager: str | None = None,
    department: str | None = None,
) -> Employee:
    return Employee(org="hs", id=id, name=name, grade=grade, manager=manager, department=department)


def salary(id: str, day: date, amount: int) -> Salary:  # noqa: A002
    return Salary(org="hs", id=id, from_day=day, amount=Decimal(amount))


def department(code: str, day: date, name: str) -> Department:
    return Department(org="hs", code=code, day=day, name=name)


def hire(db: Database, *employees: Employee) -> list[Employee]:
    return [db.create(each) for each in employees]


@pytest.fixture
def db(backend: Backend, watch: Watch) -> Iterator[Database]:
    with fresh(backend, watch, Organisation, Places) as database:
        yield database


# ── kinds that are told apart by their keys ───────────────────────────────────────────────────────


def test_people_are_told_from_their_salaries_by_the_key_alone(db: Database) -> None:
    made = hire(db, employee("1"), employee("2"))
    salaries = [
        salary("1", date(2024, 1, 1), 3),
        salary("1", date(2025, 1, 1), 4),
        salary("2", date(2025, 1, 1), 5),
    ]
    db.batch_write(puts=[*salaries, department("rnd", date(2024, 1, 1), "연구")])
    assert db.all(Employee.of("hs").consistent()) == made
    assert db.all(Employee.everybody_with_salaries("hs")) == [made[0], *salaries[:2], made[1], salaries[2]]
    assert [db.count(each) for each in (Employee.of("hs"), Employee.everybody_with_salaries("hs"))] == [2, 5]
    assert db.first(Employee.of("hs").descending()) == made[1]


def test_pages_of_people_pass_over_salaries(db: Database) -> None:
    made = hire(db, *(employee(f"{number:02}") for number in range(5)))
    db.batch_write(puts=[salary("01", date(2000 + year, 1, 1), 100) for year in range(20)])
    assert in_pages(db, Employee.of("hs"), 2) == [made[:2], made[2:4], made[4:]]
    assert in_pages(db, Employee.of("hs").descending(), 3) == [made[:1:-1], made[1::-1]]
    assert db.all(Employee.of("hs"), limit=3) == made[:3]


def test_an_id_that_would_be_a_salary_is_refused(db: Database) -> None:
    with pytest.raises(InvalidKey):
        db.create(employee("1#SALARY#2024-01-01"))
    with pytest.raises(InvalidKey):
        db.find(EmployeeKey(org="hs", id="1#SALARY#2024-01-01"))
    assert stored(db, Organisation) == []


def test_somebody_comes_with_every_salary(db: Database) -> None:
    [made, *_] = hire(db, employee("1"), employee("10"), employee("1-a"))
    salaries = [salary("1", date(2024, 1, 1), 4), salary("1", date(2025, 1, 1), 5)]
    db.batch_write(puts=[*salaries, salary("10", date(2024, 1, 1), 3)])
    assert db.all(Employee.with_salaries("hs", "1")) == [made, *salaries]
    assert db.count(Employee.with_salaries("hs", "1")) == 3


def test_ids_that_begin_alike_are_not_mixed_up(db: Database) -> None:
    hire(db, employee("1"), employee("10"), employee("1-a"))
    db.batch_write(puts=[salary("10", date(2024, 1, 1), 3), salary("1", date(2024, 1, 1), 4)])
    assert db.all(Salary.history("hs", "1")) == [salary("1", date(2024, 1, 1), 4)]
    assert db.count(Salary.history("hs", "10")) == 1


# ── history ───────────────────────────────────────────────────────────────────────────────────────


def test_a_salary_is_that_of_the_last_day_it_was_changed(db: Database) -> None:
    history = [salary("1", date(2024, month, 1), month) for month in (1, 5, 9)]
    db.batch_write(puts=[*history, salary("2", date(2024, 6, 1), 7)])
    assert db.all(Salary.history("hs", "1")) == history[::-1]
    assert db.first(Salary.on("hs", "1", date(2024, 8, 31))) == history[1]
    assert db.first(Salary.on("hs", "1", date(2024, 9, 1))) == history[2]
    assert db.first(Salary.on("hs", "1", date(2023, 12, 31))) is None
    assert db.count(Salary.on("hs", "1", date.max)) == 3
    assert db.get(SalaryKey(org="hs", id="1", from_day=date(2024, 5, 1))) == history[1]


def test_salaries_are_sorted_by_their_amount(db: Database) -> None:
    hire(db, employee("1"))
    db.batch_write(puts=[salary("1", date(2024, 1, 1), 90), salary("2", date(2024, 1, 1), 1000)])
    assert [each.amount for each in db.all(Salary.highest("hs").consistent())] == [1000, 90]
    raised = db.update(
        SalaryKey(org="hs", id="1", from_day=date(2024, 1, 1)), attr(Salary.amount).add(Decimal("910.5"))
    )
    assert db.first(Salary.highest("hs").consistent()) == raised


def test_a_department_is_what_it_was_on_a_day(db: Database) -> None:
    forms = [department("rnd", date(year, 1, 1), f"연구 {year}") for year in (2020, 2022, 2024)]
    db.batch_write(puts=[*forms, department("rnd2", date(2021, 1, 1), "다른")])
    assert db.all(Department.history("hs", "rnd")) == forms
    assert db.first(Department.as_of("hs", "rnd", date(2023, 6, 1))) == forms[1]
    assert [db.count(Department.as_of("hs", "rnd", date(year, 1, 1))) for year in (2019, 2020, 2024)] == [
        0,
        1,
        3,
    ]


def test_a_day_is_no_moment(db: Database) -> None:
    with pytest.raises(InvalidInput, match="it is a day"):
        Salary.on("hs", "1", datetime(2024, 1, 1, tzinfo=UTC))
    with pytest.raises(InvalidInput, match="it is a day"):
        department("rnd", date(2024, 1, 1), "x").model_copy(update={"day": NOW})


# ── people ────────────────────────────────────────────────────────────────────────────────────────


def test_who_has_a_manager_is_found_from_the_lowest_grade(db: Database) -> None:
    hire(
        db,
        employee("head", grade=20),
        employee("a", grade=12, manager="head"),
        employee("b", grade=3, manager="head"),
        employee("c", grade=2, manager="a"),
    )
    assert [each.id for each in db.all(Employee.under("hs", "head"))] == ["b", "a"]
    assert [each.id for each in db.all(Employee.under_from("hs", "head", 4))] == ["a"]
    assert [each.id for each in db.all(Employee.under("hs", "a"))] == ["c"]
    assert db.count(Employee.under("hs", "nobody")) == 0


def test_somebody_moves_in_the_tree(db: Database) -> None:
    [moved, _] = hire(db, employee("b", grade=3, manager="head"), employee("c", manager="b"))
    changed = db.update(EmployeeKey(org="hs", id="b"), attr(Employee.manager).set("a"))
    assert db.all(Employee.under("hs", "a")) == [changed]
    assert db.all(Employee.under("hs", "head")) == []
    risen = db.update(changed, attr(Employee.manager).set(None), attr(Employee.grade).set(20))
    assert (risen.manager, risen.grade, risen.version) == (None, 20, 3)
    assert db.all(Employee.under("hs", "a")) == []
    with pytest.raises(Conflict):
        db.update(moved, attr(Employee.manager).set("c"))


def test_who_works_in_a_department_is_read_from_keys_alone(db: Database) -> None:
    made = hire(db, employee("2", department="rnd"), employee("1", department="rnd"), employee("3"))
    rows = db.all(EmployeeOfDepartment.of("hs", "rnd"))
    assert [(row.org, row.id, row.department) for row in rows] == [("hs", "1", "rnd"), ("hs", "2", "rnd")]
    assert db.hydrate(EmployeeOfDepartment.of("hs", "rnd")).items == [made[1], made[0]]
    assert db.batch_get(rows) == [made[1], made[0]]
    left = db.update(rows[0], attr(Employee.department).remove())
    assert left.department is None
    assert db.count(EmployeeOfDepartment.of("hs", "rnd")) == 1


def test_names_have_a_text_in_them(db: Database) -> None:
    hire(db, employee("1", "김민지"), employee("2", "이지수"), employee("3", "박민"))
    assert [each.id for each in db.all(Employee.named("hs", "민"))] == ["1", "3"]
    assert [each.id for each in db.page(Employee.named("hs", "민"), limit=1)] == ["1"]


def test_models_in_models_come_back_as_they_were(db: Database) -> None:
    contact = Contact(name="이모", phone="010", hours={"월": 9})
    given = employee("1").model_copy(update={"address": SEOUL, "contacts": [contact], "badge": b"\x00\xff"})
    made = db.create(given)
    assert db.get(EmployeeKey(org="hs", id="1"), consistent=True) == made
    [found] = stored(db, Organisation)
    assert found["address"]["M"]["zip"] == {"S": "03000"}
    assert found["contacts"]["L"][0]["M"]["hours"] == {"M": {"월": {"N": "9"}}}
    moved = db.update(made, attr(Employee.address).set(Address(country="KR", city="부산")))
    assert moved.address == Address(country="KR", city="부산")
    called = db.update(moved, attr(Employee.contacts).append([contact]))
    assert called.contacts == [contact, contact]
    assert db.update(called, attr(Employee.address).set(None)).address is None


def test_a_list_that_is_not_there_is_appended_to(db: Database) -> None:
    load(db, Organisation, OF_BEFORE)
    contact = Contact(name="이모", phone="010")
    assert db.update(EmployeeKey(org="hs", id="1"), attr(Employee.contacts).append([contact])).contacts == [
        contact
    ]


def test_none_is_not_what_an_absent_attribute_is(db: Database) -> None:
    [made] = hire(db, employee("1"))
    assert (made.leave_days, made.nickname) == (15, "새내기")
    changed = db.update(made, attr(Employee.leave_days).set(None), attr(Employee.nickname).set(None))
    assert (changed.leave_days, changed.nickname) == (None, None)
    assert db.get(EmployeeKey(org="hs", id="1"), consistent=True) == changed
    without = Employee.of("hs").where(attr(Employee.leave_days).missing())
    assert db.all(without) == [changed]
    assert db.all(Employee.of("hs").where(attr(Employee.leave_days).exists())) == []
    back = db.update(changed, attr(Employee.leave_days).remove(), attr(Employee.nickname).set("민"))
    assert (back.leave_days, back.nickname) == (15, "민")
    assert db.all(without) == []
    assert db.put(back.model_copy(update={"leave_days": None})).leave_days is None


def test_an_item_of_before_has_the_defaults_of_today(db: Database) -> None:
    load(db, Organisation, OF_BEFORE)
    [found] = db.all(Employee.of("hs"))
    assert found == Employee(org="hs", id="1", name="김", updated_at=NOW, version=1)
    assert (found.leave_days, found.contacts, found.skills) == (15, [], set())
    assert db.all(Employee.of("hs").where(attr(Employee.leave_days).missing())) == []
    assert db.all(Employee.of("hs").where(attr(Employee.leave_days).exists())) == [found]


def test_a_filter_knows_what_an_absent_attribute_means(db: Database) -> None:
    load(db, Organisation, OF_BEFORE)
    [found] = db.all(Employee.of("hs"))
    assert (found.grade, found.leave_days) == (1, 15)
    assert db.all(Employee.of("hs").where(Employee.grade == 1)) == [found]
    assert db.all(Employee.of("hs").where(Employee.leave_days != 15)) == []


def test_what_is_none_is_set_where_it_is_missing(db: Database) -> None:
    [made] = hire(db, employee("1").model_copy(update={"leave_days": None}))
    with pytest.raises(DesignError, match="may be stored as None"):
        db.update(made, attr(Employee.leave_days).set_if_missing(7))
    changed = db.update(made, attr(Employee.leave_days).set(7), when=attr(Employee.leave_days).missing())
    assert changed.leave_days == 7


def test_an_item_from_before_there_were_versions_is_written_as_any_other(db: Database) -> None:
    load(db, Organisation, {name: value for name, value in OF_BEFORE.items() if name != "version"})
    [seen] = db.all(Employee.of("hs"))
    assert seen.version == 0
    changed = db.update(seen, attr(Employee.name).set("이"))
    assert (changed.name, changed.version) == ("이", 1)
    with pytest.raises(Conflict):
        db.put(seen)


def test_an_item_from_before_there_were_versions_is_replaced(db: Database) -> None:
    load(db, Organisation, {name: value for name, value in OF_BEFORE.items() if name != "version"})
    [seen] = db.all(Employee.of("hs"))
    assert db.replace(seen.model_copy(update={"name": "이"}), seen=seen).version == 1


def test_somebody_who_was_never_stored_is_upserted(db: Database) -> None:
    made = db.update(employee("1"), attr(Employee.name).set("이"), upsert=True)
    assert (made.name, made.version) == ("이", 1)


def test_a_default_is_not_shared_by_those_who_have_it(db: Database) -> None:
    hire(db, employee("1"))
    seen = db.get(EmployeeKey(org="hs", id="1"))
    seen.skills.add("만든 것")
    try:
        assert db.get(EmployeeKey(org="hs", id="1")).skills == set()
        assert employee("2").skills == set()
    finally:
        Employee.model_fields["skills"].default.clear()


def test_a_number_that_may_be_none_is_counted(db: Database) -> None:
    [made] = hire(db, employee("1"))
    assert db.update(made, attr(Employee.leave_days).add(-1)).leave_days == 14


def test_a_number_that_is_not_stored_is_counted_from_its_default(db: Database) -> None:
    load(db, Organisation, OF_BEFORE)
    assert db.update(EmployeeKey(org="hs", id="1"), attr(Employee.leave_days).add(-1)).leave_days == 14


def test_nothing_is_added_to_none(db: Database) -> None:
    [made] = hire(db, employee("1").model_copy(update={"leave_days": None}))
    with pytest.raises(Conflict) as refused:
        db.update(EmployeeKey(org="hs", id="1"), attr(Employee.leave_days).add(1))
    assert refused.value.item == made


def test_an_upsert_gives_what_is_not_said(db: Database, watch: Watch) -> None:
    key = EmployeeKey(org="hs", id="1")
    made = db.update(key, attr(Employee.name).set("김"), attr(Employee.skills).add({"차"}), upsert=True)
    assert made == Employee(org="hs", id="1", name="김", skills={"차"}, updated_at=NOW, version=1)
    moment = watch.forward(1)
    changed = db.update(key, attr(Employee.name).set("이"), upsert=True)
    assert (changed.skills, changed.leave_days, changed.updated_at, changed.version) == (
        {"차"},
        15,
        moment,
        2,
    )


def test_who_is_there_is_not_hired_again(db: Database) -> None:
    [made] = hire(db, employee("1"))
    with pytest.raises(AlreadyExists) as there:
        hire(db, employee("1", "다른"))
    assert there.value.item == made
    with pytest.raises(Conflict):
        db.put(employee("1", "다른"))
    assert db.delete(made) == made
    with pytest.raises(NotFound):
        db.delete(made)


# ── together ──────────────────────────────────────────────────────────────────────────────────────


def test_a_raise_is_written_with_the_grade(db: Database) -> None:
    [made] = hire(db, employee("1", manager="head"))
    db.put(salary("1", date(2024, 1, 1), 3))
    with db.transaction() as tx:
        tx.check(SalaryKey(org="hs", id="1", from_day=date(2024, 1, 1)), Salary.amount < 4)
        tx.create(salary("1", date(2025, 1, 1), 4))
        tx.update(made, attr(Employee.grade).set(2))
    found, paid, none = db.transact_get(
        EmployeeKey(org="hs", id="1"),
        SalaryKey(org="hs", id="1", from_day=date(2025, 1, 1)),
        DepartmentKey(org="hs", code="x", day=date(2024, 1, 1)),
    )
    assert (found and found.grade, paid, none) == (2, salary("1", date(2025, 1, 1), 4), None)
    with pytest.raises(Conflict), db.transaction() as late:
        late.delete(SalaryKey(org="hs", id="1", from_day=date(2025, 1, 1)))
        late.update(made, attr(Employee.grade).set(3))
    assert db.count(Salary.history("hs", "1")) == 2


def test_a_feed_tells_kinds_apart_without_a_type(db: Database) -> None:
    feed = db.feed(Organisation, start="oldest")
    [made] = hire(db, employee("1"))
    db.batch_write(puts=[salary("1", date(2024, 1, 1), 3)])
    db.batch_write(deletes=[SalaryKey(org="hs", id="1", from_day=date(2024, 1, 1))])
    load(db, Organisation, {"PK": "ORG#hs", "SK": "엉뚱"})
    changes = feed.poll()
    assert [(each.kind, each.old, each.new) for each in changes] == [
        (Employee, None, made),
        (Salary, None, salary("1", date(2024, 1, 1), 3)),
        (Salary, salary("1", date(2024, 1, 1), 3), None),
        (None, None, None),
    ]
    assert "no kind" in changes[-1].reason


def test_somebody_without_a_name_is_told_and_mended(db: Database) -> None:
    [made] = hire(db, employee("1"))
    load(db, Organisation, {"PK": "ORG#hs", "SK": "EMP#2", "grade": 3, "manager": "1", "version": 1})
    load(db, Organisation, {"PK": "ORG#hs", "SK": "EMP#1#SALARY#봄", "Amount": 3})
    with pytest.raises(UnexpectedItem):
        db.all(Employee.of("hs"))
    page = db.page(Employee.everybody_with_salaries("hs"))
    assert page.items == [made]
    told: list[Unreadable] = []
    assert db.all(Employee.of("hs"), unreadable=told.append) == [made]
    bad = next(each for each in told if each.key["SK"] == {"S": "EMP#2"})
    assert bad.kind is Employee
    assert db.repair(bad, {"name": {"S": "이"}, "updated_at": {"S": "2026-03-01T09:00:00Z"}}).name == "이"
    assert [each.id for each in db.all(Employee.under("hs", "1"))] == ["2"]


def test_an_item_that_moves_takes_its_place_by_its_new_key(db: Database) -> None:
    load(db, Organisation, {"PK": "ORG#hs", "SK": "DEPT#rnd#2024-13-01", "name": "연구"})
    page = db.page(Department.history("hs", "rnd"))
    [bad] = page.unreadable
    mended = db.repair(bad, {"SK": {"S": "DEPT#rnd#2024-12-01"}})
    assert mended == department("rnd", date(2024, 12, 1), "연구")
    assert db.all(Department.history("hs", "rnd")) == [mended]
    assert len(stored(db, Organisation)) == 1


# ── places ────────────────────────────────────────────────────────────────────────────────────────


def office(name: str, city: str = "서울") -> Office:
    return Office(country="KR", city=city, name=name, address=SEOUL, opened=date(2020, 1, 1))


def meeting_room(number: int, floor: int | None = None, name: str = "본사") -> MeetingRoom:
    return MeetingRoom(country="KR", city="서울", office=name, number=number, floor=floor)


def test_offices_of_a_city_come_with_their_rooms(db: Database) -> None:
    offices = [office("별관"), office("본사")]
    rooms = [meeting_room(2, 1), meeting_room(10, 1), meeting_room(1, name="본사2")]
    db.batch_write(puts=[*offices, *rooms, office("항구", "부산")])
    assert db.all(Office.in_city("KR", "서울")) == offices
    assert db.all(Office.with_rooms("KR", "서울")) == [*offices, *rooms]
    assert db.all(MeetingRoom.in_office("KR", "서울", "본사")) == rooms[:2]
    assert [len(page) for page in in_pages(db, Office.with_rooms("KR", "서울"), 2)] == [2, 2, 1]
    assert stored(db, Places)[0]["Kind"]["S"] in ("Office", "MeetingRoom")


def test_rooms_are_found_by_the_floor_that_they_have(db: Database) -> None:
    db.batch_write(puts=[meeting_room(1, 3), meeting_room(2), meeting_room(3, 3), office("본사")])
    assert [each.number for each in db.all(MeetingRoom.on_floor(3))] == [1, 3]
    key = MeetingRoomKey(country="KR", city="서울", office="본사", number=2)
    assert db.update(key, attr(MeetingRoom.floor).set(3), attr(MeetingRoom.seats).set(None)).seats is None
    assert db.count(MeetingRoom.on_floor(3)) == 3


def test_an_office_is_replaced_by_what_was_seen(db: Database) -> None:
    seen = db.create(office("본사"))
    with pytest.raises(DesignError, match="has no Version"):
        db.replace(seen, seen=seen)
    db.replace(seen.model_copy(update={"floors": None}), seen=seen, by=Office.floors)
    with pytest.raises(Conflict):
        db.replace(seen.model_copy(update={"floors": 9}), seen=seen, by=Office.floors)
    assert db.get(OfficeKey(country="KR", city="서울", name="본사"), consistent=True).floors is None


def test_an_office_is_replaced_where_the_default_was_not_stored(db: Database) -> None:
    load(
        db,
        Places,
        {
            "PK": "KR#서울",
            "SK": "OFFICE#본사",
            "Kind": "Office",
            "address": {"country": "KR", "city": "서울"},
            "opened": "2020-01-01",
        },
    )
    seen = db.get(OfficeKey(country="KR", city="서울", name="본사"))
    assert seen.floors == 1
    assert db.replace(seen.model_copy(update={"floors": 2}), seen=seen, by=Office.floors).floors == 2


def test_an_item_of_another_type_is_no_office(db: Database) -> None:
    db.put(office("본사"))
    [found] = stored(db, Places)
    db.backend.call("PutItem", {"TableName": db.name(Places), "Item": {**found, "Kind": {"S": "Tower"}}})
    with pytest.raises(UnexpectedItem, match="Kind Tower"):
        db.get(OfficeKey(country="KR", city="서울", name="본사"))
    load(
        db,
        Places,
        {"PK": "KR#서울", "SK": "OFFICE#별관", "Kind": "Office", "address": {}, "opened": "2020-01-01"},
    )
    assert [bad.kind for bad in db.page(Office.in_city("KR", "서울")).unreadable] == [Office]


def test_an_office_is_what_the_design_says(db: Database) -> None:
    db.put(office("본사").model_copy(update={"floors": None}))
    assert stored(db, Places) == [
        item(
            {
                "PK": "KR#서울",
                "SK": "OFFICE#본사",
                "Kind": "Office",
                "address": {
                    "country": "KR",
                    "city": "서울",
                    "lines": ["종로 1", "2층"],
                    "zip": "03000",
                    "position": [Decimal("37.57"), Decimal("126.98")],
                },
                "floors": None,
                "opened": "2020-01-01",
            }
        )
    ]
