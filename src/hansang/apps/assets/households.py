"""Households: one table each, made by an owner and served side by side; people belong to one with a role (X1-21)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from typing import Any

from hansang.apps.assets.design import AssetManager, TotalsKey
from hansang.apps.assets.plans import Household, HouseholdKey, MemberRole
from hansang.apps.assets.recording import AREA, Who
from hansang.apps.assets.service import Assets
from hansang.apps.assets.settings import AssetsSettings
from hansang.clock import Clock
from hansang.design import Database, Page
from hansang.design.requests import key_of
from hansang.errors import AlreadyExists, NotAllowed, NotFound
from hansang.parts.editing import Edit, Editing
from hansang.parts.history import Actor, Change, History, subject_of
from hansang.parts.permissions import Action, Principal
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import Sleep
from hansang.parts.topics import Publish, unheard

_POCKET = "pocket-"
"""How the ids of private pockets begin, and of nothing else."""
FIRST = "first"
"""The id of the household that was there first, in the table of the document's name; no other has it."""
_ENOUGH: dict[MemberRole, tuple[Action, ...]] = {
    "viewer": ("read",),
    "editor": ("read", "write"),
    "owner": ("read", "write", "admin"),
}


@dataclass(frozen=True, slots=True)
class PocketSum:
    """What the others see of a private pocket: whose it is, and what was spent of it in a month."""

    owner: str
    spent: int


class HouseholdHistory(History):
    """The history of one household beside the first: its changes are of an area and a table of their own."""

    def __init__(self, database: Database, clock: Clock, household: str) -> None:
        super().__init__(database, clock)
        self.area, self._table = f"{AREA}-{household}", database.name(AssetManager)

    def draft(self, actor: Actor, **fields: Any) -> Change:
        """A change that is found in this household alone, and that no other undoes."""
        own = {"area": self.area, "table": self._table, "subject": self._subject(str(fields["subject"]))}
        return super().draft(actor, **(fields | own))

    def page(self, area: str | None = None, limit: int = 20, cursor: str | None = None) -> Page[Change]:
        """The changes of the household, whichever area is asked for."""
        return super().page(self.area, limit, cursor)

    def get(self, change_id: str) -> Change:
        """A change; one of this household as its design calls the table, so that it can be undone there."""
        found = super().get(change_id)
        own = found.area == self.area
        return found.model_copy(update={"table": AssetManager.name}) if own else found

    def of_subject(self, subject: str, limit: int = 20, cursor: str | None = None) -> Page[Change]:
        """The changes of one of its items."""
        return super().of_subject(self._subject(subject), limit, cursor)

    def _subject(self, subject: str) -> str:
        return f"{self.area}:{subject}"


class Households:
    """Every household of a server, each with the application on its own table."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: AssetsSettings | None = None,
        *,
        history: History | None = None,
        sleep: Sleep = time.sleep,
        publish: Publish = unheard,
    ) -> None:
        self._database, self._clock, self._settings, self._sleep = database, clock, settings, sleep
        self._publish = publish
        self._history = history or History(database, clock)
        self._editing = Editing(database, self._history, areas={AssetManager: AREA}, sleep=sleep)
        self._lock = Lock()
        self._open: dict[str, Assets] = {}

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def listed(self) -> list[Household]:
        """The households beside the first; of private pockets only that they are there (X1-21)."""
        return self._database.all(Household.all_of_them())

    def all(self) -> list[Household]:
        """The households beside the first, pockets with their owner."""
        found = (find_household(self._database, each.id) for each in self.listed())
        return [each for each in found if each is not None]

    def get(self, household: str) -> Household:
        """A household, or NotFound."""
        found = find_household(self._database, household)
        if found is None:
            raise NotFound(
                "Household {id} not found. hansang assets households lists them.",
                code="assets.no-household",
                values={"id": household},
            )
        return found

    def seen_by(self, principal: Principal) -> list[Household]:
        """Those that somebody may read."""
        return [each for each in self.all() if allows(each, principal, "read")]

    def open(self, household: str = FIRST) -> Assets:
        """The application on the table of a household."""
        with self._lock:
            found = self._open.get(household)
        if found is not None:
            return found
        made = self._made(household)
        with self._lock:
            return self._open.setdefault(household, made)

    def _made(self, household: str) -> Assets:
        topic = topic_of(household)
        given: dict[str, Any] = {
            "settings": self._settings,
            "sleep": self._sleep,
            "told": lambda version: self._publish(topic, {"version": version}),
        }
        if household == FIRST:
            return Assets(self._database, self._clock, history=self._history, **given)
        self.get(household)
        database = own_database(self._database, household)
        history = HouseholdHistory(database, self._clock, household)
        return Assets(database, self._clock, history=history, area=history.area, **given)

    def each(self) -> Iterator[Assets]:
        """Every household, the first one first."""
        yield self.open()
        for household in self.listed():
            yield self.open(household.id)

    def pockets(self, household: str, month: str) -> list[PocketSum]:
        """What was spent of the private pockets of a household in a month: a sum for each, and nothing else."""
        found = []
        for pocket in self.all():
            if pocket.pocket_of == household and pocket.members:
                totals = own_database(self._database, pocket.id).find(TotalsKey(year_month=month))
                found.append(PocketSum(pocket.title, 0 if totals is None else totals.total_expense))
        return found

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def create(self, household: Household, who: Who, beside: Beside[Edit[Household]] = alone) -> Household:
        """Make a household with a table of its own."""
        if household.id.startswith(_POCKET) and household.pocket_of is None:
            raise AlreadyExists(
                "Ids that begin with {prefix} are taken by private pockets. Choose another id.",
                code="assets.household-id-pocket",
                values={"prefix": _POCKET},
            )
        if find_household(self._database, household.id) is not None:
            raise AlreadyExists(
                "There is a household {id} already. Choose another id.",
                code="assets.household-id-taken",
                values={"id": household.id},
            )
        # The table first: a household that is listed has one, whatever breaks off between the two.
        own_database(self._database, household.id).create_tables(AssetManager)
        return self._editing.create(household, who.actor, who.request_id, beside).subject

    def change(
        self,
        household: str,
        who: Who,
        *,
        title: str | None = None,
        members: dict[str, MemberRole] | None = None,
        beside: Beside[Edit[Household]] = alone,
    ) -> Household:
        """Call a household otherwise, or change who belongs to it; somebody stays its owner."""
        found = self.get(household)
        if household == FIRST:
            raise NotAllowed(
                "Everyone with a role in the ledger belongs to the first household.",
                code="assets.first-household",
            )
        changed = found.model_copy(
            update={
                "title": found.title if title is None else title,
                "members": found.members if members is None else members,
            }
        )
        if found.pocket_of is not None and members is not None:
            raise NotAllowed("A private pocket has its owner alone.", code="assets.pocket-members")
        if "owner" not in (changed.members or {}).values():
            raise NotAllowed(
                "A household needs an owner. Make somebody else one first.", code="assets.household-owner"
            )
        if found.pocket_of is not None:
            self._move(household)
        editing = self._editing if found.pocket_of is None else self._editing_of(household)
        tag = editing.etag(found)
        return editing.replace(changed, tag, who.actor, who.request_id, beside).subject

    def create_pocket(
        self, household: str, person: str, title: str, who: Who, beside: Beside[Household] = alone
    ) -> Household:
        """Make somebody's private pocket; the others of the household see its sums alone.

        Whose it is, and what it is called, is kept in its own table with its own history. The list of households
        has its id and the household that sees its sums (X1-21).
        """
        if self.get(household).pocket_of is not None:
            raise NotAllowed("A private pocket has no pockets.", code="assets.pocket-in-pocket")
        whose = f"{'' if household == FIRST else household}\n{person}".encode()
        pocket = f"{_POCKET}{sha256(whose).hexdigest()[:10]}"
        if find_household(self._database, pocket) is not None:
            raise AlreadyExists(
                "{name} has a private pocket here already.",
                code="assets.pocket-there",
                values={"name": person},
            )
        made = Household(id=pocket, title=title, members={person: "owner"}, pocket_of=household)
        own = own_database(self._database, pocket)
        own.create_tables(AssetManager)
        if own.find(HouseholdKey(id=pocket), consistent=True) is None:
            self._editing_of(pocket).create(made, who.actor, who.request_id)
        with self._database.transaction(name="Household.create") as transaction:
            beside(transaction, made)
            transaction.create(made.model_copy(update={"title": pocket, "members": None}))
        return made

    def move_pockets(self) -> list[str]:
        """Move what the list of households still says of older pockets into their own tables; their ids."""
        return [each.id for each in self.listed() if each.pocket_of is not None and self._move(each.id)]

    def _move(self, pocket: str) -> bool:
        """Whose a pocket is and what it is called goes into its own table, and out of the list and its history (X1-21).

        Its own table comes first, so that a pocket has an owner whatever breaks off between the two.
        """
        key = HouseholdKey(id=pocket)
        listed = self._database.get(key, consistent=True)
        if not listed.members:
            return False
        own = own_database(self._database, pocket)
        if own.find(key, consistent=True) is None:
            own.create(listed.model_copy(update={"pocket_of": listed.pocket_of or FIRST}))
        bare: dict[str, object] = {"title": pocket, "members": None, "pocket_of": listed.pocket_of or FIRST}
        self._database.put(listed.model_copy(update=bare))
        self._history.forget(subject_of(AssetManager, key_of(key)))
        return True

    def _editing_of(self, household: str) -> Editing:
        """What changes items in the table of a household, with its own history."""
        own = own_database(self._database, household)
        history = HouseholdHistory(own, self._clock, household)
        return Editing(own, history, areas={AssetManager: AREA}, sleep=self._sleep)


def own_database(database: Database, household: str) -> Database:
    """The database with the table of a household beside the first."""
    return database.renamed({AssetManager: f"{database.name(AssetManager)}-{household}"})


def find_household(database: Database, household: str) -> Household | None:
    """A household with who belongs to it; that of a private pocket stands in its own table (X1-21)."""
    if household == FIRST:
        return Household.model_construct(id=FIRST, title="", members=None, pocket_of=None)
    key = HouseholdKey.model_construct(id=household)
    found = database.find(key, consistent=True)
    if found is None or found.pocket_of is None:
        return found
    whole = found if found.members else own_database(database, household).find(key, consistent=True)
    return whole and whole.model_copy(update={"pocket_of": whole.pocket_of or FIRST})


def topic_of(household: str) -> str:
    """Where it is told that something was entered in a household; what it was is not told there."""
    return f"{AREA}.book.{household}"


def hears(database: Database, principal: Principal, topic: str) -> bool:
    """Whether somebody may hear that a household has changed: of another than the first, who may look at it."""
    household = find_household(database, topic.rpartition(".")[2])
    return household is not None and allows(household, principal, "read")


def allows(household: Household, principal: Principal, action: Action) -> bool:
    """Whether somebody may do that in a household: as its member, as far as the application lets them.

    Whoever administers the application may in every household, but for private pockets.
    """
    if not principal.may(AREA, action) or household.id == FIRST:
        return principal.may(AREA, action)
    if household.pocket_of is None and principal.may(AREA, "admin"):
        return True
    role = (household.members or {}).get(principal.name)
    return role is not None and action in _ENOUGH[role]


def expect_allowed(household: Household, principal: Principal, action: Action) -> None:
    """Refuse whoever is no member, or a lesser one."""
    if not allows(household, principal, action):
        raise NotAllowed(
            "The household {id} does not let you do that. Ask one of its owners.",
            code="assets.not-a-member",
            values={"id": household.id},
        )
