"""Who signs in is who writes: the account NAME of the shell is the user NAME of the site (X4-42)."""

from __future__ import annotations

from hansang.apps.codex.design import Role, User
from hansang.apps.codex.entities import AREA, EditedBy
from hansang.apps.codex.service import Codex
from hansang.apps.codex.users import USER_ROLES
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import Conflict
from hansang.parts import permissions
from hansang.parts.account_changes import AccountChange
from hansang.parts.history import Actor

_ACCOUNTS = Actor("server", "accounts", "Accounts")
_ROUNDS = 5


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
        set_role(codex, asking.name, own_role(asking), by)


def follow(database: Database, clock: Clock, change: AccountChange) -> None:
    """Give the user of an account the role that the account has now; who may sign in no more only reads."""
    set_role(Codex(database, clock), change.name, USER_ROLES[change.role(AREA)], EditedBy(_ACCOUNTS))


def set_role(codex: Codex, user_id: str, role: Role, by: EditedBy) -> None:
    """Give a user a role, if there is such a user with another one."""
    for _ in range(_ROUNDS):
        found = codex.users.find(user_id)
        if found is None or found[0].role == role:
            return
        given = {"displayName": found[0].display_name, "role": role}
        try:
            codex.users.replace(user_id, given, found[1], by)
        except Conflict:
            continue
        return
