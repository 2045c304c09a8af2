"""The guides are followed word by word: files are written, commands run, and they print what the page says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

GUIDES = sorted((Path(__file__).parent.parent / "docs" / "guides").glob("*.md"))
BIN = Path(sys.executable).parent
_BLOCK = re.compile(r"(?:^`([\w/]+\.py)`\n\n)?^```(python|sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(guide: Path) -> Iterator[tuple[str, str, str]]:
    for match in _BLOCK.finditer(guide.read_text(encoding="utf-8")):
        yield match[1] or "", match[2], match[3]


def run(line: str, folder: Path) -> str:
    command = shlex.split(line)
    command[0] = command[0].replace(".venv/bin", str(BIN))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), line
    return done.stdout


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_a_guide_says_what_happens(guide: Path, tmp_path: Path) -> None:
    printed, shown = "", 0
    for name, language, text in blocks(guide):
        if language == "python" and name:
            (tmp_path / name).write_text(text, encoding="utf-8")
            shown += 1
        elif language == "python":
            written = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.py")]
            assert any(text.strip() in each for each in written), text
            shown += 1
        elif language == "sh":
            printed = "".join(run(line, tmp_path) for line in text.splitlines())
        else:
            assert printed == text
    assert shown
