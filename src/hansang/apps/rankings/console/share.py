"""What is shared of a player: the card as a picture, and the page whose link shows it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import Response

from hansang.apps.rankings.cards import PlayerCard
from hansang.apps.rankings.console.links import AREA, board_in, page, player_path, rank_text, rankings_of
from hansang.apps.rankings.design import SnapshotDay
from hansang.apps.rankings.pictures.album import Album
from hansang.apps.rankings.pictures.palette import top_text
from hansang.apps.rankings.pictures.share_card import HEIGHT, WIDTH
from hansang.apps.rankings.settings import RankingsSettings
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable
from hansang.surfaces.http.origins import base_of
from hansang.surfaces.http.public import is_tagged


@dataclass(frozen=True, slots=True)
class SharedLink:
    """A link with what is shown of it where it is shared (Open Graph)."""

    title: str
    about: str
    address: str
    picture: str
    """Where the picture is, whole; its address is another one on another day."""
    width: int = WIDTH
    height: int = HEIGHT


def album_of(visit: Visit) -> Album:
    """The pictures of this process."""
    settings: RankingsSettings = visit.shell.chosen.get(AREA) or RankingsSettings()
    return visit.shell.once(f"{AREA}.album", lambda: Album(rankings_of(visit), settings.font))


def picture(visit: Visit) -> Response:
    """The card of a player as a picture; whoever has that of the newest day is told so, and nothing is drawn."""
    uuid, board = visit.param("uuid"), board_in(visit)
    album = album_of(visit)
    day, version = album.version(uuid, board, visit.language)
    headers = {"ETag": f'"{version}"', "Cache-Control": "private, no-cache"}
    if visit.public:  # Other sites may show it, as they may link to it.
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    if is_tagged(visit.request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(album.card(uuid, board, visit.language, day), headers=headers, media_type="image/png")


def share(visit: Visit) -> Response:
    """The page whose link shows the card."""
    uuid, board = visit.param("uuid"), board_in(visit)
    day, version = album_of(visit).version(uuid, board, visit.language)
    card = rankings_of(visit).cards.get(uuid, board, day)
    return page(
        visit,
        "share.html",
        None,
        card=card,
        link_of=shared_link(visit, card, version),
        picture=picture_path(visit, card, version),
        is_public=visit.shell.is_public(AREA),
    )


def shared_link(visit: Visit, card: PlayerCard, version: str) -> SharedLink:
    """What other places show of the link to a player."""
    base, rank = base_of(visit.request, visit.shell.settings), rank_text(visit, card.rank)
    kind = "official" if card.now.is_official else "computed"
    said = visit.t(f"rankings.share.{kind}", board=visit.t(f"rankings.{card.board}"), rank=rank)
    address = f"{player_path(card.uuid)}/share?{urlencode({'board': card.board, 'lang': visit.language})}"
    return SharedLink(
        title=f"{card.name} · {said}",
        about=_about(visit, card, card.day),
        address=f"{base}{address}",
        picture=f"{base}{picture_path(visit, card, version)}",
    )


def picture_path(visit: Visit, card: PlayerCard, version: str) -> str:
    """Where the picture of a card is; `v` makes places that keep pictures fetch that of another day."""
    asked = urlencode({"board": card.board, "lang": visit.language, "v": version})
    return f"{player_path(card.uuid)}/card.png?{asked}"


def _about(visit: Visit, card: PlayerCard, day: SnapshotDay) -> str:
    return visit.t(
        "rankings.share.about",
        top=top_text(card.top),
        level=f"{card.level:,}",
        day=visit.formats.day(day.day),
        count=f"{card.of:,}",
    )


_ONE = "/rankings/players/{uuid}"
PAGES = (
    PageRoute(f"{_ONE}/card.png", picture, readable(AREA)),
    PageRoute(f"{_ONE}/share", share, readable(AREA)),
)
