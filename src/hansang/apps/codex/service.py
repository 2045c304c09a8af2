"""The verbs of the company site, put together."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hansang.apps.codex.categories import Categories
from hansang.apps.codex.design import Banner, CorpInfo
from hansang.apps.codex.drafts import Drafts
from hansang.apps.codex.entities import Company, Desk, Entities
from hansang.apps.codex.inquiries import Inquiries
from hansang.apps.codex.notices import Notices
from hansang.apps.codex.posts import Posts
from hansang.apps.codex.reading import SiteReading
from hansang.apps.codex.registry import REGISTRY, Registry
from hansang.apps.codex.settings import CodexSettings
from hansang.apps.codex.users import Rights, Users
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.mail import Mailer


class Codex:
    """The application: its parts on one database and one clock."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: CodexSettings | None = None,
        *,
        registry: Registry = REGISTRY,
        mailer: Mailer | None = None,
        rights: Rights = lambda name: None,
    ) -> None:
        """`rights` knows the accounts, where there are some."""
        self.settings = settings or CodexSettings()
        self.desk = Desk(database, clock, registry)
        self.posts = Posts(self.desk)
        self.drafts = Drafts(self.desk, self.posts)
        self.categories = Categories(self.desk, self.posts)
        self.users = Users(self.desk, rights)
        self.banners = Entities[Banner](self.desk, registry.of(Banner))
        self.company = Company(self.desk, registry.of(CorpInfo))
        self.notices = Notices(self.desk, self.settings, mailer)
        kept = self.settings.inquiry_days
        self.inquiries = Inquiries(self.desk, self.notices, timedelta(days=kept) if kept else None)
        self.reading = SiteReading(self.desk, self.posts, self.drafts)
        own: tuple[Entities[Any], ...] = (
            self.users,
            self.categories,
            self.posts,
            self.banners,
            self.company,
            self.inquiries,
        )
        self._verbs = {each.type.name: each for each in own}

    @property
    def registry(self) -> Registry:
        return self.desk.pipeline.registry

    def verbs(self, type_name: str) -> Entities[Any]:
        """The verbs of a type; one that nobody has written any for has those of every type (4-40)."""
        found = self._verbs.get(type_name)
        return found or Entities(self.desk, self.registry.get(type_name))
