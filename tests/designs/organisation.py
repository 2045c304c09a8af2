"""An organisation with its history: who worked where and for how much, by the day it began."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from hansang.design import (
    AT_WRITE,
    GSI,
    KEYS_ONLY,
    LSI,
    Attr,
    Entity,
    Key,
    Query,
    Table,
    UpdatedAt,
    Version,
    View,
    attr,
    collection,
    pattern,
)

Grade = Annotated[int, Field(ge=1, le=20)]
Currency = Literal["KRW", "USD"]


class Organisation(Table, name="Organisation", stream="NEW_AND_OLD_IMAGES"):
    """People and departments, told apart by their keys alone."""

    by_manager = GSI("Manager_Grade", pk="ManagerPK", sk="ManagerSK")
    by_department = GSI("Department", pk="DepartmentPK", sk="DepartmentSK", project=KEYS_ONLY)
    by_amount = LSI("Salary_Amount", sk="Amount")


class Places(Table, name="Places", type_attribute="Kind"):
    """Where people work, told apart by a type."""

    by_floor = GSI("Kind_Floor", pk="Kind", sk="floor")


# ── people ────────────────────────────────────────────────────────────────────────────────────────


class Address(BaseModel):
    """Where somebody lives."""

    country: str
    city: str
    lines: list[str] = []
    zip_code: Annotated[str | None, Attr("zip")] = None
    position: tuple[Decimal, ...] | None = None


class Contact(BaseModel):
    """Whom to call."""

    name: str
    phone: str
    hours: dict[str, int] = {}


class EmployeeKey(Key["Employee"], pk="ORG#{org}", sk="EMP#{id}"):
    """The key of somebody who works for an organisation."""

    org: str
    id: str


class Employee(
    EmployeeKey,
    Entity,
    table=Organisation,
    index_keys={
        Organisation.by_manager: ("ORG#{org}#MANAGER#{manager}", "{grade:02d}#{id}"),
        Organisation.by_department: ("ORG#{org}#DEPT#{department}", "{id}"),
    },
):
    """Somebody who works for an organisation; only who leads it has no manager."""

    name: str
    grade: Grade = 1
    manager: str | None = None
    department: str | None = None
    address: Address | None = None
    contacts: list[Contact] = Field(default_factory=list)
    skills: set[str] = set()  # noqa: RUF012 - pydantic copies it
    leave_days: int | None = 15
    nickname: Annotated[str | None, Attr("Nick")] = "새내기"
    badge: bytes | None = None
    updated_at: UpdatedAt = AT_WRITE
    version: Version = 0

    @pattern
    def of(cls, org: str) -> Query[Employee]:
        """Everybody of an organisation."""
        return cls.query(Employee.org == org)

    @pattern
    def named(cls, org: str, text: str) -> Query[Employee]:
        """Everybody of an organisation whose name has a text in it."""
        return cls.query(Employee.org == org).where(attr(Employee.name).contains(text))

    @pattern
    def under(cls, org: str, manager: str) -> Query[Employee]:
        """Who has a manager, from the lowest grade."""
        return cls.query(Employee.org == org, Employee.manager == manager, index=Organisation.by_manager)

    @pattern
    def under_from(cls, org: str, manager: str, grade: int) -> Query[Employee]:
        """Who has a manager and at least a grade."""
        return cls.query(
            Employee.org == org,
            Employee.manager == manager,
            Employee.grade >= grade,
            index=Organisation.by_manager,
        )

    @pattern
    def with_salaries(cls, org: str, id: str) -> Query[Employee | Salary]:  # noqa: A002
        """Somebody, and every salary."""
        return collection(Employee, Salary, where=[Employee.org == org, Employee.id == id, Salary.id == id])

    @pattern
    def everybody_with_salaries(cls, org: str) -> Query[Employee | Salary]:
        """Everybody of an organisation, each followed by every salary."""
        return collection(Employee, Salary, where=[Employee.org == org])


class EmployeeOfDepartment(EmployeeKey, View, index=Organisation.by_department):
    """Somebody in the list of a department: the keys alone."""

    department: str

    @pattern
    def of(cls, org: str, department: str) -> Query[EmployeeOfDepartment]:
        """Who works in a department."""
        return cls.query(EmployeeOfDepartment.org == org, EmployeeOfDepartment.department == department)


class SalaryKey(Key["Salary"], pk="ORG#{org}", sk="EMP#{id}#SALARY#{from_day}"):
    """The key of a salary: whose, and from which day on."""

    org: str
    id: str
    from_day: date


class Salary(SalaryKey, Entity, table=Organisation):
    """What somebody earns from a day on."""

    amount: Annotated[Decimal, Attr("Amount"), Field(gt=0)]
    currency: Currency = "KRW"

    @pattern
    def history(cls, org: str, id: str) -> Query[Salary]:  # noqa: A002
        """What somebody has earned, the newest first."""
        return cls.query(Salary.org == org, Salary.id == id).descending()

    @pattern
    def on(cls, org: str, id: str, day: date) -> Query[Salary]:  # noqa: A002
        """What somebody earned on a day: the first of these."""
        return cls.query(Salary.org == org, Salary.id == id, Salary.from_day <= day).descending()

    @pattern
    def highest(cls, org: str) -> Query[Salary]:
        """The salaries of an organisation, the highest first."""
        return cls.query(Salary.org == org, index=Organisation.by_amount).descending()


# ── departments ───────────────────────────────────────────────────────────────────────────────────


class DepartmentKey(Key["Department"], pk="ORG#{org}", sk="DEPT#{code}#{day}"):
    """The key of a department as it was from a day on."""

    org: str
    code: str
    day: date


class Department(DepartmentKey, Entity, table=Organisation):
    """A department as it was from a day on."""

    name: str
    head: str | None = None
    budget: dict[str, Decimal] = Field(default_factory=dict)

    @pattern
    def history(cls, org: str, code: str) -> Query[Department]:
        """Every form that a department has had."""
        return cls.query(Department.org == org, Department.code == code)

    @pattern
    def as_of(cls, org: str, code: str, day: date) -> Query[Department]:
        """The forms that a department had until a day, the last first."""
        return cls.query(Department.org == org, Department.code == code, Department.day <= day).descending()


# ── places ────────────────────────────────────────────────────────────────────────────────────────


class OfficeKey(Key["Office"], pk="{country}#{city}", sk="OFFICE#{name}"):
    """The key of an office."""

    country: str
    city: str
    name: str


class Office(OfficeKey, Entity, table=Places, type="Office"):
    """A house that people work in."""

    address: Address
    floors: int | None = 1
    opened: date

    @pattern
    def in_city(cls, country: str, city: str) -> Query[Office]:
        """The offices of a city."""
        return cls.query(Office.country == country, Office.city == city)

    @pattern
    def with_rooms(cls, country: str, city: str) -> Query[Office | MeetingRoom]:
        """The offices of a city and their rooms."""
        return collection(Office, MeetingRoom, where=[Office.country == country, Office.city == city])


class MeetingRoomKey(Key["MeetingRoom"], pk="{country}#{city}", sk="ROOM#{office}#{number:03d}"):
    """The key of a room to meet in."""

    country: str
    city: str
    office: str
    number: int


class MeetingRoom(MeetingRoomKey, Entity, table=Places, type="MeetingRoom"):
    """A room to meet in."""

    seats: int | None = 4
    floor: int | None = None

    @pattern
    def in_office(cls, country: str, city: str, office: str) -> Query[MeetingRoom]:
        """The rooms of an office."""
        return cls.query(
            MeetingRoom.country == country, MeetingRoom.city == city, MeetingRoom.office == office
        )

    @pattern
    def on_floor(cls, floor: int) -> Query[MeetingRoom]:
        """The rooms on a floor, wherever."""
        return cls.query(MeetingRoom.floor == floor, index=Places.by_floor)
