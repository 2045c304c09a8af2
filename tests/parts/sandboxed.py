"""What the tests of the sandbox run in it."""

from __future__ import annotations

import os
from time import sleep

from hansang.errors import InvalidInput


def doubled(content: bytes, times: int = 2) -> dict[str, object]:
    return {"text": content.decode() * times}


def process_id(content: bytes) -> int:
    return os.getpid()


def endless(content: bytes) -> None:
    while True:
        pass


def asleep(content: bytes) -> None:
    sleep(3600)


def greedy(content: bytes) -> int:
    return len(bytearray(2**40))


def dying(content: bytes) -> None:
    os._exit(3)


def talkative(content: bytes) -> str:
    os.write(1, b"between the answers")
    return "answer"


def refusing(content: bytes) -> None:
    raise InvalidInput("The {thing} is {{bad}}.", "thing", code="news.no-feed", values={"thing": "feed"})


def failing(content: bytes) -> None:
    raise KeyError("nothing of that kind")
