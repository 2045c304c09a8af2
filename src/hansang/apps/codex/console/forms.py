"""Forms of the content that are sent by hand: what was typed, and what is said of what was refused."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hansang.errors import HansangError, InvalidInput
from hansang.surfaces.console.pages import Visit


def refused_words(visit: Visit, refused: HansangError) -> str:
    """Why something was refused, in the language of whoever looks."""
    return visit.worded(str(refused), refused.code, refused.values)


def wrong_fields(visit: Visit, refused: HansangError) -> dict[str, str]:
    """What is said beside which attribute; without one, above the form."""
    field = refused.field if isinstance(refused, InvalidInput) and refused.field else ""
    return {field: refused_words(visit, refused)}


def given_moment(visit: Visit, name: str) -> datetime | None:
    """A moment of a form, on the clocks of whoever looks; None for an empty or unreadable one."""
    try:
        local = datetime.fromisoformat(visit.given(name))
    except ValueError:
        return None
    return local.replace(tzinfo=visit.formats.zone, second=0, microsecond=0)


def moment_text(visit: Visit, moment: datetime | None) -> str:
    """A moment as the input of a form has it."""
    return "" if moment is None else f"{moment.astimezone(visit.formats.zone):%Y-%m-%dT%H:%M}"


def given_texts(visit: Visit, names: dict[str, str]) -> dict[str, Any]:
    """Texts of a form by the names of their attributes."""
    return {attribute: visit.given(name).replace("\r\n", "\n") for name, attribute in names.items()}
