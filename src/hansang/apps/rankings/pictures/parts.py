"""What pictures share: the row of facts, the change of a day, the mark, the round first letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hansang.apps.rankings.pictures.canvas import Canvas
from hansang.apps.rankings.pictures.palette import NEW, Palette


@dataclass(frozen=True, slots=True)
class CardFact:
    """A number and what it is; a change has an arrow before it."""

    label: str
    value: str
    share: float
    colour: str = ""
    arrow: int = 0


def change_fact(label: str, climbed: int | None, share: float, palette: Palette) -> CardFact:
    """The change of a day: shape and number, never the colour alone."""
    if climbed is None:
        return CardFact(label, NEW, share, palette.accent)
    if not climbed:
        return CardFact(label, "–", share, palette.faint)
    colour = palette.good if climbed > 0 else palette.bad
    return CardFact(label, f"{abs(climbed):,}", share, colour, climbed)


def draw_facts(
    canvas: Canvas,
    box: tuple[float, float, float, float],
    facts: Sequence[CardFact],
    sizes: tuple[int, int],
    palette: Palette,
) -> None:
    """Facts beside each other, with lines between them."""
    x, y, width, height = box
    small, large = sizes
    canvas.box(x, y, width, height, palette.raised, radius=large * 0.64)
    total, inner = sum(each.share for each in facts), large * 0.9
    for number, fact in enumerate(facts):
        room = width * fact.share / total
        if number:
            canvas.box(x, y + height * 0.16, 2, height * 0.68, palette.line)
        canvas.text(x + inner, y + height * 0.36, fact.label, small, palette.faint, widest=room - inner)
        at = x + inner + draw_arrow(canvas, x + inner, y + height * 0.74, large * 0.68, fact)
        left = x + room - at - inner / 2
        canvas.text(
            at, y + height * 0.74, fact.value, large, fact.colour or palette.ink, bold=True, widest=left
        )
        x += room


def draw_arrow(canvas: Canvas, x: float, y: float, size: float, fact: CardFact) -> float:
    """The triangle of a change; how much room it takes."""
    if not fact.arrow:
        return 0.0
    top, base = (y - size, y) if fact.arrow > 0 else (y, y - size)
    canvas.shape([(x + size * 0.55, top), (x + size * 1.1, base), (x, base)], fact.colour)
    return size * 1.5


def draw_letter(canvas: Canvas, x: float, y: float, radius: float, name: str, palette: Palette) -> None:
    """The first letter of a name in a circle around a place."""
    size = round(radius * 0.88)
    canvas.circle(x, y, radius, palette.weak)
    canvas.text(x, y + size * 0.37, name[:1], size, palette.accent, bold=True, align="middle")


def draw_mark(canvas: Canvas, x: float, y: float, size: float, palette: Palette) -> None:
    """The table with its bowls."""
    part = size / 32
    canvas.box(x, y, size, size, palette.accent, radius=9 * part)
    for left, right, top, depth in ((12.2, 19.8, 11, 3.8), (6, 10.6, 14, 2.3), (21.4, 26, 14, 2.3)):
        middle = (left + right) / 2
        points = [(left, top), (right, top), (middle + depth * 0.7, top + depth * 0.8)]
        points += [(middle, top + depth), (middle - depth * 0.7, top + depth * 0.8)]
        canvas.shape([(x + a * part, y + b * part) for a, b in points], "#ffffff")
    for path in (((6, 18.8), (26, 18.8)), ((9.6, 19.2), (7.8, 25.4)), ((22.4, 19.2), (24.2, 25.4))):
        canvas.line([(x + a * part, y + b * part) for a, b in path], 2.4 * part, "#ffffff")
