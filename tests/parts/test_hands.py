"""Work that is shared out stays the work of whoever has asked for it."""

from __future__ import annotations

from contextvars import ContextVar

from hansang.parts.hands import Hands

asking: ContextVar[str] = ContextVar("asking", default="nobody")


def test_threads_work_in_the_context_of_whoever_gives_them_work() -> None:
    with Hands(2, "test") as hands:
        asking.set("somebody")
        assert list(hands.map(lambda each: (each, asking.get()), range(3))) == [
            (0, "somebody"),
            (1, "somebody"),
            (2, "somebody"),
        ]
        asking.set("another")
        assert hands.submit(asking.get).result() == "another"


def test_what_a_thread_sets_stays_with_its_piece_of_work() -> None:
    asking.set("somebody")
    with Hands(1, "test") as hands:
        hands.submit(asking.set, "a thread").result()
        assert hands.submit(asking.get).result() == "somebody"
    assert asking.get() == "somebody"
