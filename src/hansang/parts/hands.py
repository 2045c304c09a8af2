"""Threads that share the work of a request or a job."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Hands(ThreadPoolExecutor):
    """Threads that work in the context of whoever gives them work: its meter counts it, and its limits hold."""

    def __init__(self, number: int, name: str) -> None:
        super().__init__(number, thread_name_prefix=f"hansang-{name}")

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        context = copy_context()
        return super().submit(lambda: context.run(fn, *args, **kwargs))
