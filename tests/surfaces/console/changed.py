"""Items that the tests of the history change."""

from __future__ import annotations

from datetime import UTC, datetime

from hansang.apps.codex.design import Banner, Credentials
from hansang.parts.history import Actor, Change
from hansang.surfaces.shell import Shell

AT = datetime(2026, 11, 15, tzinfo=UTC)
BANNER = Banner(
    id="b1",
    title="Autumn",
    desc="New this autumn",
    img_uri="/autumn.png",
    btn1_text="See",
    btn2_text="Buy",
    created_at=AT,
    updated_at=AT,
)
CREDENTIALS = Credentials(user_id="u1", password_hash="the-hash-itself")
OWNER = Actor("person", "owner", "Owner")


def created(shell: Shell) -> Change:
    """The change by which the banner came to be."""
    change = shell.editing.create(BANNER, OWNER).change
    assert change is not None
    return change


def retitled(shell: Shell, title: str) -> Change:
    """The change by which the banner got another title."""
    found = shell.editing.find(Banner, {"id": BANNER.id})
    assert found is not None
    banner, tag = found
    change = shell.editing.replace(banner.model_copy(update={"title": title}), tag, OWNER).change
    assert change is not None
    return change


def title_of(shell: Shell) -> str | None:
    """The title of the banner as it is now, None if there is no banner."""
    found = shell.editing.find(Banner, {"id": BANNER.id})
    return None if found is None else found[0].title
