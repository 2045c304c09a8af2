"""A sample of the company site: two years of posts, the people who wrote them, banners and inquiries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, time, timedelta
from typing import Any

from hansang.apps.application import Progress
from hansang.apps.codex.agent_calls import KEPT, AgentCall, AgentOutcome
from hansang.apps.codex.design import (
    Banner,
    Category,
    ContactInquiry,
    CorpInfo,
    InquiryStatus,
    InquiryStep,
    Post,
    PostLocator,
    User,
)
from hansang.apps.codex.editorial import PostDraft, PostRevision, PostSlug, TrashedPost
from hansang.apps.codex.ids import ulid
from hansang.apps.codex.slugs import slug_of
from hansang.design import Database, Entity
from hansang.parts.sampling import in_seoul, moment_between, people, repeatable, store, texts

YEARS = timedelta(days=730)
INQUIRIES = 40
PICTURES = "/static/sample/codex"
"""Where the pictures of the banners are; they lie beside the pages, and a file is found under any version."""
_STAYS_NEW, _STAYS_OPEN = timedelta(days=6), timedelta(days=30)
_SPAM_EVERY = 9
_ANSWERS = ("u001", "u006")


def fill(database: Database, now: datetime, progress: Progress) -> None:
    """Write the site as it is at this moment."""
    site = Site(in_seoul(now))
    for post in site.posts:
        progress(_publish(database, post))
    store(database, site.others(), progress)


def _publish(database: Database, post: Post) -> int:
    """Store a post together with its locator, so that its id is taken (X4-06), and its address."""
    with database.transaction() as transaction:
        transaction.create(post)
        transaction.create(PostLocator(post_id=post.id, category_id=post.category_id))
        if post.slug is not None:
            transaction.create(PostSlug(slug=post.slug, post_id=post.id))
    return 2 if post.slug is None else 3


class Site:
    """What a small company has on its site."""

    def __init__(self, now: datetime) -> None:
        self._now, self._began = now, now - YEARS
        self._words, self._chance = texts("codex"), repeatable("codex")
        self._slugs: set[str] = set()
        self.posts = list(self._posts())
        told = self._words["corp"]["changed_by"]
        self._moved = next(post.created_at for post in self.posts if post.title == told)

    def others(self) -> Iterator[Entity]:
        """Everything but the posts."""
        yield from self.users()
        yield from self.categories()
        yield from self.banners()
        yield self.company()
        yield from self.inquiries()
        yield from self.unpublished()
        yield from self.agent_calls()

    def agent_calls(self) -> Iterator[AgentCall]:
        """What an agent that corrects spelling has done this morning: read, tried, and written."""
        target = self.posts[-1].id
        done: tuple[tuple[str, AgentOutcome, int], ...] = (
            ("get_post", "read", 1),
            ("replace_post", "dry_run", 9),
            ("replace_post", "done", 9),
            ("list_contact_inquiry", "not_allowed", 0),
        )
        for number, (tool, outcome, units) in enumerate(done):
            at = self._now - timedelta(minutes=40 - number)
            yield AgentCall(
                call_id=ulid(at, self._chance),
                caller="맞춤법",
                tool=tool,
                target=None if outcome == "not_allowed" else target,
                outcome=outcome,
                refused_code="codex.tool-scope" if outcome == "not_allowed" else None,
                units=units,
                called_at=at,
                expires_at=at + KEPT,
            )

    def unpublished(self) -> Iterator[Entity]:
        """Changes of a post that wait, a draft with its time, what a post was before, and a deleted one."""
        edited, older = self.posts[-1], self.posts[0]
        day = timedelta(days=1)
        for post, at, more in ((edited, self._now - day, {}), (older, self._now - 2 * day, {"id": "next"})):
            yield PostDraft(
                id=more.get("id", post.id),
                category_id=post.category_id,
                author_id=post.author_id,
                title=post.title,
                contents=post.contents,
                contents_format=post.contents_format,
                publish_at=self._in_days(2) if more else None,
                drafted_at=at,
                updated_at=at,
            )
        yield PostRevision(
            post_id=edited.id,
            revision=ulid(edited.updated_at, self._chance),
            category_id=edited.category_id,
            author_id=edited.author_id,
            title=edited.title,
            contents=edited.contents,
            contents_format=edited.contents_format,
            saved_at=edited.created_at,
            replaced_at=edited.updated_at,
            replaced_by=edited.author_id,
        )
        yield TrashedPost(
            id=f"p{ulid(older.created_at, self._chance)}",
            category_id=older.category_id,
            author_id=older.author_id,
            title=older.title,
            contents=older.contents,
            contents_format=older.contents_format,
            first_created_at=older.created_at,
            saved_at=older.created_at,
            deleted_at=self._now - 3 * day,
            deleted_by=older.author_id,
            expires_at=self._now + 27 * day,
        )

    def users(self) -> Iterator[User]:
        """Those who write, and those who only read; none of them has credentials."""
        for number, each in enumerate(self._words["users"]):
            at = self._began - timedelta(days=40 - 3 * number)
            yield User(
                id=each["id"], display_name=each["name"], role=each["role"], created_at=at, updated_at=at
            )

    def categories(self) -> Iterator[Category]:
        """The headings, made one after the other before the first post."""
        for number, each in enumerate(self._words["categories"]):
            at = self._began - timedelta(days=10, minutes=-number)
            yield Category(
                id=each["id"], title=each["title"], desc=each["desc"], created_at=at, updated_at=at
            )

    # ── posts ─────────────────────────────────────────────────────────────────────────────────────

    def _posts(self) -> Iterator[Post]:
        """The posts of each category, spread over the two years, the categories taking turns."""
        categories = self._words["categories"]
        for order, category in enumerate(categories):
            posts = self._words["posts"][category["id"]]
            for number, each in enumerate(posts):
                place, end = number + order / len(categories), len(posts) - 1 / len(categories)
                yield self._post(category, each, self._post_time(place / end))

    def _post_time(self, passed: float) -> datetime:
        """A working hour of a weekday, when so much of the two years had passed."""
        at = self._began + (YEARS - timedelta(days=4)) * passed
        at -= timedelta(days=max(0, at.weekday() - 4))
        return at.replace(
            hour=self._chance.randint(10, 17), minute=self._chance.randrange(60), second=0, microsecond=0
        )

    def _post(self, category: Mapping[str, Any], each: Mapping[str, Any], at: datetime) -> Post:
        is_edited = self._chance.random() < 0.3
        edited = moment_between(self._chance, at, min(self._now, at + timedelta(days=20)))
        contents = _filled(each["contents"], at)
        return Post(
            category_id=category["id"],
            id=f"p{ulid(at, self._chance)}",
            author_id=category["author"],
            title=_filled(each["title"], at),
            contents=contents,
            contents_format="markdown" if isinstance(contents, str) else "json",
            slug=self._slug(_filled(each["title"], at)),
            created_at=at,
            updated_at=edited if is_edited else at,
            is_pinned=each.get("pinned"),
            expires_at=at + timedelta(days=14) if each.get("expires") else None,
        )

    def _slug(self, title: str) -> str | None:
        """The address of a title, unless another post has it."""
        found = slug_of(title)
        if found in self._slugs:
            return None
        self._slugs.add(found)
        return found

    # ── banners and the company ───────────────────────────────────────────────────────────────────

    def banners(self) -> Iterator[Banner]:
        """Banners that are shown, that will be, and that were."""
        for number, each in enumerate(self._words["banners"], 1):
            at = self._in_days(-each["age"])
            yield Banner(
                id=f"bn{number:03d}",
                title=each["title"],
                desc=each["desc"],
                img_uri=f"{PICTURES}/{each['picture']}.svg",
                img_alt=each["alt"],
                btn1_text=each["btn1"][0],
                btn1_uri=each["btn1"][1],
                btn2_text=each["btn2"][0],
                btn2_uri=each["btn2"][1],
                sort_no=each.get("sort_no"),
                is_active=each.get("active"),
                starts_at=self._in_days(each["starts"]) if "starts" in each else None,
                expires_at=self._in_days(each["expires"]) if "expires" in each else None,
                created_at=at,
                updated_at=at,
            )

    def company(self) -> CorpInfo:
        """The company, with the address it took last."""
        corp = self._words["corp"]
        return CorpInfo(
            name=corp["name"],
            address=corp["address"],
            email=corp["email"],
            fax=corp["fax"],
            corp_num=corp["corp_num"],
            created_at=self._began - timedelta(days=40),
            updated_at=self._moved,
        )

    def _in_days(self, days: int) -> datetime:
        return datetime.combine((self._now + timedelta(days=days)).date(), time(9), self._now.tzinfo)

    # ── inquiries ─────────────────────────────────────────────────────────────────────────────────

    def inquiries(self) -> Iterator[ContactInquiry]:
        """Inquiries from the earliest on, the closer together the later."""
        names = people(self._chance)
        for number in range(1, INQUIRIES + 1):
            age = timedelta(hours=3) + timedelta(days=640) * ((INQUIRIES - number) / INQUIRIES) ** 2
            yield self._inquiry(number, next(names), self._now - age)

    def _inquiry(self, number: int, name: str, at: datetime) -> ContactInquiry:
        words = self._words["inquiry"]
        history = list(self._history(number, at))
        text = self._chance.choice(words["spam" if history[-1].status == "spam" else "asked"])
        return ContactInquiry(
            id=f"inq{number:03d}",
            name=name,
            email=f"visitor{number:02d}@mail.example",
            company=self._chance.choice(words["companies"]),
            title=self._chance.choice(words["titles"]),
            referral=self._chance.choice(words["referrals"]),
            subject=text["subject"],
            message=text["message"],
            status=history[-1].status,
            # The last one came just now, and the mail about it is still on its way (X4-28).
            notified_email=self._address(at) if number < INQUIRIES else None,
            history=history,
            created_at=at,
            updated_at=history[-1].at,
        )

    def _address(self, at: datetime) -> str:
        """The company's address for inquiries at a moment (4-19)."""
        address: str = self._words["corp"]["former_email" if at < self._moved else "email"]
        return address

    def _history(self, number: int, at: datetime) -> Iterator[InquiryStep]:
        """The steps that an inquiry of its age has behind it."""
        yield InquiryStep(at=at, status="new")
        age = self._now - at
        statuses: list[InquiryStatus] = ["in_progress", "done"]
        if number % _SPAM_EVERY == 0:
            statuses = ["spam"]
        elif age < _STAYS_OPEN:
            statuses = [] if age < _STAYS_NEW else ["in_progress"]
        for status in statuses:
            at += timedelta(minutes=self._chance.randint(20, 6000))
            yield InquiryStep(at=at, status=status, by=self._chance.choice(_ANSWERS))


# ── texts ─────────────────────────────────────────────────────────────────────────────────────────


def _filled(contents: Any, at: datetime) -> Any:
    """Contents with the time in their places, however deep they are."""
    if isinstance(contents, str):
        return contents.replace("{year}", str(at.year)).replace("{month}", str(at.month)).strip()
    if isinstance(contents, Mapping):
        return {name: _filled(member, at) for name, member in contents.items()}
    if isinstance(contents, list):
        return [_filled(member, at) for member in contents]
    return contents
