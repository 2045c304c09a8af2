"""Categories, posts and the rest for the tests of the company site."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hansang.apps.codex.design import Banner, Category, ContactInquiry, CorpInfo, Post, User

NOON = datetime(2025, 11, 14, 3, tzinfo=UTC)
"""Noon in Seoul."""


def user(number: int = 1) -> User:
    moment = NOON + timedelta(minutes=number)
    return User(
        id=f"u{number:03d}", display_name="김대연", role="admin", created_at=moment, updated_at=moment
    )


def category(number: int = 1) -> Category:
    moment = NOON + timedelta(minutes=number)
    return Category(
        id=f"c{number:03d}", title="회사 소식", desc="보도자료 및 공지", created_at=moment, updated_at=moment
    )


def post(number: int = 1, category_id: str = "c001") -> Post:
    moment = NOON + timedelta(minutes=number)
    return Post(
        category_id=category_id,
        id=f"p{number:03d}",
        author_id="u001",
        title="2025년 3월 사업보고서",
        contents="Markdown contents...",
        created_at=moment,
        updated_at=moment,
    )


def banner(number: int = 1) -> Banner:
    moment = NOON + timedelta(minutes=number)
    return Banner(
        id=f"bn{number:03d}",
        title="2025 신규 프로젝트",
        desc="지금 문의하기",
        img_uri=f"https://cdn.fm-web/banner/bn{number:03d}.png",
        btn1_text="자세히 보기",
        btn2_text="문의하기",
        created_at=moment,
        updated_at=moment,
    )


def company() -> CorpInfo:
    return CorpInfo(
        name="패밀리매니지먼트",
        address="서울특별시",
        email="contact@family.com",
        fax="+82-2-000-0000",
        corp_num="123-45-67890",
        created_at=NOON,
        updated_at=NOON,
    )


def inquiry(number: int = 1) -> ContactInquiry:
    moment = NOON + timedelta(minutes=number)
    return ContactInquiry(
        id=f"inq{number:03d}",
        name="홍길동",
        email="user@example.com",
        company="패밀리매니지먼트",
        title="팀장",
        referral="search",
        subject="협업 문의",
        message="협업 관련해서 문의드립니다.",
        notified_email="contact@family.com",
        created_at=moment,
        updated_at=moment,
    )
