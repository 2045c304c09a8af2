"""What the bot answers with, as pictures of 1000 × 560: a player, several side by side, the first of a board."""

from __future__ import annotations

from collections.abc import Sequence

from hansang.apps.rankings.amounts import change_text, score_text
from hansang.apps.rankings.boards import OfficialRow
from hansang.apps.rankings.cards import SharedCard
from hansang.apps.rankings.design import Board, SnapshotDay
from hansang.apps.rankings.pictures import palette as words
from hansang.apps.rankings.pictures.canvas import Align, Canvas
from hansang.apps.rankings.pictures.fonts import Fonts
from hansang.apps.rankings.pictures.palette import BOARD_NAMES, DARK, day_text, name_text, rank_text
from hansang.apps.rankings.pictures.parts import CardFact, change_fact, draw_arrow, draw_facts, draw_letter
from hansang.apps.rankings.pictures.rank_lines import Plane, draw_end, draw_gaps, draw_line
from hansang.parts.words import Language

WIDTH, HEIGHT = 1000, 560
_SIDE = 40
_RIGHT = WIDTH - _SIDE
_AXIS = 92
"""Where the plane begins, right of the ranks that it is marked with."""


def draw_profile(card: SharedCard, language: Language, fonts: Fonts) -> bytes:
    """A player with the ranks of thirty days."""
    spoken: Language = language if fonts.has_hangul else "en"
    canvas = Canvas(WIDTH, HEIGHT, DARK.ground, fonts)
    name = name_text(card.name, card.uuid, fonts)
    draw_letter(canvas, _SIDE + 32, 67, 32, name, DARK)
    left = _place(canvas, card, spoken)
    canvas.text(122, 82, name, 38, DARK.ink, bold=True, widest=left - 122 - 24)
    draw_facts(canvas, (_SIDE, 118, WIDTH - 2 * _SIDE, 91), _facts(card, spoken), (17, 25), DARK)
    plane = Plane.around((_AXIS, 245, _RIGHT - 20 - _AXIS, 219), [card.days])
    _axes(canvas, plane, card, spoken)
    draw_gaps(canvas, plane, card.days, DARK.gap)
    at = draw_line(canvas, plane, card.days, 3.6, DARK.series[0])
    draw_end(canvas, at, 7, DARK.series[0], DARK)
    text_y = at[1] - 14 if at[1] - plane.y > 30 else at[1] + 30
    canvas.text(_RIGHT, text_y, rank_text(card.rank, spoken), 20, DARK.ink, bold=True, align="right")
    board = BOARD_NAMES[card.board].text(spoken)
    _foot(canvas, f"{words.LAST_DAYS.text(spoken)} · {board}", card.day, spoken)
    return canvas.png()


def draw_comparison(cards: Sequence[SharedCard], language: Language, fonts: Fonts) -> bytes:
    """Players side by side: each with a colour, the rank of now, and thirty days."""
    spoken: Language = language if fonts.has_hangul else "en"
    canvas = Canvas(WIDTH, HEIGHT, DARK.ground, fonts)
    room = (WIDTH - 2 * _SIDE) / len(cards)
    for number, card in enumerate(cards):
        _compared(canvas, _SIDE + number * room, room - 16, card, DARK.series[number], spoken)
    plane = Plane.around((_AXIS, 150, _RIGHT - 20 - _AXIS, 314), [card.days for card in cards])
    _axes(canvas, plane, cards[0], spoken)
    for number in range(len(cards) - 1, -1, -1):
        at = draw_line(canvas, plane, cards[number].days, 3.6, DARK.series[number])
        draw_end(canvas, at, 7, DARK.series[number], DARK)
    board = BOARD_NAMES[cards[0].board].text(spoken)
    _foot(canvas, f"{words.LAST_DAYS.text(spoken)} · {board}", cards[0].day, spoken)
    return canvas.png()


def draw_board(
    board: Board, day: SnapshotDay, rows: Sequence[tuple[OfficialRow, bool]], language: Language, fonts: Fonts
) -> bytes:
    """The first of a board, each with a bar; of a hidden one, the bar alone."""
    spoken: Language = language if fonts.has_hangul else "en"
    canvas = Canvas(WIDTH, HEIGHT, DARK.ground, fonts)
    label = f"{BOARD_NAMES[board].text(spoken)} {words.OFFICIAL.text(spoken)}"
    canvas.text(_SIDE, 66, label, 30, DARK.ink, bold=True)
    highest = max((row.score for row, _ in rows), default=1) or 1
    for number, (row, is_hidden) in enumerate(rows):
        y = 118 + number * 41
        name = "–" if is_hidden else name_text(row.name, row.uuid, fonts)
        canvas.text(_SIDE + 44, y, f"{row.rank:,}", 22, DARK.faint, bold=True, align="right")
        canvas.text(_SIDE + 62, y, name, 22, DARK.ink, bold=number < 3, widest=290)
        canvas.box(_SIDE + 370, y - 18, max(6, 360 * row.score // highest), 22, DARK.weak, radius=5)
        shown = score_text(row.score, spoken) if board == "power" else f"{row.score:,}"
        canvas.text(_RIGHT, y, shown, 22, DARK.ink, bold=True, align="right")
    _foot(canvas, "", day, spoken)
    return canvas.png()


def _place(canvas: Canvas, card: SharedCard, language: Language) -> float:
    """The rank of now and the change of a day, at the right; where they begin."""
    move = change_fact("", card.climbed, 1, DARK)
    arrow = 24 * 0.68 * 1.5 if move.arrow else 0.0
    x = _RIGHT - canvas.measure(move.value, 24, bold=True) - arrow
    fact_x = x + draw_arrow(canvas, x, 86, 24 * 0.68, move)
    canvas.text(fact_x, 87, move.value, 24, move.colour, bold=True)
    rank = rank_text(card.rank, language)
    x -= 14 + canvas.measure(rank, 44, bold=True)
    canvas.text(x, 87, rank, 44, DARK.accent, bold=True)
    kind = (words.OFFICIAL if card.now.is_official else words.COMPUTED).text(language).split(" ")[0]
    x -= 14 + canvas.measure(kind, 22)
    canvas.text(x, 87, kind, 22, DARK.soft)
    return x


def _facts(card: SharedCard, language: Language) -> list[CardFact]:
    grown = card.grown or 0
    colour = DARK.good if grown > 0 else DARK.bad if grown < 0 else DARK.faint
    return [
        CardFact(BOARD_NAMES["power"].text(language), score_text(card.power, language), 1.2),
        CardFact(BOARD_NAMES["level"].text(language), f"{card.level:,}", 0.7),
        CardFact(words.GROWTH.text(language), change_text(grown, language), 1.2, colour),
        CardFact(words.BEST.text(language), rank_text(card.best, language), 0.9),
    ]


def _compared(
    canvas: Canvas, x: float, room: float, card: SharedCard, colour: str, language: Language
) -> None:
    canvas.box(x, 34, room, 90, DARK.raised, radius=14)
    canvas.circle(x + 22, 62, 7, colour)
    name = name_text(card.name, card.uuid, canvas.fonts)
    canvas.text(x + 38, 69, name, 19, DARK.ink, bold=True, widest=room - 48)
    canvas.text(x + 16, 107, rank_text(card.rank, language), 25, colour, bold=True, widest=room - 24)


def _axes(canvas: Canvas, plane: Plane, card: SharedCard, language: Language) -> None:
    """Lines with their ranks, and days below."""
    if plane.zone:
        canvas.box(plane.x, plane.y, plane.width, plane.zone, DARK.zone)
        if plane.zone > 26:
            canvas.text(plane.x + 8, plane.y + 20, words.INSIDE.text(language), 16, DARK.accent, bold=True)
    for part in range(3):
        rank = plane.first + (plane.last - plane.first) * part // 2
        y = plane.down(rank)
        canvas.box(plane.x, y, plane.width, 1, DARK.line)
        canvas.text(plane.x - 10, y + 6, rank_text(rank, language), 16, DARK.faint, align="right")
    days = card.days
    for number in (0, len(days) // 2, len(days) - 1):
        day = days[number].day
        align: Align = "right" if number == len(days) - 1 else "middle"
        at = _RIGHT if number == len(days) - 1 else plane.across(number)
        canvas.text(at, plane.y + plane.height + 22, f"{day.month}/{day.day}", 16, DARK.faint, align=align)


def _foot(canvas: Canvas, about: str, day: SnapshotDay, language: Language) -> None:
    canvas.text(_SIDE, 528, about, 16, DARK.faint)
    text = f"{words.BRAND.text(language)} · {day_text(day.day, language)}"
    canvas.text(_RIGHT, 528, text, 16, DARK.faint, align="right")
