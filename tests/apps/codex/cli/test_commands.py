"""The commands of the site, run in the process as the command line runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hansang.apps.codex.cli.commands import group
from hansang.backends.embedded import Embedded
from hansang.errors import HansangError, InvalidInput
from tests.apps.codex.migration.old_tables import fill


class Commands:
    """The command with one data file."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.place = folder, folder / "site.db"

    def run(self, *words: str, stdin: str | None = None, code: int = 0) -> Result:
        done = CliRunner().invoke(group, [*words, "--data", str(self.place)], input=stdin)
        if isinstance(done.exception, HansangError):
            raise done.exception
        assert done.exit_code == code, done.output
        return done

    def json(self, *words: str, stdin: str | None = None) -> Any:
        return json.loads(self.run(*words, stdin=stdin).stdout)


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def test_items_are_created_shown_listed_replaced_and_deleted(commands: Commands) -> None:
    made = commands.json("create", "Category", "-", stdin='{"title": "공지", "desc": ""}')
    ident = made["item"]["id"]
    assert commands.json("show", "Category", ident) == made
    changed = json.dumps(made["item"] | {"title": "알림"})
    saved = commands.json("replace", "Category", ident, "-", "--tag", made["tag"], stdin=changed)
    assert saved["item"]["title"] == "알림"
    with pytest.raises(HansangError, match="Somebody has changed it"):
        commands.run("replace", "Category", ident, "-", "--tag", "old", stdin=changed)
    assert [each["id"] for each in commands.json("list", "Category", "--json")] == [ident]
    assert "알림" in commands.run("list", "Category").stdout
    commands.run("delete", "Category", ident)
    assert commands.json("list", "Category", "--json") == []
    assert "Post" in commands.run("types").stdout
    with pytest.raises(InvalidInput, match="JSON"):
        commands.run("create", "Category", "-", stdin="{")


def test_posts_are_published_found_deleted_and_restored(commands: Commands) -> None:
    commands.json("create", "Category", "-", stdin='{"id": "c1", "title": "공지", "desc": ""}')
    commands.json("create", "User", "-", stdin='{"id": "u1", "displayName": "가", "role": "editor"}')
    given = {"id": "p1", "categoryId": "c1", "authorId": "u1", "title": "봄 소식", "contents": "꽃"}
    commands.json("create", "Post", "-", stdin=json.dumps(given))
    assert [each["id"] for each in commands.json("search", "봄", "--json")] == ["p1"]
    assert "봄 소식" in commands.run("posts").stdout
    commands.run("delete", "Post", "p1")
    assert [each["id"] for each in commands.json("posts", "--state", "trashed", "--json")] == ["p1"]
    assert "is back in c1" in commands.run("restore", "p1").stdout
    assert commands.json("person", "nobody@example.com") == []
    assert "0 inquiries" in commands.run("erase", "nobody@example.com").stdout
    with pytest.raises(InvalidInput, match="HANSANG_CODEX_MAIL"):
        commands.run("send-mail")


def test_old_tables_are_planned_copied_verified_switched_and_dropped(
    commands: Commands, tmp_path: Path
) -> None:
    with Embedded.open(str(tmp_path / "old.db")) as old:
        fill(old, 30)
    place = ("--from", str(tmp_path / "old.db"))
    assert [each["items"] for each in commands.json("migrate", "plan", *place, "--json")] == [3, 3, 30]
    assert "phone has no mapping" in commands.run("migrate", "plan", *place).stdout
    assert all(each["whole"] for each in commands.json("migrate", "copy", *place, "--json")["tables"])
    assert commands.json("migrate", "delta", *place, "--json")["written"] == 0
    assert commands.json("migrate", "verify", *place, "--json")["clean"] is True
    commands.run("migrate", "switch", *place)
    commands.run("migrate", "drop", *place, code=1)
    assert "PostsTable" in commands.run("migrate", "drop", *place, "--yes").stdout
    assert len(commands.json("list", "Post", "--limit", "100", "--json")) == 30
