"""The company site as routes."""

from __future__ import annotations

from hansang.apps.codex.api.agents import AgentRoutes
from hansang.apps.codex.api.categories import CategoryRoutes
from hansang.apps.codex.api.company import CompanyRoutes
from hansang.apps.codex.api.documents import BannerRoutes, UserRoutes
from hansang.apps.codex.api.drafts import DraftRoutes
from hansang.apps.codex.api.inquiries import InquiryRoutes
from hansang.apps.codex.api.pictures import PictureRoutes
from hansang.apps.codex.api.posts import PostRoutes
from hansang.apps.codex.api.types import TypeRoutes

ROUTES = (
    UserRoutes,
    CategoryRoutes,
    PostRoutes,
    DraftRoutes,
    BannerRoutes,
    CompanyRoutes,
    InquiryRoutes,
    PictureRoutes,
    TypeRoutes,
    AgentRoutes,
)
