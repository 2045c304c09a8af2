"""A design with parts of fields, codecs of its own, unions, projections and buckets, for type checkers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from hansang.design import GSI, Entity, Key, Query, Serialized, Table, Timestamp, View, attr, pattern


@dataclass(frozen=True)
class Colour:
    code: str


Hue = Annotated[Colour, Serialized(str, lambda colour: colour.code, Colour)]


class Card(BaseModel):
    kind: Literal["card"] = "card"
    number: str


class Cash(BaseModel):
    kind: Literal["cash"] = "cash"
    coins: int = 0


class Place(BaseModel):
    city: str
    floor: int = 1


class Fair(Table, name="Fair"):
    by_mood = GSI("ByMood", pk=("who", "mood"), sk=("score", "SK"))


class StallKey(Key["Stall"], pk="STALL#{id}", sk="METADATA"):
    id: UUID


class Stall(StallKey, Entity, table=Fair):
    name: str
    hue: Hue
    place: Place
    store: Place | None = None
    prices: list[int] = Field(default_factory=list)
    sold: dict[str, int] = Field(default_factory=dict)
    paid: Annotated[Card | Cash, Field(discriminator="kind")]

    @pattern
    def one(cls, id: UUID) -> Query[Stall]:  # noqa: A002
        """A stall."""
        return cls.query(Stall.id == id)


class StallName(StallKey, View, of=Stall):
    name: str


class VisitKey(Key["Visit"], pk="VISIT#{stall}#{at:%Y-%m}", sk="{at}"):
    stall: UUID
    at: Timestamp


class Visit(VisitKey, Entity, table=Fair):
    who: str
    mood: str = "good"
    score: int = 0

    @pattern
    def between(cls, stall: UUID, first: datetime, last: datetime) -> Query[Visit]:
        """The visits of a stretch of time."""
        return cls.query(Visit.stall == stall, attr(Visit.at).between(first, last))
