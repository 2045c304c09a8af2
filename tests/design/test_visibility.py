"""Marks of fields, what they hide from whom, and messages that do not tell what is marked."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, ValidationError

from hansang.backends.embedded import Embedded
from hansang.design import (
    GSI,
    Attr,
    Database,
    Entity,
    Key,
    Personal,
    SecretField,
    Table,
    View,
    all_of,
    attr,
    derived,
)
from hansang.design.marks import Role, mark_of
from hansang.design.shape import Item
from hansang.design.visibility import has_secret, hidden_attributes, hidden_fields, hidden_in, visible
from hansang.errors import Conflict, DesignError, InvalidInput, UnexpectedItem

TOLD = "hush-hush"


def _short(text: str) -> str:
    if len(text) > 20:
        raise ValueError(f"{text} is too long")
    return text


class Club(Table, name="Club"):
    by_name = GSI("ByName", pk="nameLower", project=["phone", "nameLower"])


class MemberKey(Key["Member"], pk="MEMBER#{id}", sk="METADATA"):
    id: str


class Member(MemberKey, Entity, table=Club):
    name: Annotated[str, Personal(roles=("viewer",))]
    phone: Annotated[str, Personal(), AfterValidator(_short)]
    note: Annotated[str | None, Personal(roles=("owner",))] = None
    pin: Annotated[str, Attr("PIN"), SecretField()]
    level: int = 1
    lower_phone = derived("phoneLower", of="phone", by=str.lower)
    lower_name = derived("nameLower", of="name", by=str.lower)


class MemberRow(MemberKey, View, index=Club.by_name):
    phone: str
    lower: Annotated[str, Attr("nameLower")]


class PlaceKey(Key["Place"], pk="PLACE#{id}", sk="METADATA"):
    id: str


class Place(PlaceKey, Entity, table=Club):
    phone: str


MEMBER = Member(id="1", name="Kim", phone=f"{TOLD}-010", note=f"{TOLD}-note", pin=f"{TOLD}-pin")
ITEM: Item = Member.__shape__.encode(MEMBER)  # type: ignore[union-attr]


def shape(cls: Any) -> Any:
    return cls.__shape__


@pytest.fixture
def database() -> Any:
    with Embedded.open(":memory:") as backend:
        found = Database(backend)
        found.create_tables(Club)
        found.create(MEMBER)
        yield found


@pytest.mark.parametrize(
    ("role", "hidden"),
    [
        ("owner", {"pin"}),
        ("editor", {"pin", "note"}),
        ("viewer", {"pin", "note", "phone"}),
        (None, {"pin", "note", "phone", "name"}),
    ],
)
def test_whoever_may_do_more_sees_more_and_nobody_a_secret(role: Role | None, hidden: set[str]) -> None:
    assert hidden_fields(shape(Member), role) == hidden


def test_what_is_worked_out_from_a_hidden_field_is_hidden_too() -> None:
    assert hidden_attributes(shape(Member), "viewer") == {"PIN", "note", "phone", "phoneLower"}
    assert "nameLower" in hidden_attributes(shape(Member), None)


def test_a_view_hides_what_its_entity_hides() -> None:
    assert hidden_fields(shape(MemberRow), "viewer") == {"phone"}
    assert hidden_fields(shape(MemberRow), None) == {"phone", "lower"}
    assert hidden_fields(shape(MemberRow), "editor") == set()


def test_a_kind_has_a_secret_when_not_even_owners_see_all_of_it() -> None:
    assert (has_secret(shape(Member)), has_secret(shape(Place))) == (True, False)


def test_an_item_is_seen_without_what_is_hidden() -> None:
    assert set(visible(Club, ITEM, "viewer")) == {"PK", "SK", "name", "nameLower", "level"}
    assert set(ITEM) - set(visible(Club, ITEM, "owner")) == {"PIN"}


def test_an_attribute_of_another_kind_with_the_same_name_is_seen() -> None:
    item = {"PK": {"S": "PLACE#1"}, "SK": {"S": "METADATA"}, "phone": {"S": "02-120"}}
    assert visible(Club, item, "viewer") == item


def test_of_an_item_that_no_kind_knows_everything_is_hidden_that_any_kind_hides() -> None:
    item = {"PK": {"S": "?"}, "SK": {"S": "?"}, "phone": {"S": "02"}, "PIN": {"S": "1"}, "level": {"N": "1"}}
    assert hidden_in(Club, item, "viewer") == {"phone", "PIN"}
    assert hidden_in(Club, {"PIN": {"S": "1"}, "level": {"N": "1"}}, "owner") == {"PIN"}


def test_an_item_that_cannot_be_told_is_all_that_its_key_allows() -> None:
    class Mail(Table, name="Mail", type_attribute="Type"):
        pass

    class LetterKey(Key["Letter"], pk="LETTER#{id}", sk="METADATA"):
        id: str

    class Letter(LetterKey, Entity, table=Mail, type="Letter"):
        title: str

    class ReplyKey(Key["Reply"], pk="REPLY#{id}", sk="METADATA"):
        id: str

    class Reply(ReplyKey, Entity, table=Mail, type="Reply"):
        title: Annotated[str, Personal()]

    def hidden(pk: str, **more: dict[str, str]) -> frozenset[str]:
        return hidden_in(
            Mail, {"PK": {"S": pk}, "SK": {"S": "METADATA"}, "title": {"S": "x"}, **more}, "viewer"
        )

    assert [each.cls for each in Mail.shapes] == [Letter, Reply]
    assert hidden("LETTER#1") == set()
    assert hidden("LETTER#1", Type={"S": "Reply"}) == {"title"}
    assert hidden("REPLY#1") == {"title"}
    assert hidden("?") == {"title"}


def test_an_attribute_that_the_design_does_not_know_is_hidden_by_its_name() -> None:
    assert hidden_in(Club, ITEM | {"resetToken": {"S": "x"}, "hobby": {"S": "x"}}, "owner") == {
        "PIN",
        "resetToken",
    }


def test_the_stricter_of_two_marks_counts() -> None:
    class Both(BaseModel):
        one: Annotated[str, Personal(roles=("viewer",)), Personal(roles=("owner", "editor"))]
        two: Annotated[str, Personal(), SecretField()]

    assert mark_of(Both.model_fields["one"]) == Personal()
    assert mark_of(Both.model_fields["two"]) == SecretField()


@pytest.mark.parametrize("roles", [(), ("boss",), "owner"])
def test_a_mark_names_roles_that_there_are(roles: Any) -> None:
    with pytest.raises(DesignError, match="Give a tuple of owner, editor, viewer"):
        Personal(roles=roles)


def test_a_mark_inside_of_a_value_is_refused() -> None:
    class Contact(BaseModel):
        email: Annotated[str, Personal()]

    class PeopleKey(Key["People"], pk="PEOPLE#{id}", sk="METADATA"):
        id: str

    with pytest.raises(DesignError, match="Mark the whole field contacts"):

        class People(PeopleKey, Entity, table=Club):
            contacts: list[Contact]


# ── messages ──────────────────────────────────────────────────────────────────────────────────────


def test_an_entity_as_text_has_nothing_that_is_marked() -> None:
    assert TOLD not in f"{MEMBER!r} {MEMBER}"
    assert "level=1" in repr(MEMBER)


def test_what_pydantic_refuses_does_not_quote_the_value() -> None:
    with pytest.raises(ValidationError) as refused:
        Member(id="1", name="Kim", phone="1", pin=[TOLD])  # type: ignore[arg-type]
    assert TOLD not in str(refused.value)


def test_a_value_that_cannot_be_read_is_not_quoted() -> None:
    with pytest.raises(UnexpectedItem) as refused:
        shape(Member).decode(ITEM | {"PIN": {"M": {"is": {"S": TOLD}}}})
    assert TOLD not in str(refused.value)
    assert "PIN" in str(refused.value)


def test_a_condition_that_is_not_met_does_not_tell_what_was_compared(database: Database) -> None:
    key = MemberKey(id="1")
    same = all_of(
        Member.pin == f"{TOLD}-other",
        attr(Member.phone).one_of(TOLD),
        attr(Member.note).begins_with(TOLD),
        attr(Member.phone).between(TOLD, f"{TOLD}~"),
        Member.lower_phone == TOLD,
    )
    with pytest.raises(Conflict) as refused:
        database.update(key, attr(Member.level).set(2), when=same)
    assert TOLD not in str(refused.value)
    assert "Member.pin" in str(refused.value)


def test_a_refused_change_does_not_tell_the_value(database: Database) -> None:
    for refuse in (
        lambda: attr(Member.phone).set(TOLD * 9),
        lambda: attr(Member.phone).between(f"{TOLD}2", f"{TOLD}1"),
        lambda: MEMBER.model_copy(update={"phone": TOLD * 9}),
    ):
        with pytest.raises(InvalidInput) as refused:
            refuse()
        assert TOLD not in str(refused.value)


def test_what_is_not_marked_is_told_as_before() -> None:
    with pytest.raises(InvalidInput, match="'many'"):
        attr(Member.level).set("many")  # type: ignore[arg-type]
