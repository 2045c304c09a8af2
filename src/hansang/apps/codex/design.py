"""The one table of a company site: users, categories with their posts, banners, the company, inquiries."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hansang.design import (
    GSI,
    Attr,
    Entity,
    Expiry,
    Key,
    Personal,
    Query,
    References,
    SecretField,
    Stamped,
    Table,
    Timestamp,
    collection,
    pattern,
)
from hansang.design.inputs import Email, Paragraphs, Picture, Title, WebAddress

SCHEMA_VERSION = "v1.1.0"
"""v1.0.0 of the document, and inquiries (X4-35)."""

Role = Literal["admin", "editor", "viewer"]
ContentsFormat = Literal["markdown", "json"]
InquiryStatus = Literal["new", "in_progress", "done", "spam"]
MOST_STEPS = 1_000
MOST_ATTACHMENTS = 50
LONGEST_SLUG = 120
Contents = str | dict[str, Any] | list[Any]
Author = Annotated[Title, References("User", label="display_name")]
InCategory = Annotated[Title, References("Category", label="title")]
Created = Annotated[Timestamp, Attr("CreatedAt"), Stamped("created")]
Saved = Annotated[Timestamp, Attr("UpdatedAt"), Stamped("saved")]
Visitors = Annotated[str, Personal(roles=("owner",))]
"""What a visitor tells; an inquiry is personal data, and for administrators (X4-29)."""
Slug = Annotated[str, StringConstraints(pattern=r"^[^\s#/?%&]+$", max_length=LONGEST_SLUG)]
"""The last part of a readable address (X4-40)."""


class FMWebApp(Table, name="FMWebAppTable", type_attribute="Type", expires=False):
    """Everything of the site; an item without Type or CreatedAt is in no list."""

    type_created_at = GSI("Type_CreatedAt", pk="Type", sk="CreatedAt")


# ── users ─────────────────────────────────────────────────────────────────────────────────────────


class UserKey(Key["User"], pk="USER#{id}", sk="METADATA"):
    """The key of a user."""

    id: Annotated[str, Attr("id")]


class User(UserKey, Entity, table=FMWebApp, type="User"):
    """Someone who writes for the site."""

    display_name: Annotated[Title, Attr("displayName")]
    role: Role
    created_at: Created
    # Always written; items from before may lack it (X4-14).
    updated_at: Annotated[Timestamp | None, Attr("UpdatedAt"), Stamped("saved")]

    @pattern
    def with_id(cls, user_id: str) -> Query[User]:
        """One user."""
        return cls.query(User.id == user_id)

    @pattern
    def latest(cls) -> Query[User]:
        """All users, the newest first."""
        return cls.query(index=FMWebApp.type_created_at).descending()


class CredentialsKey(Key["Credentials"], pk="USER#{user_id}", sk="AUTH"):
    """The key of a user's credentials."""

    user_id: str


class Credentials(CredentialsKey, Entity, table=FMWebApp):
    """How a user signs in; without a Type, so in no list (X4-25)."""

    password_hash: Annotated[str, Attr("passwordHash"), SecretField()]


# ── categories and posts ──────────────────────────────────────────────────────────────────────────


class CategoryKey(Key["Category"], pk="CATEGORY#{id}", sk="METADATA"):
    """The key of a category."""

    id: Annotated[str, Attr("id")]


class Category(CategoryKey, Entity, table=FMWebApp, type="Category"):
    """A heading that posts are under."""

    title: Title
    desc: Paragraphs
    created_at: Created
    updated_at: Saved

    @pattern
    def with_id(cls, category_id: str) -> Query[Category]:
        """One category."""
        return cls.query(Category.id == category_id)

    @pattern
    def with_posts(cls, category_id: str) -> Query[Category | Post]:
        """A category and then its posts, in one question (X4-19)."""
        return collection(Category, Post, where=[Category.id == category_id])

    @pattern
    def latest(cls) -> Query[Category]:
        """All categories, the newest first."""
        return cls.query(index=FMWebApp.type_created_at).descending()


class Attachment(BaseModel):
    """A file or a picture of a post, with what it shows for whoever cannot see it."""

    model_config = ConfigDict(frozen=True)

    uri: Annotated[WebAddress, Field(examples=["https://example.com/report.pdf"])]
    name: Annotated[Title, Field(examples=["report.pdf"])]
    alt: str = ""


class PostKey(Key["Post"], pk="CATEGORY#{category_id}", sk="POST#{id}"):
    """The key of a post."""

    category_id: Annotated[InCategory, Attr("categoryId")]
    id: Annotated[str, Attr("id")]


class Post(PostKey, Entity, table=FMWebApp, type="Post"):
    """Something written under a category, in Markdown or as JSON."""

    author_id: Annotated[Author, Attr("authorId")]
    title: Title
    contents: Contents
    contents_format: Annotated[ContentsFormat | None, Attr("contentsFormat")] = None
    slug: Slug | None = None
    is_pinned: Annotated[bool | None, Attr("isPinned")] = None
    attachments: Annotated[list[Attachment] | None, Field(max_length=MOST_ATTACHMENTS)] = None
    created_at: Created
    updated_at: Saved
    expires_at: Annotated[Expiry | None, Attr("expiresAt")] = None

    @pattern
    def in_category(cls, category_id: str) -> Query[Post]:
        """The posts of one category, by their ids."""
        return cls.query(Post.category_id == category_id)

    @pattern
    def with_id(cls, category_id: str, post_id: str) -> Query[Post]:
        """One post of a category."""
        return cls.query(Post.category_id == category_id, Post.id == post_id)

    @pattern
    def latest(cls) -> Query[Post]:
        """All posts of all categories, the newest first."""
        return cls.query(index=FMWebApp.type_created_at).descending()


class PostLocatorKey(Key["PostLocator"], pk="POST#{post_id}", sk="METADATA"):
    """The key of a post's locator."""

    post_id: str


class PostLocator(PostLocatorKey, Entity, table=FMWebApp):
    """In which category a post is, and that its id is taken; without a Type, so in no list (X4-06)."""

    category_id: Annotated[InCategory, Attr("categoryId")]


# ── banners ───────────────────────────────────────────────────────────────────────────────────────


class BannerKey(Key["Banner"], pk="BANNER#{id}", sk="METADATA"):
    """The key of a banner."""

    id: Annotated[str, Attr("id")]


class Banner(BannerKey, Entity, table=FMWebApp, type="Banner"):
    """A picture with two buttons; what says nothing of when and where is shown, the newest first (X4-26)."""

    title: Title
    desc: Paragraphs
    img_uri: Annotated[Picture, Attr("imgUri")]
    img_alt: Annotated[str | None, Attr("imgAlt")] = None
    btn1_text: Annotated[str, Attr("btn1Text")]
    btn2_text: Annotated[str, Attr("btn2Text")]
    btn1_uri: Annotated[WebAddress | None, Attr("btn1Uri")] = None
    btn2_uri: Annotated[WebAddress | None, Attr("btn2Uri")] = None
    sort_no: Annotated[int | None, Attr("sortNo")] = None
    is_active: Annotated[bool | None, Attr("isActive")] = None
    starts_at: Annotated[Timestamp | None, Attr("startsAt")] = None
    created_at: Created
    updated_at: Saved
    expires_at: Annotated[Expiry | None, Attr("expiresAt")] = None

    @pattern
    def latest(cls) -> Query[Banner]:
        """All banners, the newest first."""
        return cls.query(index=FMWebApp.type_created_at).descending()


# ── the company ───────────────────────────────────────────────────────────────────────────────────


class CorpInfoKey(Key["CorpInfo"], pk="CORP#INFO", sk="METADATA"):
    """The key of the company, of which there is one."""


class CorpInfo(CorpInfoKey, Entity, table=FMWebApp, type="CorpInfo"):
    """The company that the site is of."""

    id: Literal["corp-info"] = "corp-info"
    name: Title
    address: str
    email: Email
    fax: str
    corp_num: Annotated[str, Attr("corpNum")]
    created_at: Created
    updated_at: Saved

    @pattern
    def present(cls) -> Query[CorpInfo]:
        """The company."""
        return cls.query()


# ── inquiries ─────────────────────────────────────────────────────────────────────────────────────


class InquiryStep(BaseModel):
    """A status that an inquiry was given, when and by whom."""

    model_config = ConfigDict(frozen=True)

    at: Timestamp
    status: InquiryStatus
    by: str | None = None


class InquiryAnswer(BaseModel):
    """What was answered to a visitor, when and by whom."""

    model_config = ConfigDict(frozen=True)

    at: Timestamp
    by: str
    text: str


class ContactInquiryKey(Key["ContactInquiry"], pk="CONTACT#{id}", sk="METADATA"):
    """The key of an inquiry."""

    id: Annotated[str, Attr("id")]


class ContactInquiry(ContactInquiryKey, Entity, table=FMWebApp, type="ContactInquiry"):
    """What a visitor asks, and the address that was told of it."""

    name: Visitors
    email: Annotated[Email, Personal(roles=("owner",))]
    company: Visitors
    title: Visitors
    referral: str
    subject: Visitors
    message: Annotated[Paragraphs, Personal(roles=("owner",))]
    status: InquiryStatus = "new"
    notified_email: Annotated[Email | None, Attr("notifiedEmail")] = None
    notify_error: Annotated[str | None, Attr("notifyError")] = None
    assignee_id: Annotated[Author | None, Attr("assigneeId")] = None
    memo: Annotated[Paragraphs | None, Personal(roles=("owner",))] = None
    answers: Annotated[
        list[InquiryAnswer] | None, Field(max_length=MOST_STEPS), Personal(roles=("owner",))
    ] = None
    consented_at: Annotated[Timestamp | None, Attr("consentedAt")] = None
    history: Annotated[list[InquiryStep] | None, Field(max_length=MOST_STEPS)] = None
    created_at: Created
    updated_at: Saved
    expires_at: Annotated[Expiry | None, Attr("expiresAt")] = None

    @pattern
    def with_id(cls, inquiry_id: str) -> Query[ContactInquiry]:
        """One inquiry."""
        return cls.query(ContactInquiry.id == inquiry_id)

    @pattern
    def latest(cls) -> Query[ContactInquiry]:
        """All inquiries, the newest first."""
        return cls.query(index=FMWebApp.type_created_at).descending()


_SITE = "The lists of a company site are short and seldom written (X4-17)."
ACCEPTED = {f"{each.__name__} H201": _SITE for each in (User, Category, Post, Banner, ContactInquiry)}
"""What the review finds and the design accepts, with the reason."""
