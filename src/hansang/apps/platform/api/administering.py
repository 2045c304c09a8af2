"""Administration on behalf of whoever asks the API."""

from __future__ import annotations

from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.administration import Administration
from hansang.parts.permissions import Principal
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell


def administered(shell: Shell, principal: Principal) -> Administration:
    """What this one may do to people and keys."""
    return Administration(accounts_of(shell.identity), shell.history, shell.names, principal, current.get())
