"""The card of a player as a picture of 1200 × 630, for links that are shared."""

from __future__ import annotations

from hansang.apps.rankings.amounts import change_text, score_text
from hansang.apps.rankings.cards import SharedCard
from hansang.apps.rankings.pictures import palette as words
from hansang.apps.rankings.pictures.canvas import Canvas
from hansang.apps.rankings.pictures.fonts import Fonts
from hansang.apps.rankings.pictures.palette import (
    BOARD_NAMES,
    LIGHT,
    count_text,
    day_text,
    name_text,
    rank_text,
)
from hansang.apps.rankings.pictures.parts import CardFact, change_fact, draw_facts, draw_letter, draw_mark
from hansang.apps.rankings.pictures.rank_lines import Plane, draw_end, draw_gaps, draw_line
from hansang.parts.words import Language

WIDTH, HEIGHT = 1200, 630
_SIDE = 56
_INNER = WIDTH - 2 * _SIDE


def draw_card(card: SharedCard, language: Language, fonts: Fonts) -> bytes:
    """The picture: one number at arm's length, five facts, thirty days, and the date."""
    spoken: Language = language if fonts.has_hangul else "en"
    canvas = Canvas(WIDTH, HEIGHT, LIGHT.ground, fonts)
    canvas.box(0, 0, WIDTH, 12, LIGHT.accent)
    _head(canvas, card, spoken)
    draw_facts(canvas, (_SIDE, 218, _INNER, 115), _facts(card, spoken), (20, 31), LIGHT)
    _course(canvas, card, spoken)
    draw_mark(canvas, _SIDE, 554, 36, LIGHT)
    canvas.text(_SIDE + 48, 580, words.BRAND.text(spoken), 21, LIGHT.ink, bold=True)
    as_of = f"{day_text(card.day.day, spoken)} · {count_text(card.of, spoken)}"
    canvas.text(WIDTH - _SIDE, 580, as_of, 21, LIGHT.faint, align="right")
    return canvas.png()


def _head(canvas: Canvas, card: SharedCard, language: Language) -> None:
    name = name_text(card.name, card.uuid, canvas.fonts)
    draw_letter(canvas, _SIDE + 56, 126, 56, name, LIGHT)
    kind = words.OFFICIAL if card.now.is_official else words.COMPUTED
    label = f"{BOARD_NAMES[card.board].text(language)} {kind.text(language)}"
    canvas.text(WIDTH - _SIDE, 83, label, 23, LIGHT.faint, align="right")
    taken = max(_rank(canvas, card.rank, language), canvas.measure(label, 23))
    room = _INNER - 138 - taken - 30
    former = [each for each in card.former if each.isprintable() and canvas.fonts.can_write(each)]
    canvas.text(_SIDE + 138, 133 if former else 148, name, 60, LIGHT.ink, bold=True, widest=room)
    if former:
        line = f"{words.FORMER.text(language)} {' · '.join(former)}"
        canvas.text(_SIDE + 138, 170, line, 23, LIGHT.faint, widest=room)


def _rank(canvas: Canvas, rank: int, language: Language) -> float:
    """The rank as large as there is room for; how wide it is."""
    digits = f"{rank:,}"
    size = 104 if len(digits) <= 4 else 84 if len(digits) <= 7 else 64
    if language == "en":
        return canvas.text(WIDTH - _SIDE, 186, f"#{digits}", size, LIGHT.accent, bold=True, align="right")
    unit = canvas.text(WIDTH - _SIDE, 186, "위", 46, LIGHT.accent, bold=True, align="right")
    at = WIDTH - _SIDE - unit - 4
    return unit + 4 + canvas.text(at, 186, digits, size, LIGHT.accent, bold=True, align="right")


def _facts(card: SharedCard, language: Language) -> list[CardFact]:
    grown = card.grown or 0
    return [
        change_fact(words.DAY_CHANGE.text(language), card.climbed, 0.8, LIGHT),
        CardFact(BOARD_NAMES["power"].text(language), score_text(card.power, language), 1.5),
        CardFact(BOARD_NAMES["level"].text(language), f"{card.level:,}", 0.7),
        CardFact(words.TOP.text(language), words.top_text(card.top), 0.9),
        CardFact(
            words.GROWTH.text(language),
            change_text(grown, language),
            1.4,
            LIGHT.good if grown > 0 else LIGHT.bad if grown < 0 else LIGHT.faint,
        ),
    ]


def _course(canvas: Canvas, card: SharedCard, language: Language) -> None:
    """The ranks of thirty days."""
    canvas.text(_SIDE, 377, words.LAST_DAYS.text(language), 21, LIGHT.soft, bold=True)
    ranked = card.ranked
    arrow = "→" if canvas.fonts.can_write("→") else "-"
    ends = f"{rank_text(ranked[0].rank or 0, language)} {arrow} {rank_text(card.rank, language)}"
    if len(ranked) > 1:
        canvas.text(WIDTH - _SIDE, 377, ends, 21, LIGHT.ink, bold=True, align="right")
    plane = Plane.around((_SIDE, 393, _INNER - 14, 138), [card.days])
    if plane.zone:
        canvas.box(_SIDE, 393, _INNER, plane.zone, LIGHT.zone)
    draw_gaps(canvas, plane, card.days, LIGHT.gap)
    at = draw_line(canvas, plane, card.days, 5, LIGHT.series[0])
    if plane.zone > 24:
        canvas.text(_SIDE + 12, 414, words.INSIDE.text(language), 17, LIGHT.accent, bold=True)
    draw_end(canvas, at, 8, LIGHT.series[0], LIGHT)
