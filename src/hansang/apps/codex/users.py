"""Those who write for the site; the user of an account has the role of the account (X4-42)."""

from __future__ import annotations

from collections.abc import Callable

from hansang.apps.codex.design import Role, User
from hansang.apps.codex.entities import AREA, Desk, EditedBy, Entities
from hansang.apps.codex.pipeline import Given
from hansang.errors import InvalidInput
from hansang.parts import permissions
from hansang.parts.editing import Edit

USER_ROLES: dict[permissions.Role | None, Role] = {
    "owner": "admin",
    "editor": "editor",
    "viewer": "viewer",
    None: "viewer",
}
"""What the role of an account is as `User.role`."""

Rights = Callable[[str], frozenset[str] | None]
"""What the account of a name may do, None if there is none."""


class Users(Entities[User]):
    """The verbs of users."""

    def __init__(self, desk: Desk, rights: Rights) -> None:
        super().__init__(desk, desk.pipeline.registry.of(User))
        self._rights = rights

    def create(self, given: Given, by: EditedBy) -> Edit[User]:
        """A new user, or AlreadyExists."""
        self._expect_role(str(self.type.read(given).get("id") or ""), given)
        return super().create(given, by)

    def replace(self, entity_id: str, given: Given, tag: str, by: EditedBy) -> Edit[User]:
        """Another name or role in place of those with this tag."""
        self._expect_role(entity_id, given)
        return super().replace(entity_id, given, tag, by)

    def _expect_role(self, user_id: str, given: Given) -> None:
        """Refuse another role than that of the account."""
        rights, role = self._rights(user_id), self.type.read(given).get("role")
        if rights is not None and role != USER_ROLES[permissions.role_in(rights, AREA)]:
            raise InvalidInput(
                "The role of this user is that of the account with the same name. "
                "Change the account under Administration.",
                "role",
                code="codex.role-of-account",
            )
