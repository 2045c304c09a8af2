"""Writes that are gathered: each is answered once, whatever becomes of its group."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from hansang.surfaces.wire.gathered_writes import GatheredWrites
from hansang.surfaces.wire.messages import Response, WireRequest
from tests.engine.holding import PATIENCE


def echoed(requests: Sequence[WireRequest]) -> list[Response]:
    return [Response(200, each.body) for each in requests]


def request(body: bytes) -> WireRequest:
    return WireRequest("POST", "/", "", {}, body)


def test_every_write_has_its_own_answer() -> None:
    async def asked() -> list[bytes]:
        gathered = GatheredWrites(echoed)
        coming = [gathered.answer(request(b"%d" % number)) for number in range(150)]
        answers = await asyncio.wait_for(asyncio.gather(*coming), PATIENCE)
        gathered.close()
        return [each.body for each in answers]

    assert asyncio.run(asked()) == [b"%d" % number for number in range(150)]


def test_writes_that_no_thread_takes_are_told_so() -> None:
    async def asked() -> None:
        gathered = GatheredWrites(echoed)
        gathered.close()
        for _ in range(2):
            with pytest.raises(RuntimeError, match="cannot schedule"):
                await asyncio.wait_for(gathered.answer(request(b"")), PATIENCE)

    asyncio.run(asked())
