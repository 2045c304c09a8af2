"""What is shared of a player: the card as a picture, and the page whose link shows it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from urllib.parse import urlencode

from starlette.responses import Response

from hansang.apps.rankings.cards import SharedCard
from hansang.apps.rankings.console.links import (
    AREA,
    board_in,
    one_revision,
    page,
    player_path,
    rank_text,
    rankings_of,
)
from hansang.apps.rankings.design import Board, SnapshotDay
from hansang.apps.rankings.pictures.album import Album
from hansang.apps.rankings.pictures.palette import top_text
from hansang.apps.rankings.pictures.share_card import HEIGHT, WIDTH
from hansang.apps.rankings.settings import RankingsSettings
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, readable
from hansang.surfaces.http.origins import base_of
from hansang.surfaces.http.public import is_tagged


@dataclass(frozen=True, slots=True)
class SharedPlayer:
    """What a link says of a player on the newest finished day."""

    uuid: str
    name: str
    board: Board
    day: SnapshotDay
    rank: int
    is_official: bool
    of: int
    level: int

    @classmethod
    def of_card(cls, card: SharedCard) -> SharedPlayer:
        official = card.now.is_official
        return cls(card.uuid, card.name, card.board, card.day, card.rank, official, card.of, card.level)


@dataclass(frozen=True, slots=True)
class SharedLink:
    """A link with what is shown of it where it is shared (Open Graph)."""

    title: str
    about: str
    address: str
    picture: str
    """Where the picture is, whole; its address is another one on another day."""
    picture_path: str
    width: int = WIDTH
    height: int = HEIGHT


def album_of(visit: Visit) -> Album:
    """The pictures of this process."""
    settings: RankingsSettings = visit.shell.chosen.get(AREA) or RankingsSettings()
    return visit.shell.once(f"{AREA}.album", lambda: Album(rankings_of(visit), settings.font))


@one_revision
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


@one_revision
def share(visit: Visit) -> Response:
    """The page whose link shows the card."""
    uuid, board = visit.param("uuid"), board_in(visit)
    card = rankings_of(visit).cards.get(uuid, board)
    link = shared_link(visit, SharedPlayer.of_card(card))
    return page(visit, "share.html", None, card=card, link_of=link, is_public=visit.shell.is_public(AREA))


def shared_link(visit: Visit, player: SharedPlayer) -> SharedLink:
    """What other places show of the link to a player."""
    base, rank = base_of(visit.request, visit.shell.settings), rank_text(visit, player.rank)
    kind = "official" if player.is_official else "computed"
    said = visit.t(f"rankings.share.{kind}", board=visit.t(f"rankings.{player.board}"), rank=rank)
    path, asked = player_path(player.uuid), {"board": player.board, "lang": visit.language}
    # Places that keep pictures fetch that of another day because its address is another one.
    picture = f"{path}/card.png?{urlencode(asked | {'v': f'{player.day.day}.{player.day.revision}'})}"
    return SharedLink(
        title=f"{player.name} · {said}",
        about=visit.t(
            "rankings.share.about",
            top=top_text(Fraction(100 * player.rank, max(player.of, player.rank))),
            level=f"{player.level:,}",
            day=visit.formats.day(player.day.day),
            count=f"{player.of:,}",
        ),
        address=f"{base}{path}/share?{urlencode(asked)}",
        picture=f"{base}{picture}",
        picture_path=picture,
    )


_ONE = "/rankings/players/{uuid}"
PAGES = (
    PageRoute(f"{_ONE}/card.png", picture, readable(AREA)),
    PageRoute(f"{_ONE}/share", share, readable(AREA)),
)
