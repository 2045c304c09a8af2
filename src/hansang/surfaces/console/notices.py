"""What one page asks the next one to say, carried in a cookie."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """A line about what was just done, with a way to go from there if there is one."""

    text: str
    href: str = ""
    label: str = ""

    def packed(self) -> str:
        """The notice as the value of a cookie."""
        return urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()


def unpacked(cookie: str | None) -> Notice | None:
    """The notice of a cookie, None if there is none or it is not one of ours."""
    try:
        return Notice(**json.loads(urlsafe_b64decode(cookie))) if cookie else None
    except (ValueError, TypeError):
        return None
