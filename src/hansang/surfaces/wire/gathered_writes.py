"""Small writes that come at about the same time go to one thread together: to hand each over costs more than to do it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from hansang.surfaces.wire.messages import Response, WireRequest

MOST_TOGETHER = 64
"""How many go at a time, so that none waits for too many others."""

_Asked = tuple[WireRequest, asyncio.Future[Response]]


class GatheredWrites:
    """While one group is answered, the next one gathers."""

    def __init__(self, answer: Callable[[Sequence[WireRequest]], list[Response]]) -> None:
        self._answer = answer
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="hansang-wire-write-together")
        self._waiting: deque[_Asked] = deque()
        self._is_busy = False

    def answer(self, request: WireRequest) -> asyncio.Future[Response]:
        """The answer to come; what else the loop has read by now goes with it."""
        loop = asyncio.get_running_loop()
        coming = loop.create_future()
        self._waiting.append((request, coming))
        if not self._is_busy:
            self._is_busy = True
            loop.call_soon(self._begin, loop)
        return coming

    def close(self) -> None:
        """Finish the group that has begun."""
        self._thread.shutdown()

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        group = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_TOGETHER))]
        self._is_busy = bool(group)
        if group:
            done = self._handed_over(loop, [request for request, _ in group])
            done.add_done_callback(lambda answers: self._end(loop, group, answers))

    def _handed_over(
        self, loop: asyncio.AbstractEventLoop, requests: list[WireRequest]
    ) -> asyncio.Future[list[Response]]:
        try:
            return loop.run_in_executor(self._thread, self._answer, requests)
        except RuntimeError as error:  # There is no thread to be had, or no more.
            failed: asyncio.Future[list[Response]] = loop.create_future()
            failed.set_exception(error)
            return failed

    def _end(
        self, loop: asyncio.AbstractEventLoop, group: list[_Asked], done: asyncio.Future[list[Response]]
    ) -> None:
        # Not at once: who is answered now may ask again before the next group goes.
        loop.call_soon(self._begin, loop)
        error = done.exception()
        answers = [] if error else done.result()
        for place, (_, coming) in enumerate(group):
            if coming.cancelled():
                continue
            if error is not None:
                coming.set_exception(error)
            else:
                coming.set_result(answers[place])
