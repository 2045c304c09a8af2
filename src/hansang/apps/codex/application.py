"""The content application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application, CountAlarm
from hansang.apps.codex.agent_calls import AgentCall
from hansang.apps.codex.checks import check_category, check_post
from hansang.apps.codex.design import Category, Credentials, FMWebApp, Post, PostLocator, User
from hansang.apps.codex.editorial import CategoryGate, PostDraft, PostRevision, PostSlug, TrashedPost
from hansang.apps.codex.jobs import jobs
from hansang.apps.codex.migration.state import MigratedTable, MigrationState, MigrationTask
from hansang.apps.codex.pictures import LARGEST_PICTURE
from hansang.apps.codex.sample import fill
from hansang.apps.codex.settings import CodexSettings, is_public, site_host
from hansang.apps.codex.today import today
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.account_changes import AccountChange
from hansang.parts.words import Words
from hansang.parts.write_rules import application_only

_MIGRATION = application_only(
    Words(
        "/codex/migration이나 hansang codex migrate를 쓰십시오.",
        "Use /codex/migration or hansang codex migrate instead.",
    )
)
_POSTS = application_only(
    Words(
        "글 편집기나 글의 API를 쓰십시오: /codex, /api/codex/posts, hansang codex create Post.",
        "Use the editor or the posts instead: /codex, /api/codex/posts or hansang codex create Post.",
    )
)
_USERS = application_only(
    Words(
        "사용자 화면이나 사용자의 API를 쓰십시오: /codex/users, /api/codex/users, hansang codex create User.",
        "Use the page or the routes of users instead: /codex/users, /api/codex/users or hansang codex create User.",
    )
)
_CALLS = application_only(
    Words("에이전트의 호출은 저절로 기록됩니다.", "Calls of agents are written down by themselves.")
)
_DRAFTS = application_only(
    Words(
        "초안과 글의 API를 쓰십시오: /api/codex/drafts, /api/codex/posts.",
        "Use drafts and posts instead: /api/codex/drafts and /api/codex/posts.",
    )
)


def _follow_account(database: Database, clock: Clock, change: AccountChange) -> None:
    # Markdown takes a while to import, and an account changes seldom.
    from hansang.apps.codex.accounts import follow

    follow(database, clock, change)


APPLICATION = Application(
    name="codex",
    title=Words("콘텐츠", "Content"),
    summary=Words(
        "회사 사이트의 글과 분류, 배너, 회사 정보, 문의를 다룹니다.",
        "Posts, categories, banners, company information and inquiries of a company site.",
    ),
    short=Words("콘텐츠", "Content"),
    icon="file-text",
    tables=(FMWebApp,),
    writes={
        **dict.fromkeys((Post, PostLocator, CategoryGate), _POSTS),
        **dict.fromkeys((PostDraft, PostRevision, TrashedPost, PostSlug), _DRAFTS),
        User: _USERS,
        AgentCall: _CALLS,
        **dict.fromkeys((MigratedTable, MigrationState, MigrationTask), _MIGRATION),
    },
    checks={Post: check_post, Category: check_category},
    guarded=frozenset(
        {
            *(Credentials, AgentCall, MigratedTable, MigrationState, MigrationTask),
            *(PostDraft, PostRevision, TrashedPost),
        }
    ),
    settings=CodexSettings,
    public=is_public,
    site_host=site_host,
    jobs=jobs,
    on_account=_follow_account,
    alarms=(CountAlarm("failed", "Mails could not be sent, or posts could not be published at their time."),),
    fill=fill,
    today=today,
    api="hansang.apps.codex.api:ROUTES",
    pages="hansang.apps.codex.console:PAGES",
    commands="hansang.apps.codex.cli.commands:group",
    uploads={"/api/codex/pictures": LARGEST_PICTURE},
    words="hansang.apps.codex",
)
