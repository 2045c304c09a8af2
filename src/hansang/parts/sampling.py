"""What the samples of several applications share: chance that repeats, names, and a way to store them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from importlib.resources import files
from itertools import islice, product
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from hansang.design import Database, Entity
from hansang.parts.hands import Hands

# Writers that wait for the disk wait together: their commits share one flush.
_WRITERS, _PIECE = 8, 50
STORED_AT_ONCE = _WRITERS * _PIECE
"""So many are stored, in no order, before the next are begun."""


def repeatable(seed: str) -> Random:
    """Chance that is the same every time, so that a sample is."""
    return Random(seed)  # noqa: S311 - no secret


def in_seoul(moment: datetime) -> datetime:
    """A moment as clocks in Seoul show it, to the second."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone. Give it one, such as datetime.UTC.")
    return moment.astimezone(ZoneInfo("Asia/Seoul")).replace(microsecond=0)


def moment_between(chance: Random, first: datetime, last: datetime) -> datetime:
    """A second from the first to the last, both included."""
    return first + timedelta(seconds=chance.randint(0, int((last - first).total_seconds())))


def texts(application: str) -> dict[str, Any]:
    """The texts of an application's sample, from its `sample.toml`."""
    found = files(f"hansang.apps.{application}").joinpath("sample.toml")
    return tomllib.loads(found.read_text(encoding="utf-8"))


def store(database: Database, entities: Iterable[Entity], progress: Callable[[int], object]) -> None:
    """Store entities as they come, some hundred at a time, and tell how many after each time."""
    waiting = iter(entities)
    pieces = iter(lambda: list(islice(waiting, _PIECE)), [])
    with Hands(_WRITERS, "sample") as writers:
        while stored := sum(writers.map(database.batch_write, islice(pieces, _WRITERS))):
            progress(stored)


# ── names ─────────────────────────────────────────────────────────────────────────────────────────


def people(chance: Random) -> Iterator[str]:
    """Names of people, for ever; one may come again."""
    while True:
        yield chance.choice(_FAMILY_NAMES) + chance.choice(_GIVEN_NAMES)


def nicknames(chance: Random, count: int) -> list[str]:
    """So many names of players, each of them once."""
    pairs = list(product(_MOODS, _BEINGS))
    if count > len(pairs):
        raise ValueError(f"There are {len(pairs)} nicknames, and {count} were asked for.")
    numbers = chance.sample(range(2, 10_000), count)
    return [
        _nickname(chance, *pair, number)
        for pair, number in zip(chance.sample(pairs, count), numbers, strict=True)
    ]


def _nickname(chance: Random, mood: str, being: str, number: int) -> str:
    return f"{being}{number}" if chance.random() < 0.3 else f"{mood}{being}"


_FAMILY_NAMES = "김김김이이이박박최최정정강조윤장임한오서신권황안송류홍전고문손양배백허남심노하곽성차주우"
_GIVEN_NAMES = (
    "가람", "가온", "건우", "나래", "다솜", "다온", "도윤", "도현", "동하", "라온", "민서", "민재", "보람",
    "서준", "서현", "선우", "세아", "소담", "수빈", "승민", "시우", "아라", "아름", "연우", "예나", "예린",
    "예준", "우진", "유나", "유진", "윤슬", "은별", "은우", "이든", "재이", "주원", "지안", "지우", "지호",
    "채원", "하늘", "하람", "하윤", "한결", "해솔", "현서", "혜인", "희수",
)  # fmt: skip
_MOODS = (
    "졸린", "용감한", "느긋한", "반짝이는", "배고픈", "조용한", "씩씩한", "엉뚱한", "부지런한", "수줍은",
    "날쌘", "포근한", "신나는", "심심한", "다정한", "도도한", "명랑한", "든든한", "푸른", "하얀", "까만",
    "노란", "작은", "커다란", "달리는", "춤추는", "노래하는", "잠자는", "웃는", "꿈꾸는", "떠도는", "구르는",
    "빛나는", "차가운", "따뜻한", "달콤한", "매콤한", "고소한", "시원한", "새벽의", "한밤의", "봄날의",
    "가을의", "겨울의", "숲속의", "바다의", "우주의", "골목의",
)  # fmt: skip
_BEINGS = (
    "너구리", "고래", "호랑이", "토끼", "여우", "수달", "참새", "부엉이", "고양이", "강아지", "다람쥐",
    "두더지", "펭귄", "오리", "거북이", "돌고래", "반달곰", "고슴도치", "족제비", "사슴", "늑대", "까치",
    "제비", "두루미", "도토리", "감자", "만두", "호떡", "찐빵", "수박", "자두", "살구", "복숭아", "구름",
    "별똥별", "소나기", "안개", "파도", "바람", "달빛", "번개", "노을", "등대", "나침반", "기차", "연필",
    "우산", "풍선",
)  # fmt: skip
