"""Indexes whose key has several attributes, on the data pages."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode
from uuid import UUID

import pytest

from hansang.apps.application import Application
from hansang.parts.words import Words
from hansang.surfaces.shell import Shell
from tests.checked.fair import Fair, Visit
from tests.surfaces.console.browsers import Page
from tests.surfaces.console.conftest import Visitor

TABLE = "/data/fair/tables/Fair"
FAIR = Application(
    name="fair",
    title=Words("장터", "Fair"),
    summary=Words("가게와 손님", "Stalls and visits"),
    icon="store",
    tables=(Fair,),
)


@pytest.fixture
def applications() -> tuple[Application, ...]:
    return (FAIR,)


def at(**asked: str) -> str:
    names = {"mood": "key.mood", "SK": "key.SK"}
    return f"{TABLE}?{urlencode({'index': 'ByMood', **{names.get(name, name): text for name, text in asked.items()}})}"


def items(page: Page) -> list[str]:
    return [each for each in page.links if each.startswith(f"{TABLE}/item?")]


def test_an_index_of_several_attributes_is_chosen_searched_and_leads_to_its_items(
    visitor: Visitor, shell: Shell
) -> None:
    for score in range(3):
        visit = Visit(
            stall=UUID(int=1),
            at=datetime(2026, 1, 1, score, tzinfo=UTC),
            who="민지",
            mood="good",
            score=score,
        )
        shell.database.put(visit)
        shell.database.put(visit.model_copy(update={"stall": UUID(int=2), "mood": "bad"}))
    owner = visitor("owner", "en")
    entrance = owner.get("/data/fair")
    assert f"{TABLE}?index=ByMood" in entrance.links
    assert "who mood" in " ".join(entrance.shown.split())
    assert len(set(items(owner.get(at())))) == 6
    found = owner.get(at(partition="민지", mood="good", sort="1", sign=">="))
    assert (found.status, found.faults, found.doubled_ids) == (200, [], [])
    assert len(set(items(found))) == 2
    assert [own["value"] for own in found.all("input", id="f-partition2")] == ["good"]
    assert found.all("input", type="hidden", name="key.mood")
    assert "2026-01-01T01:00:00Z" in owner.get(items(found)[0]).shown
    one = at(partition="민지", mood="good", sort="1", SK="2026", sign="begins_with", limit="10")
    assert len(set(items(owner.get(one)))) == 1
    for asked, missing in ((at(partition="민지"), "mood"), (at(partition="a", mood="b", SK="c"), "score")):
        half = owner.get(asked)
        assert f"A value of {missing} is needed" in half.shown
        assert half.all("input", **{"aria-invalid": "true"})
    assert "The value of score does not match" in owner.get(at(partition="a", mood="b", sort="c")).shown
