"""The picture of a year's money: bands from the incomes through their sum to the kinds and their codes."""

from __future__ import annotations

from dataclasses import dataclass, field

from hansang.apps.assets.console.links import COLOURS
from hansang.apps.assets.years import FlowPart, Flows

WIDTH, HEIGHT = 1000, 560
_COLUMNS = (150, 350, 545, 800)
_BAR, _GAP, _TOP = 10, 11, 22


@dataclass(frozen=True, slots=True)
class FlowNode:
    """A bar with its words beside it."""

    part: FlowPart
    colour: str
    x: int
    y: float
    height: float
    is_before: bool = False
    """Whether the words stand before the bar."""


@dataclass(frozen=True, slots=True)
class FlowBand:
    """A band between two bars."""

    colour: str
    path: str
    part: FlowPart


@dataclass(frozen=True, slots=True)
class FlowPicture:
    """All of it, in units of its own."""

    nodes: list[FlowNode] = field(default_factory=list)
    bands: list[FlowBand] = field(default_factory=list)
    width: int = WIDTH
    height: int = HEIGHT


def flow_picture(flows: Flows) -> FlowPicture | None:
    """Where each bar and band lies; None if nothing came in and nothing went out."""
    out = sum(each.amount for each in flows.uses)
    total = max(flows.income, out)
    if not total:
        return None
    leaves = [leaf for use in flows.uses for leaf in use.parts]
    rows = max(len(flows.sources), len(leaves), len(flows.uses), 1)
    scale = (HEIGHT - 2 * _TOP - _GAP * (rows - 1)) / total
    picture = FlowPicture()
    middle = FlowNode(
        FlowPart("income", "", flows.income),
        "blue",
        _COLUMNS[1],
        (HEIGHT - total * scale) / 2,
        max(1.0, total * scale),
    )
    picture.nodes.append(middle)
    _sources(picture, flows.sources, middle, scale)
    _uses(picture, flows.uses, middle, scale)
    return picture


def _sources(picture: FlowPicture, parts: list[FlowPart], middle: FlowNode, scale: float) -> None:
    whole = sum(each.amount for each in parts) * scale + _GAP * (len(parts) - 1)
    y, at = (HEIGHT - whole) / 2, middle.y
    for part in parts:
        height = part.amount * scale
        picture.nodes.append(FlowNode(part, "blue", _COLUMNS[0], y, max(1.0, height), is_before=True))
        picture.bands.append(FlowBand("blue", _band(_COLUMNS[0] + _BAR, y, _COLUMNS[1], at, height), part))
        y, at = y + height + _GAP, at + height


def _uses(picture: FlowPicture, uses: list[FlowPart], middle: FlowNode, scale: float) -> None:
    y, at = float(_TOP), middle.y
    leaf_y = float(_TOP)
    for use in uses:
        colour, height = COLOURS[use.kind], use.amount * scale
        picture.nodes.append(FlowNode(use, colour, _COLUMNS[2], y, max(1.0, height)))
        picture.bands.append(FlowBand(colour, _band(_COLUMNS[1] + _BAR, at, _COLUMNS[2], y, height), use))
        inner = y
        for leaf in use.parts:
            size = leaf.amount * scale
            picture.nodes.append(FlowNode(leaf, colour, _COLUMNS[3], leaf_y, max(1.0, size)))
            band = _band(_COLUMNS[2] + _BAR, inner, _COLUMNS[3], leaf_y, size)
            picture.bands.append(FlowBand(colour, band, leaf))
            inner, leaf_y = inner + size, leaf_y + size + _GAP
        y, at = y + height + _GAP * max(1, len(use.parts) - 1), at + height


def _band(x: int, y: float, to_x: int, to_y: float, height: float) -> str:
    half = (x + to_x) / 2
    return (
        f"M{x} {y:.1f}C{half:.0f} {y:.1f} {half:.0f} {to_y:.1f} {to_x} {to_y:.1f}"
        f"V{to_y + height:.1f}C{half:.0f} {to_y + height:.1f} {half:.0f} {y + height:.1f} {x} {y + height:.1f}Z"
    )
