"""The last result of every test that is marked with a clause, kept between runs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from hansang.blueprint.clauses import Outcome, Proof

BUILD = "build"
"""The folder of what is made; git ignores it."""

RESULTS = "clause-results.json"


def results(root: Path) -> dict[str, Proof]:
    """What is known of each test, by its name."""
    path = root / BUILD / RESULTS
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    return {each["test"]: Proof(**each) for each in kept}


def record(root: Path, outcomes: Mapping[str, Outcome], at: str, version: str) -> None:
    """Keep the results of a run; what it did not run stays as it was."""
    new = {test: Proof(test, outcome, at, version) for test, outcome in outcomes.items()}
    kept = sorted((results(root) | new).values(), key=lambda each: each.test)
    written_whole(root / BUILD / RESULTS, json.dumps([asdict(each) for each in kept], indent=0) + "\n")


def written_whole(path: Path, text: str) -> None:
    """Write a file that nobody ever sees half written."""
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
