"""A migration of many posts while somebody keeps writing to the old tables, killed and resumed on the way.

    python -m bench.codex_migration --posts 100000 --kills 5

Prints how many items a second were copied, brought over by the deltas (by time, then by stream) and verified, and that
nothing was lost.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from tests.apps.codex.migration.old_tables import KEYS, create_old_tables, delete, post, put

from hansang.apps.codex.design import FMWebApp, Post
from hansang.apps.codex.migration.mapping import read_mapping
from hansang.apps.codex.migration.migrating import Migration
from hansang.backends.embedded import Embedded
from hansang.clock import system_clock
from hansang.design import Database
from hansang.design.codec import to_value

_AT_ONCE = 25


def fill(backend: Embedded, posts: int) -> None:
    create_old_tables(backend)
    for number in range(3):
        put(
            backend,
            "CategoriesTable",
            categoryId=f"c{number}",
            title="소식",
            createdAt="2023-05-01T00:00:00Z",
        )
    for first in range(0, posts, _AT_ONCE):
        some = [post(number) for number in range(first, min(posts, first + _AT_ONCE))]
        puts = [
            {"PutRequest": {"Item": {name: to_value(value) for name, value in each.items()}}} for each in some
        ]
        backend.call("BatchWriteItem", {"RequestItems": {"PostsTable": puts}})


def turn_streams_on(backend: Embedded) -> None:
    specification = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    for table in KEYS:
        backend.call("UpdateTable", {"TableName": table, "StreamSpecification": specification})


def migration(old: Embedded, new: Embedded) -> Migration:
    return Migration(old, Database(new), system_clock, read_mapping(None), "bench")


def copy(old: str, new: str) -> None:
    """What the killed process does."""
    with Embedded.open(old) as source, Embedded.open(new) as target:
        migration(source, target).copy()


def killed(old: str, new: str, seconds: float) -> bool:
    """Copy in a process of its own, and kill that after a while; whether it was still at it."""
    command = [sys.executable, "-m", "bench.codex_migration", "--copy", old, new]
    child = subprocess.Popen(command, env={**os.environ})
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return True
    return False


def writing(old: Embedded, posts: int, stop: threading.Event, counts: dict[str, int]) -> None:
    chance = random.Random(17)
    while not stop.is_set():
        number = chance.randrange(posts + posts // 100)
        if chance.random() < 0.1:
            delete(old, "PostsTable", f"p{number}")
        else:
            put(
                old,
                "PostsTable",
                **post(number, title=f"판 {chance.random()}", categoryId=f"c{chance.randrange(3)}"),
            )
        counts["written"] = counts.get("written", 0) + 1
        sleep(0.002)


def timed(label: str, items: int, work: Any) -> Any:
    begun = monotonic()
    found = work()
    took = monotonic() - begun
    print(f"{label:<10} {took:8.1f} s {items / max(took, 0.001):10,.0f} items/s")
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--copy", nargs=2)
    asked = parser.parse_args()
    if asked.copy:
        copy(*asked.copy)
        return
    with tempfile.TemporaryDirectory() as folder:
        old_path, new_path = str(Path(folder) / "old.db"), str(Path(folder) / "new.db")
        with Embedded.open(old_path) as old, Embedded.open(new_path) as new:
            database = Database(new)
            database.create_tables(FMWebApp)
            timed("fill", asked.posts, lambda: fill(old, asked.posts))
            turn_streams_on(old)
            stop, counts = threading.Event(), dict[str, int]()
            writer = threading.Thread(target=writing, args=(old, asked.posts, stop, counts))
            writer.start()
            try:
                kills = sum(killed(old_path, new_path, 3.0) for _ in range(asked.kills))
                timed("copy", asked.posts, lambda: migration(old, new).copy())
                timed("delta", asked.posts, lambda: migration(old, new).delta())
            finally:
                stop.set()
                writer.join()
            changes = counts.get("written", 0)
            report = timed("by stream", changes, lambda: migration(old, new).delta(by="stream"))
            verified = timed("verify", asked.posts, lambda: migration(old, new).verify())
            listed = database.count(Post.latest())
            print(
                f"{kills} kills, {counts.get('written', 0):,} writes meanwhile, {report.written:,} in the last delta"
            )
            print(f"counts {verified.counts}, {listed:,} in the index, {verified.differences} differences")
            assert verified.is_clean, verified.named


if __name__ == "__main__":
    main()
