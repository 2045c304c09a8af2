"""The history: who changed what, when, from what to what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import takewhile
from secrets import token_hex
from typing import Annotated, Any, Literal, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict

from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Key, Page, Query, Table, Unreadable, pattern
from hansang.design.codec import to_value
from hansang.design.shape import Item
from hansang.design.transaction import Transaction
from hansang.errors import NotFound
from hansang.parts.audit import audited
from hansang.parts.chained import Chain, in_order
from hansang.parts.etags import digest
from hansang.parts.permissions import Principal
from hansang.parts.platform import Platform
from hansang.parts.retry import retry
from hansang.parts.rising_ids import RisingIds, made_at
from hansang.parts.timestamps import iso_timestamp

R = TypeVar("R")

LARGEST_IMAGE = 150_000
"""Bytes of JSON that are kept of either side of a change."""

_MONTH = len("YYYY-MM")
_LONGEST_SUBJECT = 1024


ActorKind = Literal["person", "key", "operator", "job", "server"]
"""The operator is whoever runs a command where the data are."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes something: a person, a key, an operator, a job or the server itself."""

    kind: ActorKind
    name: str
    shown: str

    @classmethod
    def of(cls, principal: Principal) -> Actor:
        """Whoever asks, as the history names it."""
        return cls(principal.kind, principal.name, principal.shown)


class Image(BaseModel):
    """One side of a change; of an item that is too large, only its digest and its size."""

    model_config = ConfigDict(frozen=True)

    text: str | None = None
    size: int
    digest: str

    @property
    def item(self) -> Item | None:
        """The item, None if it was too large to be kept."""
        found: Item | None = None if self.text is None else orjson.loads(self.text)
        return found


def image(item: Item | None) -> Image | None:
    """What is kept of one side of a change."""
    if item is None:
        return None
    encoded = orjson.dumps(item)
    text = encoded.decode() if len(encoded) <= LARGEST_IMAGE else None
    return Image(text=text, size=len(encoded), digest=digest(item))


class ChangeKey(Key["Change"], pk="CHANGES#{month}", sk="{at}#{id}"):
    """The key of a change; the id alone says the rest, see `key_of`."""

    month: str
    at: Annotated[str, Attr("At")]
    id: str


class Change(ChangeKey, Entity, table=Platform, type="Change"):
    """One change of one thing, with what it was and what it is since."""

    actor_kind: ActorKind
    actor_name: str
    actor_shown: str
    area: Annotated[str, Attr("Area")]
    table: str
    kind: str
    """What was changed: the name of an entity, or a word of the platform's."""
    subject: Annotated[str, Attr("Subject")]
    key: dict[str, dict[str, str]] | None = None
    """The key of the item, None when the change is not one of an item of a design."""
    verb: str
    before_image: Annotated[Image | None, Attr("before")] = None
    after_image: Annotated[Image | None, Attr("after")] = None
    request_id: str | None = None
    undone_by: str | None = None
    undoes: str | None = None

    @property
    def actor(self) -> Actor:
        return Actor(self.actor_kind, self.actor_name, self.actor_shown)

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)

    @property
    def before(self) -> Item | None:
        """The item before the change, as far as it was kept."""
        return None if self.before_image is None else self.before_image.item

    @property
    def after(self) -> Item | None:
        """The item after the change, as far as it was kept."""
        return None if self.after_image is None else self.after_image.item

    @property
    def is_too_large(self) -> bool:
        """Whether what there was before was not kept, so that the change cannot be undone."""
        return self.before_image is not None and self.before_image.text is None

    @property
    def is_undoable(self) -> bool:
        """Whether it can be undone as far as it knows by itself."""
        return self.key is not None and self.undone_by is None and not self.is_too_large

    @pattern
    def in_month(cls, month: str) -> Query[Change]:
        """The changes of one month, newest first."""
        return cls.query(Change.month == month).descending()

    @pattern
    def in_area(cls, area: str) -> Query[Change]:
        """The changes of one application, newest first."""
        return cls.query(Change.area == area, index=Platform.by_area).descending()

    @pattern
    def of_subject(cls, subject: str) -> Query[Change]:
        """The changes of one item, newest first."""
        return cls.query(Change.subject == subject, index=Platform.by_subject).descending()


class ChangeMonthKey(Key["ChangeMonth"], pk="CHANGES", sk="MONTH#{month}"):
    """The key of a month that has changes."""

    month: str


class ChangeMonth(ChangeMonthKey, Entity, table=Platform, type="ChangeMonth"):
    """Says that there are changes in a month, so that empty months need not be asked."""

    @pattern
    def newest(cls) -> Query[ChangeMonth]:
        """The months that have changes, the newest first."""
        return cls.query(ChangeMonth.month >= "0").descending()


ACCEPTED = {
    "ChangeMonth H201": "One item a month.",
    "Change H202": "People and jobs make changes; a month of them stays far below 1,000 a second.",
    "Change H205": "The key of an item: two attributes at most.",
}
"""What the review finds and the design accepts, with the reason."""


def subject_of(table: type[Table], key: Item) -> str:
    """The text of an item's key by which its changes are found: `FMWebAppTable/CATEGORY#c1/POST#p1`."""
    values = [str(next(iter(key[name].values()))) for name in table.key_attributes()]
    text = "/".join([table.name, *values])
    encoded = text.encode()
    if len(encoded) <= _LONGEST_SUBJECT:
        return text
    return encoded[: _LONGEST_SUBJECT - 65].decode(errors="ignore") + "~" + sha256(encoded).hexdigest()


def key_of(change_id: str) -> ChangeKey:
    """The key of the change with this id, which begins with the time; NotFound if it is none."""
    try:
        at = iso_timestamp(made_at(change_id))
    except (ValueError, OverflowError) as reason:
        raise _unknown(change_id) from reason
    if not change_id.isalnum():
        raise _unknown(change_id)
    return ChangeKey(month=at[:_MONTH], at=at, id=change_id)


def _unknown(change_id: str) -> NotFound:
    return NotFound("Change {id} not found.", code="parts.no-change", values={"id": change_id})


Trace = Callable[[Any, Any], Change]
"""Makes the line of a change of what there was before and is after; None is nothing."""


def write_line(transaction: Transaction, change: Change) -> None:
    """Write the line of a change, and that of the audit log if it is administration."""
    transaction.create(change)
    if (event := audited(change)) is not None:
        transaction.create(event)


def with_line(change: Change, beside: Callable[[Transaction, R], object]) -> Callable[[Transaction, R], None]:
    """What writes the line of a change too, where something is written beside the work."""

    def both(transaction: Transaction, result: R) -> None:
        beside(transaction, result)
        write_line(transaction, change)

    return both


def write_with(database: Database, change: Change | None, steps: Callable[[Transaction], object]) -> None:
    """Send the steps and the line of their change together; a lost answer does no harm, as in `Editing`."""

    def send() -> None:
        name = "transaction" if change is None else f"{change.kind}.{change.verb}"
        with database.transaction(None if change is None else change.id, name) as transaction:
            steps(transaction)
            if change is not None:
                write_line(transaction, change)

    if change is None:
        send()
    else:
        retry(send)


class History:
    """The changes of all applications and of the platform, kept for good."""

    def __init__(self, database: Database, clock: Clock, chance: Callable[[int], str] = token_hex) -> None:
        self._database = database
        self._new_id = RisingIds(clock, chance)
        self._months: set[str] = set()

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def draft(self, actor: Actor, **fields: Any) -> Change:
        """A change that happens now, still to be kept: by `record`, or in a transaction with what it changes."""
        key = self._new_key()
        return Change(
            month=key.month,
            at=key.at,
            id=key.id,
            actor_kind=actor.kind,
            actor_name=actor.name,
            actor_shown=actor.shown,
            **fields,
        )

    def _new_key(self) -> ChangeKey:
        key = key_of(self._new_id())
        self._expect_month(key.month)
        return key

    def _expect_month(self, month: str) -> None:
        if month not in self._months:
            retry(lambda: self._database.put(ChangeMonth(month=month)))
            self._months.add(month)

    def record(
        self,
        actor: Actor,
        area: str,
        kind: str,
        subject: str,
        verb: str,
        *,
        before: Mapping[str, object] | None = None,
        after: Mapping[str, object] | None = None,
        request_id: str | None = None,
    ) -> Change:
        """Keep a change of something that is not an item of a design, such as a job."""
        change = self.line(
            actor, area, kind, subject, verb, before=before, after=after, request_id=request_id
        )
        write_with(self._database, change, lambda transaction: None)
        return change

    def line(
        self,
        actor: Actor,
        area: str,
        kind: str,
        subject: str,
        verb: str,
        *,
        before: Mapping[str, object] | None = None,
        after: Mapping[str, object] | None = None,
        request_id: str | None = None,
    ) -> Change:
        """A change of something that is not an item of a design, still to be kept: see `write_with`."""
        return self.draft(
            actor,
            area=area,
            table=Platform.name,
            kind=kind,
            subject=subject,
            verb=verb,
            before_image=image(_item(before)),
            after_image=image(_item(after)),
            request_id=request_id,
        )

    def forget(self, subject: str, area: str | None = None) -> int:
        """Take what the changes of one item say of it out of the history, for good; that they happened stays.

        With an area only its own changes: what a line is about may be a number that others count by too.
        """
        changes = self._database.each(Change.of_subject(subject), unreadable=lambda _: None)
        found = [each for each in changes if area in (None, each.area)]
        for each in found:
            bare = {
                name: Image(size=kept.size, digest=kept.digest)
                for name, kept in (("before_image", each.before_image), ("after_image", each.after_image))
                if kept is not None
            }
            retry(partial(self._database.put, each.model_copy(update=bare)))
        return len(found)

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def get(self, change_id: str) -> Change:
        """The change with this id, or NotFound."""
        found = self._database.find(key_of(change_id), consistent=True)
        if found is None:
            raise _unknown(change_id)
        return found

    def page(self, area: str | None = None, limit: int = 20, cursor: str | None = None) -> Page[Change]:
        """Changes, the newest first, of one area or of all."""
        if area is not None:
            return self._database.page(Change.in_area(area), limit, cursor)
        unreadable: list[Unreadable] = []
        months = self._newest(unreadable.append)
        queries = {month: Change.in_month(month).consistent() for month in months}
        page = Chain("changes", in_order(queries), list).page(self._database, limit, cursor)
        return Page(page.items, page.cursor, page.offset, [*unreadable, *page.unreadable])

    def _newest(self, unreadable: Callable[[Unreadable], object] | None) -> list[str]:
        found = self._database.each(ChangeMonth.newest().consistent(), unreadable=unreadable)
        return [each.month for each in found]

    def of_subject(self, subject: str, limit: int = 20, cursor: str | None = None) -> Page[Change]:
        """The changes of one item, see `subject_of`, the newest first."""
        return self._database.page(Change.of_subject(subject), limit, cursor)

    def since(self, change: Change) -> Iterator[Change]:
        """What its application did to the same item after a change, the newest first."""
        later = takewhile(
            lambda each: each.id != change.id, self._database.each(Change.of_subject(change.subject))
        )
        return (each for each in later if each.area == change.area)

    def each(
        self, area: str | None = None, *, unreadable: Callable[[Unreadable], object] | None = None
    ) -> Iterator[Change]:
        """Every change, the newest first, of one area or of all; one that cannot be read goes to `unreadable`."""
        if area is not None:
            yield from self._database.each(Change.in_area(area), unreadable=unreadable)
            return
        for month in self._newest(unreadable):
            yield from self._database.each(Change.in_month(month).consistent(), unreadable=unreadable)


def _item(values: Mapping[str, object] | None) -> Item | None:
    return None if values is None else {name: to_value(_listed(each)) for name, each in values.items()}


def _listed(value: object) -> object:
    """A set as a list, because DynamoDB has no empty ones."""
    return sorted(value) if isinstance(value, set | frozenset) else value
