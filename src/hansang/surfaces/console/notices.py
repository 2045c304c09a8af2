"""What one page asks the next one to say, carried in a cookie."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Undo:
    """The form that undoes what was just done: where it is sent with which fields, and the key of its label."""

    path: str
    fields: Mapping[str, str] = field(default_factory=dict)
    key: str = "frame.undo"


@dataclass(frozen=True, slots=True)
class Notice:
    """A line about what was just done, with a way to go from there if there is one."""

    text: str
    href: str = ""
    label: str = ""
    undo: str = ""
    """Where the form is sent that undoes it."""
    fields: dict[str, str] = field(default_factory=dict)
    """What that form sends."""

    def packed(self) -> str:
        """The notice as the value of a cookie."""
        return urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()


def unpacked(cookie: str | None) -> Notice | None:
    """The notice of a cookie, None if there is none or it is not one of ours."""
    try:
        notice = Notice(**json.loads(urlsafe_b64decode(cookie))) if cookie else None
    except (ValueError, TypeError):
        return None
    return notice if notice is None or _leads_nowhere_else(notice.undo) else None


def _leads_nowhere_else(path: str) -> bool:
    return not path or (path.startswith("/") and not path.startswith(("//", "/\\")))
