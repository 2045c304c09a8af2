"""A sheet to draw on: everything is drawn at twice its size, so that lines come out smooth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import pairwise
from math import hypot
from typing import Literal

from PIL import Image, ImageDraw

from hansang.apps.rankings.pictures.fonts import Fonts

Point = tuple[float, float]
Align = Literal["left", "middle", "right"]
_SCALE = 2
_ANCHORS: dict[Align, str] = {"left": "ls", "middle": "ms", "right": "rs"}


class Canvas:
    """A picture that is being drawn; texts stand on their base line."""

    def __init__(self, width: int, height: int, ground: str, fonts: Fonts) -> None:
        self.width, self.height, self.fonts = width, height, fonts
        self._image = Image.new("RGB", (width * _SCALE, height * _SCALE), ground)
        self._draw = ImageDraw.Draw(self._image)

    def png(self) -> bytes:
        """The picture as a file."""
        out = BytesIO()
        self._image.reduce(_SCALE).save(out, "PNG")
        return out.getvalue()

    # ── texts ─────────────────────────────────────────────────────────────────────────────────────

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: int,
        colour: str,
        *,
        bold: bool = False,
        align: Align = "left",
        widest: float | None = None,
    ) -> float:
        """Write a line, cut to a width if there is one; how wide it is."""
        shown = text if widest is None else self.fitted(text, size, widest, bold=bold)
        face = self.fonts.face(size * _SCALE, bold=bold)
        self._draw.text((x * _SCALE, y * _SCALE), shown, colour, face, anchor=_ANCHORS[align])
        return self.measure(shown, size, bold=bold)

    def measure(self, text: str, size: int, *, bold: bool = False) -> float:
        """How wide a text is."""
        return float(self.fonts.face(size * _SCALE, bold=bold).getlength(text)) / _SCALE

    def fitted(self, text: str, size: int, widest: float, *, bold: bool = False) -> str:
        """As much of a text as there is room for."""
        if self.measure(text, size, bold=bold) <= widest:
            return text
        dots = "…" if self.fonts.can_write("…") else "..."
        while text and self.measure(text + dots, size, bold=bold) > widest:
            text = text[:-1]
        return text + dots

    # ── shapes ────────────────────────────────────────────────────────────────────────────────────

    def box(self, x: float, y: float, width: float, height: float, colour: str, *, radius: float = 0) -> None:
        corners = [x * _SCALE, y * _SCALE, (x + width) * _SCALE - 1, (y + height) * _SCALE - 1]
        self._draw.rounded_rectangle(corners, radius * _SCALE, colour)

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        self._draw.circle((x * _SCALE, y * _SCALE), radius * _SCALE, colour)

    def shape(self, points: Sequence[Point], colour: str) -> None:
        """A filled shape with these corners."""
        self._draw.polygon([(x * _SCALE, y * _SCALE) for x, y in points], colour)

    def line(self, points: Sequence[Point], width: float, colour: str) -> None:
        """A line through points, with round ends; of one point a dot."""
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        if len(scaled) > 1:
            self._draw.line(scaled, colour, round(width * _SCALE), joint="curve")
        for x, y in (points[0], points[-1]):
            self.circle(x, y, width / 2, colour)

    def dotted(self, points: Sequence[Point], width: float, gap: float, colour: str) -> None:
        """A row of dots along points."""
        for x, y in _along(points, gap):
            self.circle(x, y, width / 2, colour)


def _along(points: Sequence[Point], gap: float) -> Iterable[Point]:
    """Places on the way through points, evenly apart."""
    yield points[0]
    left = gap
    for (x, y), (to_x, to_y) in pairwise(points):
        length, at = hypot(to_x - x, to_y - y), left
        while at <= length:
            yield x + (to_x - x) * at / length, y + (to_y - y) * at / length
            at += gap
        left = at - length
