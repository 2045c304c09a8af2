"""The entities of the company site are those of its document, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hansang.apps.codex.design import (
    Banner,
    BannerKey,
    Category,
    ContactInquiry,
    ContactInquiryKey,
    CorpInfo,
    Credentials,
    FMWebApp,
    InquiryStep,
    Post,
    PostKey,
    PostLocator,
    User,
)
from hansang.design import Database, Entity
from tests.apps.codex.site import NOON, banner, company, inquiry, post, user
from tests.clauses import clause
from tests.storing import after_round_trip, examples, item, opened, shape, stored

EXAMPLES = examples("codex")
KINDS: list[type[Entity]] = [User, Category, Post, Banner, CorpInfo, ContactInquiry]


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(FMWebApp) as db:
        yield db


@clause("4-13", "4-14", "4-15", "4-16", "4-17", "4-18")
@pytest.mark.parametrize("kind", KINDS)
def test_an_item_of_the_document_comes_back_as_it_was(kind: type[Entity]) -> None:
    assert after_round_trip(kind, EXAMPLES[kind.__name__]) == item(EXAMPLES[kind.__name__])


@clause("4-13", "4-14", "4-15", "4-16", "4-17", "4-18")
@pytest.mark.parametrize(
    ("kind", "key", "own"),
    [
        (User, "USER#{id}/METADATA", {"displayName", "role"}),
        (Category, "CATEGORY#{id}/METADATA", {"title", "desc"}),
        (
            Post,
            "CATEGORY#{category_id}/POST#{id}",
            {"categoryId", "authorId", "title", "contents", "contentsFormat", "expiresAt"}
            | {"slug", "isPinned", "attachments"},
        ),
        (
            Banner,
            "BANNER#{id}/METADATA",
            {"title", "desc", "imgUri", "btn1Text", "btn2Text"}
            | {"btn1Uri", "btn2Uri", "sortNo", "isActive", "startsAt", "expiresAt", "imgAlt"},
        ),
        (CorpInfo, "CORP#INFO/METADATA", {"name", "address", "email", "fax", "corpNum"}),
        (
            ContactInquiry,
            "CONTACT#{id}/METADATA",
            {"name", "email", "company", "title", "referral", "subject", "message", "status", "notifiedEmail"}
            | {"history", "expiresAt", "notifyError", "assigneeId", "memo", "consentedAt", "answers"},
        ),
    ],
)
def test_an_entity_has_its_key_and_its_attributes(kind: type[Entity], key: str, own: set[str]) -> None:
    found = shape(kind)
    assert found.sk is not None
    assert f"{found.pk.text}/{found.sk.text}" == key
    assert found.attributes == own | {"PK", "SK", "Type", "id", "CreatedAt", "UpdatedAt"}


@clause("X4-14")
def test_a_user_from_before_may_lack_the_time_of_his_last_change() -> None:
    assert shape(User).decode(item(EXAMPLES["User"])).updated_at is None
    with pytest.raises(ValueError, match="updated_at"):
        User.model_validate({"id": "u001", "display_name": "김대연", "role": "admin", "created_at": NOON})


@clause("4-18", "X4-27")
def test_an_inquiry_is_new_at_first_and_may_keep_its_history() -> None:
    steps = [InquiryStep(at=NOON, status="in_progress", by="u001"), InquiryStep(at=NOON, status="done")]
    made = inquiry().model_copy(update={"history": steps})
    assert made.status == "new"
    assert shape(ContactInquiry).decode(shape(ContactInquiry).encode(made)) == made
    with pytest.raises(ValueError, match="status"):
        ContactInquiry.model_validate({**inquiry().model_dump(), "status": "lost"})


@clause("4-19")
def test_the_address_that_was_told_stays_when_the_company_changes_its_own(db: Database) -> None:
    db.put(company())
    db.put(inquiry())
    db.put(company().model_copy(update={"email": "new@family.com"}))
    assert db.get(ContactInquiryKey(id="inq001")).notified_email == "contact@family.com"


@clause("X4-24")
def test_a_role_is_one_of_three() -> None:
    with pytest.raises(ValueError, match="role"):
        User.model_validate({**user().model_dump(), "role": "owner"})


@clause("X4-18")
@pytest.mark.parametrize(
    "contents", ["# 제목", {"blocks": [{"kind": "p", "text": "본문"}]}, ["본문", 1, True]]
)
def test_contents_are_a_text_or_json(db: Database, contents: Any) -> None:
    made = post().model_copy(update={"contents": contents, "contents_format": "json"})
    db.put(made)
    assert db.get(PostKey(category_id="c001", id="p001")) == made


@clause("X4-26")
def test_a_banner_may_say_where_its_buttons_lead_and_when_it_is_shown(db: Database) -> None:
    options = {"btn1_uri": "/a", "btn2_uri": "/b", "sort_no": 1, "is_active": False, "starts_at": NOON}
    made = banner().model_copy(update=options)
    db.put(made)
    assert db.get(BannerKey(id="bn001")) == made
    assert not {"btn1Uri", "sortNo", "isActive", "startsAt"} & shape(Banner).encode(banner()).keys()


@clause("X4-06", "X4-04", "X4-25")
def test_locators_and_credentials_have_no_type_and_are_in_no_list(db: Database) -> None:
    db.create(PostLocator(post_id="p001", category_id="c001"))
    db.create(Credentials(user_id="u001", password_hash="scrypt$…"))
    assert stored(db, FMWebApp) == [
        item({"PK": "POST#p001", "SK": "METADATA", "categoryId": "c001"}),
        item({"PK": "USER#u001", "SK": "AUTH", "passwordHash": "scrypt$…"}),
    ]
    assert db.backend.call("Scan", {"TableName": FMWebApp.name, "IndexName": "Type_CreatedAt"})["Count"] == 0
