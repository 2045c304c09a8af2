"""Pictures: their size, what is in them, without a font for Hangul as well, and each drawn once a day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from hansang.apps.rankings.cards import SharedCard
from hansang.apps.rankings.pictures.album import MOST_KEPT, Album
from hansang.apps.rankings.pictures.canvas import Canvas
from hansang.apps.rankings.pictures.fonts import PLACES, FontFiles, Fonts
from hansang.apps.rankings.pictures.palette import LIGHT, name_text, top_text
from hansang.apps.rankings.pictures.share_card import draw_card
from hansang.apps.rankings.service import Rankings
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import NotFound, SettingsError
from tests.apps.rankings.imports import TABLES
from tests.apps.rankings.pictures.days_of_a_player import CLIMBER, DAYS, NEWEST, import_days, players
from tests.apps.rankings.players import uuid
from tests.clauses import clause

BARE = Fonts(places=())
"""What a machine without a font for Hangul has."""


@pytest.fixture(scope="module")
def app() -> Iterator[Rankings]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        database.create_tables(*TABLES)
        yield import_days(database)


@pytest.fixture
def card(app: Rankings) -> SharedCard:
    return app.cards.get(CLIMBER, "power")


def opened(png: bytes) -> Image.Image:
    image = Image.open(BytesIO(png))
    image.load()
    assert image.format == "PNG"
    return image


def colours(image: Image.Image) -> set[tuple[int, ...]]:
    return {each for _, each in image.getcolors(1 << 24) or [] if isinstance(each, tuple)}


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour.removeprefix("#")))


@pytest.mark.parametrize("fonts", [Fonts(), BARE], ids=["found", "bare"])
def test_a_card_has_the_size_of_shared_links(card: SharedCard, fonts: Fonts) -> None:
    image = opened(draw_card(card, "ko", fonts))
    assert image.size == (1200, 630)
    assert {rgb(LIGHT.accent), rgb(LIGHT.good), rgb(LIGHT.zone), rgb(LIGHT.gap)} <= colours(image)


def test_a_card_is_another_one_on_another_day_and_for_another_rank(card: SharedCard) -> None:
    other = replace(card, days=(*card.days[:-1], replace(card.now, rank=3)))
    assert draw_card(card, "ko", BARE) == draw_card(card, "ko", BARE)
    assert draw_card(card, "ko", BARE) != draw_card(other, "ko", BARE)


def test_a_player_of_one_day_who_is_new_has_a_card(card: SharedCard) -> None:
    alone = replace(
        card,
        days=(*(replace(each, rank=None) for each in card.days[:-1]), card.now),
        climbed=None,
        grown=None,
        former=(),
    )
    assert opened(draw_card(alone, "en", BARE)).size == (1200, 630)


def test_names_and_numbers_that_are_too_long_stay_in_their_place(card: SharedCard) -> None:
    long = replace(
        card,
        name="W" * 200,
        power=10**37,
        level=10**9,
        former=("M" * 300,),
        grown=-(10**37),
        climbed=-(10**9),
    )
    image = opened(draw_card(long, "en", BARE))
    right = image.crop((1150, 20, 1200, 630)).getcolors(1 << 20) or []
    assert [each for _, each in right] == [rgb(LIGHT.ground)]


def test_without_a_font_for_hangul_a_player_is_named_by_the_id() -> None:
    assert not BARE.has_hangul
    assert name_text("호떡6501", "0000-12345678", BARE) == "Player 12345678"
    assert name_text("Hello", "0000-12345678", BARE) == "Hello"
    assert name_text("\u202e\n", "0000-12345678", BARE) == "Player 12345678"


@pytest.mark.skipif(
    not any(Path(each.regular).is_file() for each in PLACES), reason="no font for Hangul here"
)
def test_with_a_font_for_hangul_names_are_written() -> None:
    assert name_text("호떡6501", "x", Fonts()) == "호떡6501"
    canvas = Canvas(200, 60, "#ffffff", Fonts())
    canvas.text(10, 40, "가", 30, "#000000")
    first = canvas.png()
    canvas = Canvas(200, 60, "#ffffff", Fonts())
    canvas.text(10, 40, "나", 30, "#000000")
    assert first != canvas.png()


def test_a_font_that_is_not_there_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"gone\.ttf cannot be read"):
        Fonts([str(tmp_path / "gone.ttf")])
    with pytest.raises(SettingsError, match="regular and bold"):
        Fonts(["a", "b", "c"])
    assert not Fonts(places=[FontFiles("/nowhere/a.ttf", "/nowhere/b.ttf")]).has_hangul


def test_nobody_is_in_the_first_nothing_of_all() -> None:
    assert top_text(Fraction(100, 1_038_412)) == "0.01%"
    assert top_text(Fraction(8700, 1_038_412)) == "0.01%"
    assert top_text(Fraction(100)) == "100.00%"


# ── the album ─────────────────────────────────────────────────────────────────────────────────────


def test_a_card_is_drawn_once_and_again_when_the_day_is_another(app: Rankings) -> None:
    album = Album(app)
    day, version = album.version(CLIMBER, "power", "ko")
    first = album.card(CLIMBER, "power", "ko", day)
    assert album.card(CLIMBER, "power", "ko", day) is first
    assert album.card(CLIMBER, "level", "ko", day) is not first
    app.days.reopen(NEWEST)
    app.import_day(NEWEST, players(DAYS - 1))
    day, again = album.version(CLIMBER, "power", "ko")
    assert again != version
    assert album.card(CLIMBER, "power", "ko", day) is not first


@clause("X5-30")
def test_a_card_that_was_drawn_is_not_shown_of_a_hidden_player(app: Rankings) -> None:
    album = Album(app)
    day, _ = album.version(uuid(9), "power", "ko")
    album.card(uuid(9), "power", "ko", day)
    app.privacy.hide(uuid(9))
    try:
        with pytest.raises(NotFound):
            album.card(uuid(9), "power", "ko", day)
        with pytest.raises(NotFound):
            album.version(uuid(9), "power", "ko")
    finally:
        app.privacy.show(uuid(9))


def test_an_album_does_not_grow_without_end(app: Rankings) -> None:
    album = Album(app)
    for number in range(MOST_KEPT + 5):
        album._once((number,), lambda: b"picture")
    assert len(album._kept) == MOST_KEPT


def test_the_bot_has_a_picture_of_a_player_of_several_and_of_a_board(app: Rankings) -> None:
    album = Album(app)
    several = [app.cards.get(uuid(each), "power") for each in (1, 140, 2)]
    for png in (
        album.profile(several[0], "ko"),
        album.comparison(several, "ko"),
        album.board("power", "en"),
        album.board("level", "ko"),
    ):
        assert opened(png).size == (1000, 560)
