"""Who has changed an item while it was edited here: somebody else, or the same person in another window."""

from __future__ import annotations

from hansang.design import Table
from hansang.design.shape import Item
from hansang.parts.etags import digest
from hansang.parts.history import subject_of
from hansang.surfaces.console.pages import Visit


def who_changed(visit: Visit, table: type[Table], item: Item) -> str:
    """Says who made an item what it is now, and when, as far as the history knows."""
    last = next(iter(visit.shell.history.of_subject(subject_of(table, item), 1).items), None)
    if last is None or last.after_image is None or last.after_image.digest != digest(item):
        return visit.t("data.meanwhile.title")
    when = visit.formats.moment(last.moment)
    if (last.actor.kind, last.actor.name) == (visit.actor.kind, visit.actor.name):
        return visit.t("data.meanwhile.by_you", when=when)
    return visit.t("data.meanwhile.by_other", who=visit.actor_name(last.actor), when=when)
