"""Items as rows and columns."""

from __future__ import annotations

from datetime import UTC, datetime

from hansang.apps.assets.design import AssetManager
from hansang.apps.codex.design import ContactInquiry, Credentials, FMWebApp, Post
from hansang.apps.news.design import NewsItems
from hansang.blueprint.explorer.browsing import Source, source
from hansang.blueprint.explorer.cells import (
    HIDDEN,
    Cell,
    cell,
    columns,
    field_texts,
    fields_in_order,
    kinds,
    masked,
    shapes_in,
)
from tests.apps.assets.household import income, savings
from tests.storing import shape

AT = datetime(2026, 1, 1, tzinfo=UTC)
INQUIRY = ContactInquiry(
    id="q1",
    name="Kim",
    email="kim@example.com",
    company="Acme",
    title="CEO",
    referral="search",
    subject="Hello",
    message="Call me",
    created_at=AT,
    updated_at=AT,
)


def test_a_value_is_shown_with_the_mark_of_its_type() -> None:
    assert cell({"S": "text"}) == Cell("S", "text")
    assert cell({"N": "1.50"}) == Cell("N", "1.50")
    assert cell({"BOOL": False}) == Cell("BOOL", "false")
    assert cell({"NULL": True}) == Cell("NULL", "null")
    assert cell({"L": [{"N": "1"}, {"S": "x"}]}) == Cell("L", '[1, "x"]')
    assert cell({"SS": ["b", "a"]}) == Cell("SS", '["a", "b"]')


def test_a_secret_is_shown_to_nobody() -> None:
    item = shape(Credentials).encode(Credentials(user_id="1", password_hash="$scrypt$…"))
    assert masked(FMWebApp, item, "owner") == item | {"passwordHash": {"S": HIDDEN}}


def test_personal_data_is_shown_to_the_roles_that_the_design_names() -> None:
    item = shape(ContactInquiry).encode(INQUIRY)
    assert masked(FMWebApp, item, "owner") == item
    hidden = {name for name, value in masked(FMWebApp, item, "editor").items() if value == {"S": HIDDEN}}
    assert hidden == {"name", "email", "company", "title", "subject", "message"}
    texts = field_texts(shape(ContactInquiry), INQUIRY, "viewer")
    assert (texts["email"], texts["id"], texts["status"]) == (HIDDEN, "q1", "new")


def test_columns_begin_with_the_keys_of_what_is_browsed() -> None:
    item = {"x": {"S": "1"}, "SK": {"S": "s"}, "PK": {"S": "p"}, "yearMonth": {"S": "m"}}
    assert columns(Source(AssetManager), [item]) == ["PK", "SK", "x", "yearMonth"]
    assert columns(source(AssetManager, "yearMonth-PK-index"), [item]) == ["yearMonth", "PK", "SK", "x"]
    assert columns(Source(AssetManager), []) == []


def test_items_are_sorted_by_kind_and_strangers_come_too() -> None:
    made = [shape(type(each)).encode(each) for each in (income(), savings())]
    stranger = {"PK": {"S": "?"}, "SK": {"S": "?"}}
    broken = {name: value for name, value in made[0].items() if name != "amount"}
    found = kinds(Source(AssetManager), [*made, stranger, broken], "viewer")
    assert [(each.name, len(each.rows)) for each in found] == [("Income", 1), ("Savings", 1), ("", 2)]
    assert found[0].rows[0].fields["amount"] == "3500000"
    assert found[0].fields[:3] == ("year_month", "name", "income_type")


def test_an_index_that_holds_a_part_is_read_as_its_view() -> None:
    day = source(NewsItems, "dt_utc-uploaded_at_utc_ms-index")
    assert [each.cls.__name__ for each in shapes_in(day)] == ["NewsRow"]
    assert shapes_in(source(FMWebApp, "Type_CreatedAt")) == FMWebApp.shapes


def test_the_fields_of_a_key_come_first() -> None:
    assert fields_in_order(shape(Post))[:2] == ("category_id", "id")
    assert set(fields_in_order(shape(Post))) == set(shape(Post).slots)
