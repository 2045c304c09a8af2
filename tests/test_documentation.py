"""Nothing is undocumented, no link is broken, and no file speaks of what is not the project's."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import typer

from hansang import settings
from hansang.apps.catalog import APPLICATIONS
from hansang.surfaces.cli.main import app
from tests.documents import (
    ROOT,
    broken_links,
    commands_of,
    defaults_of,
    described_commands,
    documentation,
    forbidden_things,
    markdown_files,
    mentions,
    repository_files,
    settings_named_in,
    settings_of,
    targets_of,
)

COMMANDS = ROOT / "docs" / "commands.md"
SETTING_ROW = re.compile(r"^\| `(HANSANG_[A-Z_]+)` \| ([^|]+) \|", re.MULTILINE)
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_command_and_option_is_documented() -> None:
    text = documentation()
    found = dict(commands_of(typer.main.get_command(app)))
    phrases = {phrase for command, options in found.items() for phrase in (command, *options)}
    assert {phrase for phrase in phrases if not mentions(text, phrase)} == set()


def test_every_command_has_its_options_with_their_defaults_on_the_page_of_commands() -> None:
    page = COMMANDS.read_text(encoding="utf-8")
    shared = {"--data", "--json"}
    real = {
        command: {option: default for option, default in options.items() if option not in shared}
        for command, options in defaults_of(typer.main.get_command(app))
    }
    assert described_commands(page) == real


def test_every_example_below_a_command_is_of_that_command() -> None:
    for section in COMMANDS.read_text(encoding="utf-8").split("\n### ")[1:]:
        name = section.partition("\n")[0].strip("`")
        examples = [line for line in section.split("\n## ")[0].splitlines() if line.startswith("hansang ")]
        assert examples, name
        assert {line for line in examples if not mentions(line, name)} == set()


def test_every_setting_has_its_default_on_the_page_of_commands() -> None:
    rows = dict(SETTING_ROW.findall(COMMANDS.read_text(encoding="utf-8")))
    own = {
        settings.setting_name(each.name, one.name): one.default
        for each in APPLICATIONS
        if each.settings is not None
        for one in fields(each.settings)
    }
    assert set(rows) == settings_of(settings) | set(own)
    for name, default in own.items():
        assert mentions(rows[name], said(default or None)), name
    for kind in (settings.WireSettings, settings.ServerSettings):
        for each in fields(kind):
            default = None if each.default == () and each.name != "apps" else each.default
            assert mentions(rows[f"HANSANG_{each.name.upper()}"], said(default)), each.name


def said(default: object) -> str:
    """A default as the page of commands writes it."""
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, tuple):
        return ",".join(default) or "all"
    return "none" if default is None else str(default)


def test_every_setting_is_documented() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    text = documentation()
    known = settings_named_in(source) | settings_of(settings)
    assert {name for name in known if not mentions(text, name)} == set()


def test_every_make_target_is_documented() -> None:
    targets = targets_of((ROOT / "Makefile").read_text(encoding="utf-8"))
    text = documentation()
    assert {"up", "test"} <= targets
    assert {target for target in targets if not mentions(text, f"make {target}")} == set()


def test_no_page_has_a_broken_link() -> None:
    assert {relative(page): links for page in markdown_files() if (links := broken_links(page))} == {}


def test_every_file_speaks_of_the_project_alone() -> None:
    texts = {
        relative(path): path.read_bytes().decode("utf-8", errors="replace") for path in repository_files()
    }
    assert {name: found for name, text in texts.items() if (found := forbidden_things(text))} == {}


def test_a_machine_path_and_a_registry_are_found() -> None:
    assert forbidden_things("see /" + "work/notes.md") != []
    assert forbidden_things("from https://pypi" + ".org/simple") != []
    assert forbidden_things("the framework/ folder, docs/work/ and a pypi package") == []


def test_a_phrase_is_found_as_whole_words() -> None:
    assert mentions("`hansang dynamodb --port 8000`", "--port")
    assert not mentions("`--ports` and `make testing`", "--port")
    assert not mentions("`make testing`", "make test")


def test_commands_and_options_are_found_in_an_application() -> None:
    plane = typer.Typer()
    plane.command("fly")(_fly)
    plane.command("land")(lambda: None)
    assert dict(commands_of(typer.main.get_command(plane))) == {
        "hansang": set(),
        "hansang fly": {"--height", "--fast", "--no-fast"},
        "hansang land": set(),
    }


def _fly(height: int = 1, fast: bool = True) -> None:
    """A command with two options."""


def test_options_and_their_defaults_are_found() -> None:
    plane = typer.Typer()
    plane.command("fly")(_fly)
    plane.command("land")(lambda: None)
    found = {"hansang fly": {"--height": "1", "--fast": "on", "--no-fast": "on"}, "hansang land": {}}
    assert dict(defaults_of(typer.main.get_command(plane))) == found
    page = "### `hansang fly`\n| `--height` | 1 | How high. |\n## More\n| `--low` | 2 | No. |\n"
    assert described_commands(page) == {"hansang fly": {"--height": "1"}}


def test_settings_and_targets_are_found() -> None:
    assert settings_named_in('DATA = "HANSANG_DATA"') == {"HANSANG_DATA"}
    assert targets_of(".PHONY: up\nup: $(X) ## Start\nPORT := 1\n$(X): y\n\ttouch\n") == {"up"}


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# The One\n[a](#the-one) [b](gone.md) [c](page.md#gone) [d](https://example.com) [e](.)\n"
    )
    assert broken_links(page) == ["gone.md", "page.md#gone"]


def test_a_link_inside_a_code_block_is_none(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```\n[a](gone.md)\n```\n")
    assert broken_links(page) == []
