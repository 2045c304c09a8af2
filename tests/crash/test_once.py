"""A request under an Idempotency-Key is done once, however often its process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.crash.storm import ROOT

KILLS = int(os.environ.get("HANSANG_ONCE_KILLS", "3"))
_LONGEST = 120 + 20 * KILLS
"""In seconds; it only ends what hangs."""


def test_keys_items_loads_and_takes_are_made_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.crash.once", str(tmp_path), "--kills", str(KILLS)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as storm:
        try:
            told, _ = storm.communicate(timeout=_LONGEST)
        finally:
            with suppress(ProcessLookupError):  # The worker of the moment is in its group.
                os.killpg(storm.pid, signal.SIGKILL)
    assert told == "Every step was done once.\n"
