"""Ranks over days as lines: the first rank is up, official days are solid, computed ones dotted, missing ones a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from hansang.apps.rankings.cards import CardDay
from hansang.apps.rankings.pictures.canvas import Canvas, Point
from hansang.apps.rankings.pictures.palette import Palette
from hansang.apps.rankings.rules import OFFICIAL as LAST_OFFICIAL

_EDGE = 8
"""Lines stay so far from the upper and the lower edge."""


@dataclass(frozen=True, slots=True)
class Plane:
    """A part of a picture, and the ranks and days that it shows."""

    x: float
    y: float
    width: float
    height: float
    first: int
    last: int
    days: int

    @classmethod
    def around(cls, box: tuple[float, float, float, float], lines: Sequence[Sequence[CardDay]]) -> Plane:
        """A plane with room for every rank of some lines."""
        ranks = [day.rank for line in lines for day in line if day.rank is not None]
        best, worst = min(ranks), max(ranks)
        room = max(2, (worst - best) // 5)
        return cls(*box, max(1, best - room), worst + room, max(map(len, lines)))

    def down(self, rank: float) -> float:
        """How far down a rank is."""
        part = (rank - self.first) / (self.last - self.first)
        return self.y + _EDGE + (self.height - 2 * _EDGE) * min(1.0, max(0.0, part))

    def across(self, number: float) -> float:
        """Where a day is."""
        return self.x + self.width * number / max(1, self.days - 1)

    @property
    def zone(self) -> float:
        """How high the part of the official ranks is; nothing if none of it is shown."""
        return self.down(LAST_OFFICIAL) - self.y if self.first <= LAST_OFFICIAL else 0.0


def draw_gaps(canvas: Canvas, plane: Plane, days: Sequence[CardDay], colour: str) -> None:
    """A bar for every day without a snapshot that lies between days with one."""
    known = [number for number, day in enumerate(days) if day.rank is not None]
    half = plane.width / max(1, plane.days - 1) / 2
    for number in range(known[0], known[-1]):
        if days[number].rank is None:
            at = plane.across(number)
            canvas.box(at - half, plane.y, 2 * half, plane.height, colour)


def draw_line(canvas: Canvas, plane: Plane, days: Sequence[CardDay], width: float, colour: str) -> Point:
    """The line of one player; where it ends."""
    last: Point = plane.x, plane.y
    for is_known, run in groupby(enumerate(days), key=lambda each: each[1].rank is not None):
        if is_known:
            last = _draw_run(canvas, plane, list(run), width, colour)
    return last


def _draw_run(
    canvas: Canvas, plane: Plane, run: Sequence[tuple[int, CardDay]], width: float, colour: str
) -> Point:
    """Days without a gap; a step is solid if it leads to an official rank."""
    points = [(plane.across(number), plane.down(day.rank or 0)) for number, day in run]
    if len(points) == 1:
        canvas.circle(*points[0], width / 2, colour)
    steps = [(pair, run[place + 1][1].is_official) for place, pair in enumerate(pairwise(points))]
    for is_solid, part in groupby(steps, key=lambda each: each[1]):
        pairs = [pair for pair, _ in part]
        path = [pairs[0][0], *(to for _, to in pairs)]
        if is_solid:
            canvas.line(path, width, colour)
        else:
            canvas.dotted(path, width, 2.4 * width, colour)
    return points[-1]


def draw_end(canvas: Canvas, at: Point, radius: float, colour: str, palette: Palette) -> None:
    """The dot of the newest day."""
    canvas.circle(*at, radius + 3, palette.ground)
    canvas.circle(*at, radius, colour)
