"""Rows in a store: jobs that write them, and what is there."""

from __future__ import annotations

from collections.abc import Callable

from hansang.engine.sql.writer import Writer
from hansang.engine.store import Store

ALL = (b"", b"\xff")

Job = Callable[[Writer], object]


class Oops(Exception):
    """What goes wrong in a job."""


def new_rows(store: Store) -> int:
    return store.write(lambda writer: writer.create_rows())


def put_row(rows: int, key: bytes, value: bytes = b"value") -> Job:
    def job(writer: Writer) -> None:
        there = writer.get(rows, key)
        writer.put(rows, key, value, len(value), there[1] if there else None)

    return job


def raising(rows: int) -> Job:
    """A job that writes a row and fails."""

    def job(writer: Writer) -> None:
        writer.put(rows, b"lost", b"x", 1, None)
        raise Oops

    return job


def increment(rows: int) -> Job:
    """A job that reads a counter and writes it one higher."""

    def job(writer: Writer) -> None:
        there = writer.get(rows, b"counter")
        value = b"%d" % (int(there[0]) + 1 if there else 1)
        writer.put(rows, b"counter", value, len(value), there[1] if there else None)

    return job


def rows_of(store: Store, rows: int) -> dict[bytes, bytes]:
    with store.snapshot() as reader:
        return {key: value for key, value, _ in reader.entries(rows, *ALL, 10_000)}


def counts_of(store: Store, rows: int) -> tuple[int, int]:
    with store.snapshot() as reader:
        return reader.counts(rows)
