"""Who signs in is who writes: the account NAME of the shell is the user NAME of the site (X4-42)."""

from __future__ import annotations

from hansang.apps.codex.design import Role, User
from hansang.apps.codex.entities import AREA, EditedBy
from hansang.apps.codex.service import Codex
from hansang.errors import InvalidInput
from hansang.parts import permissions

USER_ROLES: dict[permissions.Role | None, Role] = {
    "owner": "admin",
    "editor": "editor",
    "viewer": "viewer",
    None: "viewer",
}
"""What the role of an account is as `User.role`."""


def own_user(codex: Codex, asking: permissions.Principal) -> User | None:
    """The user of whoever has signed in, if there is one."""
    found = codex.users.find(asking.name)
    return None if found is None else found[0]


def own_role(asking: permissions.Principal) -> Role:
    """The role that the user of whoever has signed in has to have."""
    return USER_ROLES[asking.role(AREA)]


def join(codex: Codex, asking: permissions.Principal, by: EditedBy) -> None:
    """Make whoever has signed in a user with the role of the account."""
    if codex.users.find(asking.name) is None:
        given = {"id": asking.name, "displayName": asking.shown, "role": own_role(asking)}
        codex.users.create(given, by)
    else:
        follow_account(codex, asking, by)


def follow_account(codex: Codex, asking: permissions.Principal, by: EditedBy) -> None:
    """Give the user of whoever has signed in the role that the account has now."""
    found = codex.users.find(asking.name)
    if found is not None and found[0].role != own_role(asking):
        given = {"displayName": found[0].display_name, "role": own_role(asking)}
        codex.users.replace(asking.name, given, found[1], by)


def expect_own_role(asking: permissions.Principal, user_id: str, role: str) -> None:
    """Refuse another role than that of the account for one's own user."""
    if user_id == asking.name and role != own_role(asking):
        raise InvalidInput(
            "This is your own user, whose role is that of your account. Change the account under Administration.",
            "role",
            code="codex.role-of-account",
        )
