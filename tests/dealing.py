"""How tests are dealt to processes: those of a file to one, so that what they look at is made once.

Those with a browser go to two processes, which have a browser and a server to start; the pages that are all looked at
in the same way are halved between them. They come first, and then the files that are marked as long, so that none of
them is begun last.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import pytest
from xdist.scheduler import LoadScopeScheduling

BROWSERS = 2
WALK = "/test_every_page.py"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: the file takes long, and is begun early")


class Dealing(LoadScopeScheduling):  # type: ignore[misc]
    """Files in the order in which they were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return hand(nodeid)


def hand(nodeid: str) -> str:
    """What a test is dealt together with."""
    file = nodeid.partition("::")[0]
    if "/browser/" not in f"/{file}":
        return file
    whole = nodeid if file.endswith(WALK) else file.removeprefix("tests/")
    return f"browser-{crc32(whole.encode()) % BROWSERS}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Dealing:
    config.option.loadscopereorder = False
    return Dealing(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_place)


def _place(item: pytest.Item) -> tuple[bool, bool, bool]:
    """Browsers first, and among them those that look at every page, as long as nobody has changed what is there."""
    is_browsing = hand(item.nodeid).startswith("browser-")
    return not is_browsing, not (is_browsing and WALK in item.nodeid), not is_long(item)


def is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("long") is not None
