"""The registry: a type that somebody adds has every verb, and the others are as they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from hansang.apps.codex.design import Created, FMWebApp, Saved
from hansang.apps.codex.entities import EditedBy
from hansang.apps.codex.registry import REGISTRY, EntityType
from hansang.apps.codex.service import Codex
from hansang.design import Attr, Database, Entity, Key, Query, pattern
from hansang.design.inputs import Title
from hansang.errors import Conflict, InvalidInput, NotFound
from hansang.parts.history import Actor
from hansang.parts.platform import Platform
from tests.clauses import clause
from tests.storing import examples, opened, stored
from tests.surfaces.shells import SetClock

BY = EditedBy(Actor("operator", "test", "Test"))


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(FMWebApp, Platform) as found:
        yield found


@pytest.fixture
def partner() -> Iterator[EntityType]:
    """A type of somebody's own, taken out of the table's design again afterwards."""

    class PartnerKey(Key["Partner"], pk="PARTNER#{id}", sk="METADATA"):
        id: Annotated[str, Attr("id")]

    class Partner(PartnerKey, Entity, table=FMWebApp, type="Partner"):
        """A company that we work with."""

        title: Title
        created_at: Created
        updated_at: Saved

        @pattern
        def latest(cls) -> Query[Partner]:
            """All partners, the newest first."""
            return cls.query(index=FMWebApp.type_created_at).descending()

    try:
        yield EntityType(Partner, "partners", "pt")
    finally:
        FMWebApp.shapes[:] = [each for each in FMWebApp.shapes if each.cls is not Partner]


@clause("4-39", "4-40", "X4-37", "4-12")
def test_a_new_type_is_a_class_and_a_line_and_touches_no_other(db: Database, partner: EntityType) -> None:
    codex = Codex(db, SetClock(), registry=REGISTRY.extended(partner))
    verbs = codex.verbs("Partner")
    made = verbs.create({"title": "두루빛"}, BY)
    [item] = stored(db, FMWebApp)
    assert (item["Type"], item["PK"]) == ({"S": "Partner"}, {"S": f"PARTNER#{made.subject.id}"})
    assert item["CreatedAt"] == item["UpdatedAt"] == {"S": "2096-10-02T07:06:40Z"}
    changed = verbs.replace(made.subject.id, {"title": "새 이름"}, made.etag, BY)
    with pytest.raises(Conflict):
        verbs.delete(made.subject.id, made.etag, BY)
    assert verbs.page().items == [changed.subject]
    verbs.delete(made.subject.id, changed.etag, BY)
    with pytest.raises(NotFound):
        verbs.get(made.subject.id)
    assert [each.name for each in REGISTRY] == [
        *("User", "Category", "Post", "Banner", "CorpInfo", "ContactInquiry")
    ]
    with pytest.raises(NotFound, match="Partner"):
        REGISTRY.get("Partner")


@clause("4-12", "X4-15", "X4-11")
@pytest.mark.parametrize("name", ["User", "Category", "Post", "Banner", "CorpInfo", "ContactInquiry"])
def test_every_type_passes_the_same_pipeline(db: Database, name: str) -> None:
    codex = Codex(db, SetClock())
    entity_type = codex.registry.get(name)
    printed = {each: value for each, value in examples("codex")[name].items() if each not in ("PK", "SK")}
    found = entity_type.document(entity_type.entity(_with_times(entity_type.read(printed))))
    assert found | printed == found
    with pytest.raises(InvalidInput, match=f"{name}.CreatedAt"):
        entity_type.read(printed | {"CreatedAt": "2025-11-14T03:00:00.123Z"})
    with pytest.raises(InvalidInput, match="unknown"):
        entity_type.read(printed | {"unknown": 1})
    with pytest.raises(InvalidInput, match="Type"):
        entity_type.read(printed | {"Type": "Other"})


def _with_times(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with a time of the last save, which the document's user lacks (X4-14)."""
    return {"updated_at": fields["created_at"], **fields}
