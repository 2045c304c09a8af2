"""The table of the company site is the one of its document, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any

import pytest
from tools.register.register import ROOT

from hansang.apps.codex.design import (
    SCHEMA_VERSION,
    Banner,
    BannerKey,
    Category,
    CategoryKey,
    ContactInquiry,
    ContactInquiryKey,
    CorpInfo,
    CorpInfoKey,
    FMWebApp,
    Post,
    PostKey,
    User,
    UserKey,
)
from hansang.apps.codex.editorial import PostDraft
from hansang.backends.recording import Recording
from hansang.design import GSI, Attr, Database, Entity, Key, Query, Table, Timestamp, pattern
from hansang.design.kinds import recognised
from hansang.design.requests import key_of
from hansang.errors import DesignError, InvalidInput, UnexpectedItem
from tests.apps.codex.site import NOON, banner, category, company, inquiry, post, user
from tests.clauses import clause
from tests.storing import asked, examples, item, load, opened, projected, shape, stored

EXAMPLES = examples("codex")
KINDS: list[type[Entity]] = [User, Category, Post, Banner, CorpInfo, ContactInquiry]


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(FMWebApp) as db:
        yield db


# ── the table ─────────────────────────────────────────────────────────────────────────────────────


@clause("4-01", "4-46", "X4-03")
def test_every_kind_of_the_site_is_in_the_one_table_under_its_type() -> None:
    types = [each.type_name for each in FMWebApp.shapes if each.type_name is not None]
    assert types == ["User", "Category", "Post", "Banner", "CorpInfo", "ContactInquiry"]


@clause("4-12")
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_type_and_the_prefixes_say_what_an_item_is_and_one_way_reads_and_writes_it(name: str) -> None:
    printed = item(EXAMPLES[name])
    found = recognised(FMWebApp.shapes, printed)
    assert found is not None
    assert (found.cls.__name__, found.encode(found.decode(printed))) == (name, printed)
    assert recognised(FMWebApp.shapes, printed | item({"Type": "Other"})) is not found
    with pytest.raises(UnexpectedItem, match="OTHER#1"):
        found.decode(printed | item({"PK": "OTHER#1"}))


@clause("4-08")
def test_the_table_is_paid_by_request() -> None:
    assert FMWebApp.definition()["BillingMode"] == "PAY_PER_REQUEST"


@clause("X4-02")
def test_the_name_of_the_table_is_one_parameter_and_written_down_once(db: Database) -> None:
    renamed = Database(db.backend, names={FMWebApp: "FMWebAppTable-dev"})
    assert renamed.create_tables(FMWebApp) == ["FMWebAppTable-dev"]
    renamed.put(category())
    assert (stored(db, FMWebApp), len(stored(renamed, FMWebApp))) == ([], 1)
    assert (renamed.all(Category.latest()), db.all(Category.latest())) == ([category()], [])
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    assert sum(text.count('"FMWebAppTable"') for text in sources) == 1
    assert not any(re.search(r"\bAppTable\b", text) for text in sources)


@clause("4-09", "X4-30")
def test_there_is_no_stream_unless_it_is_asked_for() -> None:
    assert "StreamSpecification" not in FMWebApp.definition()


@clause("4-10", "X4-13")
def test_what_expires_says_so_in_seconds(db: Database) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    assert FMWebApp.expiry_attribute() == "expiresAt"
    assert "expiresAt" not in shape(Banner).encode(banner())
    found = shape(Banner).encode(banner().model_copy(update={"expires_at": moment}))
    assert found["expiresAt"] == {"N": "1767225600"}


@clause("4-11", "4-07", "X4-11")
@pytest.mark.parametrize("made", [user(), category(), post(), banner(), company(), inquiry()])
def test_every_entity_has_the_common_attributes(made: Entity) -> None:
    found = shape(type(made)).encode(made)
    assert {"PK", "SK", "Type", "id", "CreatedAt", "UpdatedAt"} <= found.keys()
    assert {next(iter(found[name])) for name in ("PK", "SK", "Type", "id", "CreatedAt", "UpdatedAt")} == {"S"}


# ── indexes, keys and names ───────────────────────────────────────────────────────────────────────


@clause("4-20")
def test_a_key_is_there_once_and_children_are_found_by_their_prefix(db: Database) -> None:
    db.put(category())
    db.put(post())
    db.put(post().model_copy(update={"title": "다른 제목"}))
    assert len(stored(db, FMWebApp)) == 2
    assert asked(Post.in_category("c001")) == "PK = CATEGORY#c001 AND begins_with(SK, POST#)"


@clause("4-21", "4-22", "4-33", "4-37")
def test_the_only_index_is_by_type_and_time_and_holds_everything() -> None:
    [index] = FMWebApp.indexes
    assert (index.name, index.keys, projected(index)) == ("Type_CreatedAt", ("Type", "CreatedAt"), "ALL")
    assert index.name == "_".join(index.keys)


@clause("4-23", "X4-03")
@pytest.mark.parametrize(
    ("key", "pk", "sk"),
    [
        (UserKey(id="u001"), "USER#u001", "METADATA"),
        (CategoryKey(id="c001"), "CATEGORY#c001", "METADATA"),
        (PostKey(category_id="c001", id="p001"), "CATEGORY#c001", "POST#p001"),
        (BannerKey(id="bn001"), "BANNER#bn001", "METADATA"),
        (CorpInfoKey(), "CORP#INFO", "METADATA"),
        (ContactInquiryKey(id="inq001"), "CONTACT#inq001", "METADATA"),
    ],
)
def test_keys_are_built_as_the_document_builds_them(key: Key[Any], pk: str, sk: str) -> None:
    assert key_of(key) == item({"PK": pk, "SK": sk})


@clause("4-31", "4-32", "X4-03", "X4-04")
def test_prefixes_are_those_of_the_document_and_of_inquiries() -> None:
    shapes = [each for each in FMWebApp.shapes if each.cls.__module__ == Post.__module__]
    prefixes = {each.pk.text.partition("#")[0] + "#" for each in shapes}
    assert prefixes == {"USER#", "CATEGORY#", "POST#", "BANNER#", "CORP#", "CONTACT#"}
    seconds = {each.sk.text for each in shapes if each.sk is not None}
    assert seconds == {"METADATA", "POST#{id}", "AUTH"}


@clause("X4-38", "X4-39", "X4-40")
def test_kinds_of_our_own_have_prefixes_of_their_own_and_no_type() -> None:
    own = [each for each in FMWebApp.shapes if each.cls.__module__ == PostDraft.__module__]
    names = ["PostDraft", "PostRevision", "TrashedPost", "PostSlug", "CategoryGate"]
    assert [each.cls.__name__ for each in own] == names
    assert {each.type_name for each in own} == {None}
    prefixes = {"DRAFT#POST", "POST#{post_id}", "TRASH#POST", "SLUG#{slug}", "GATE#{category_id}"}
    assert {each.pk.text for each in own} == prefixes


@clause("4-34", "X4-15")
def test_a_time_is_written_to_the_second_in_utc() -> None:
    seoul = datetime(2025, 11, 14, 12, 0, 0, 0, timezone(timedelta(hours=9)))
    found = shape(User).encode(user().model_copy(update={"created_at": seoul}))
    assert found["CreatedAt"] == {"S": "2025-11-14T03:00:00Z"}
    with pytest.raises(InvalidInput, match="finer than a second"):
        user().model_copy(update={"created_at": seoul.replace(microsecond=123_000)})


@clause("4-35", "X4-22")
def test_stored_copies_are_of_parts_of_the_key_only() -> None:
    found = shape(Post).encode(post())
    assert found["PK"]["S"] == f"CATEGORY#{found['categoryId']['S']}"
    assert found["SK"]["S"] == f"POST#{found['id']['S']}"


@clause("X4-35")
def test_the_schema_is_that_of_the_document_and_inquiries() -> None:
    of_the_document = {"User", "Category", "Post", "Banner", "CorpInfo"}
    types = {each.type_name for each in FMWebApp.shapes if each.type_name is not None}
    assert (SCHEMA_VERSION, types - of_the_document) == ("v1.1.0", {"ContactInquiry"})


# ── access patterns ───────────────────────────────────────────────────────────────────────────────


@clause("4-24", "4-25", "4-27", "4-29", "X4-03")
@pytest.mark.parametrize(
    ("question", "condition", "kind"),
    [
        (User.with_id("u001"), "PK = USER#u001 AND SK = METADATA", User),
        (Category.with_id("c001"), "PK = CATEGORY#c001 AND SK = METADATA", Category),
        (Post.with_id("c001", "p001"), "PK = CATEGORY#c001 AND SK = POST#p001", Post),
        (CorpInfo.present(), "PK = CORP#INFO AND SK = METADATA", CorpInfo),
        (ContactInquiry.with_id("inq001"), "PK = CONTACT#inq001 AND SK = METADATA", ContactInquiry),
    ],
)
def test_one_of_a_kind_is_found_by_its_whole_key(
    db: Database, question: Query[Any], condition: str, kind: type[Entity]
) -> None:
    load(db, FMWebApp, *EXAMPLES.values())
    assert asked(question) == condition
    assert db.all(question) == [shape(kind).decode(item(EXAMPLES[kind.__name__]))]


@clause("4-26")
def test_the_posts_of_a_category_are_found_without_the_category(db: Database) -> None:
    for made in (category(1), post(2), post(1), post(3, "c002")):
        db.put(made)
    assert [each.id for each in db.all(Post.in_category("c001"))] == ["p001", "p002"]


@clause("4-28", "4-30", "4-21", "X4-01", "X4-03")
@pytest.mark.parametrize(
    ("question", "made", "ids"),
    [
        (User.latest(), [user(1), user(2)], ["u002", "u001"]),
        (Category.latest(), [category(1), category(2)], ["c002", "c001"]),
        (Post.latest(), [post(2, "c001"), post(3, "c002"), post(1, "c003")], ["p003", "p002", "p001"]),
        (Banner.latest(), [banner(1), banner(2)], ["bn002", "bn001"]),
        (ContactInquiry.latest(), [inquiry(1), inquiry(2)], ["inq002", "inq001"]),
    ],
)
def test_all_of_a_type_come_newest_first(
    db: Database, question: Query[Any], made: list[Entity], ids: list[str]
) -> None:
    db.batch_write([company(), *made])
    assert [each.id for each in db.all(question)] == ids
    assert asked(question) == f"Type = {type(made[0]).__name__}"


@clause("4-36")
@pytest.mark.parametrize(
    "question",
    [
        User.with_id("u001"),
        Category.with_id("c001"),
        Post.in_category("c001"),
        Post.with_id("c001", "p001"),
        Banner.latest(),
        CorpInfo.present(),
        Post.latest(),
        Category.with_posts("c001"),
    ],
)
def test_every_question_of_the_document_is_answered_whole_by_one_query(
    db: Database, question: Query[Any]
) -> None:
    load(db, FMWebApp, *EXAMPLES.values())
    recording = Recording(db.backend)
    found = [each.model_dump() for each in Database(recording, secret=b"of a test").all(question)]
    assert [call.operation for call in recording.calls] == ["Query"]
    assert "FilterExpression" not in recording.calls[0].request
    whole = [shape(kind).decode(item(EXAMPLES[kind.__name__])).model_dump() for kind in KINDS]
    assert found
    assert all(each in whole for each in found)


@clause("X4-19")
def test_one_question_finds_a_category_and_then_its_posts(db: Database) -> None:
    for made in (post(2), category(1), post(1)):
        db.put(made)
    assert db.all(Category.with_posts("c001")) == [category(1), post(1), post(2)]


@clause("4-43", "X4-16")
def test_reads_are_strong_where_that_is_asked_and_never_on_the_index(db: Database) -> None:
    assert "ConsistentRead" not in Post.in_category("c001").request("T")
    assert Post.in_category("c001").consistent().request("T")["ConsistentRead"] is True
    with pytest.raises(DesignError, match="Type_CreatedAt"):
        Post.latest().consistent()


# ── extension ─────────────────────────────────────────────────────────────────────────────────────


class Extended(Table, name="Extended", type_attribute="Type"):
    """The table as it is when the site grows."""

    type_created_at = GSI("Type_CreatedAt", pk="Type", sk="CreatedAt")
    author = GSI("AuthorId_CreatedAt", pk="authorId", sk="CreatedAt")


class ProductKey(Key["Product"], pk="PRODUCT#{id}", sk="USER#{author_id}#POST#{post_id}"):
    id: Annotated[str, Attr("id")]
    author_id: Annotated[str, Attr("authorId")]
    post_id: str


class Product(ProductKey, Entity, table=Extended, type="Product"):
    """A kind that the document does not have."""

    created_at: Annotated[Timestamp, Attr("CreatedAt")]

    @pattern
    def by_author(cls, author_id: str) -> Query[Product]:
        """What an author has made."""
        return cls.query(Product.author_id == author_id, index=Extended.author)

    @pattern
    def latest(cls) -> Query[Product]:
        """All of them, the newest first."""
        return cls.query(index=Extended.type_created_at).descending()


class NoteKey(Key["Note"], pk="NOTE#{id}", sk="METADATA"):
    id: Annotated[str, Attr("id")]


class Note(NoteKey, Entity, table=Extended, type="Note"):
    """Another kind, which came before."""

    created_at: Annotated[Timestamp, Attr("CreatedAt")]

    @pattern
    def latest(cls) -> Query[Note]:
        """All of them, the newest first."""
        return cls.query(index=Extended.type_created_at).descending()


@clause("4-40", "4-41", "4-42", "X4-36")
def test_a_new_kind_is_a_type_a_prefix_and_perhaps_an_index() -> None:
    with opened(Extended) as db:
        made = db.create(Product(id="x1", author_id="u001", post_id="p001", created_at=NOON))
        assert db.all(Product.by_author("u001")) == [made]
        assert stored(db, Extended)[0]["SK"] == {"S": "USER#u001#POST#p001"}
    assert asked(Product.by_author("u001")) == "authorId = u001"


@clause("4-39")
def test_a_new_type_is_asked_for_through_the_index_that_is_there() -> None:
    with opened(Extended) as db:
        note = db.create(Note(id="n1", created_at=NOON))
        product = db.create(Product(id="x1", author_id="u001", post_id="p001", created_at=NOON))
        assert (db.all(Note.latest()), db.all(Product.latest())) == ([note], [product])
    assert [asked(kind.latest()) for kind in (Note, Product)] == ["Type = Note", "Type = Product"]
