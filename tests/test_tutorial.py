"""The tutorial is run, block by block, and prints what it says."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

TUTORIAL = Path(__file__).parent.parent / "docs" / "tutorial.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    return [(match[1], match[2]) for match in _BLOCK.finditer(TUTORIAL.read_text(encoding="utf-8"))]


@pytest.fixture(scope="module")
def library() -> types.ModuleType:
    """The module that a reader has at the end."""
    module = types.ModuleType("library")
    sys.modules["library"] = module
    return module


def test_every_block_prints_what_the_tutorial_says(
    library: types.ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    said = 0
    for language, text in blocks():
        if language == "python":
            exec(compile(text, "tutorial", "exec"), library.__dict__)
        elif language == "text":
            assert capsys.readouterr().out == text
            said += 1
    assert said >= 5


def test_the_api_lends_a_book_once(library: types.ModuleType) -> None:
    namespace: dict[str, Any] = library.__dict__
    client = TestClient(namespace["app"])
    first = client.post("/books/9788954651135/loan", params={"member": "지우"})
    second = client.post("/books/9788954651135/loan", params={"member": "하린"})
    assert (first.status_code, second.status_code) == (200, 409)
    listed = client.get("/members/지우/loans").json()["loans"]
    assert {loan["title"] for loan in listed} == {"아몬드", "쇼코의 미소"}


def test_an_unknown_member_cannot_borrow(library: types.ModuleType) -> None:
    client = TestClient(library.__dict__["app"])
    client.post("/books/9788954651135/loan", params={"member": "지우"})
    assert client.post("/books/0000000000000/loan", params={"member": "지우"}).status_code == 404


def test_the_example_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = TUTORIAL.parent.parent / "README.md"
    example = next(
        match[2] for match in _BLOCK.finditer(readme.read_text(encoding="utf-8")) if "class Notes" in match[2]
    )
    module = types.ModuleType("readme")
    sys.modules["readme"] = module
    exec(compile(example, "readme", "exec"), module.__dict__)
    assert [note.text for note in module.__dict__["db"].all(module.__dict__["Note"].of("민지"))] == [
        "밥 먹자"
    ]
    module.__dict__["db"].backend.close()
