"""What the documentation is checked against: the files, commands, settings, targets and links."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent

NEVER_WALKED = {".git", ".venv", ".hypothesis", "node_modules", "__pycache__", "data", "dist"}
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
CODE_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?)$", re.MULTILINE)
SETTING = re.compile(r"\bHANSANG_[A-Z][A-Z_]*\b")
OPTION = re.compile(r"--[a-z-]+")
OPTION_ROW = re.compile(r"^\| (`--[^|]+) \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)
TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)

# Written so that this file does not mention them itself.
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.])/([w]ork|[h]ome|[r]oot|[o]pt/wheels|[o]pt/pypi)/"),
    "a package registry": re.compile(
        r"\b(pypi[.]org|pythonhosted[.]org|registry[.]npmjs[.]org|registry[.]yarnpkg)"
    ),
}


def repository_files() -> list[Path]:
    """The files that belong to the repository, committed or about to be."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return [path for path in ROOT.rglob("*") if path.is_file() and not _is_ignored(path)]
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


def _is_ignored(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return any(part in NEVER_WALKED or part.endswith("_cache") for part in parts)


def markdown_files() -> list[Path]:
    return sorted(path for path in repository_files() if path.suffix == ".md")


def documentation() -> str:
    """What a user reads: the README and everything in docs/."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def forbidden_things(text: str) -> list[str]:
    """What a text of this repository must not speak of, and does."""
    found = ((what, pattern.search(text)) for what, pattern in FORBIDDEN.items())
    return [f"{what}: {match.group()}" for what, match in found if match]


def settings_named_in(text: str) -> set[str]:
    return set(SETTING.findall(text))


def settings_of(module: ModuleType) -> set[str]:
    """The variables that the dataclasses of a settings module are filled from."""
    classes = (thing for thing in vars(module).values() if isinstance(thing, type) and is_dataclass(thing))
    return {f"HANSANG_{field.name.upper()}" for one in classes for field in fields(one)}


def targets_of(makefile: str) -> set[str]:
    return set(TARGET.findall(makefile))


def commands_of(command: Any, words: tuple[str, ...] = ("hansang",)) -> Iterator[tuple[str, set[str]]]:
    """Every command below a command-line application, with its options."""
    yield " ".join(words), {option for parameter in command.params for option in _options(parameter)}
    for name, child in shown_commands(command).items():
        yield from commands_of(child, (*words, name))


def shown_commands(command: Any) -> dict[str, Any]:
    """The commands of a group that its help lists."""
    names = command.list_commands(None) if hasattr(command, "list_commands") else ()
    found = {name: command.get_command(None, name) for name in names}
    return {name: child for name, child in found.items() if not child.hidden}


def _options(parameter: Any) -> Iterator[str]:
    for option in (*parameter.opts, *parameter.secondary_opts):
        if option.startswith("--") and option not in {"--help", "--install-completion", "--show-completion"}:
            yield option


def default_of(parameter: Any) -> str:
    """The default of an option, in the words of the page of commands."""
    said = re.search(r"\[default: (.*)\]$", parameter.help or "")
    if said:
        return said.group(1)
    if parameter.is_flag:
        return "on" if parameter.default else "off"
    if parameter.required:
        return "needed"
    return str(getattr(parameter.default, "value", parameter.default) or "none")


def defaults_of(command: Any, words: tuple[str, ...] = ("hansang",)) -> Iterator[tuple[str, dict[str, str]]]:
    """Every command that does something, with the default of each of its options."""
    children = shown_commands(command)
    if not children:
        options = {each: default_of(it) for it in command.params for each in _options(it)}
        yield " ".join(words), options
    for name, child in children.items():
        yield from defaults_of(child, (*words, name))


def described_commands(page: str) -> dict[str, dict[str, str]]:
    """The commands that a page has a heading for, with the defaults in the table below it."""
    found: dict[str, dict[str, str]] = {}
    for section in re.split(r"^### ", page, flags=re.MULTILINE)[1:]:
        name = section.partition("\n")[0].strip("`")
        rows = OPTION_ROW.findall(re.split(r"^#", section, flags=re.MULTILINE)[0])
        found[name] = {option: default for names, default in rows for option in OPTION.findall(names)}
    return found


def mentions(text: str, phrase: str) -> bool:
    """Whether a text has a phrase as whole words: `--port` is not in `--ports`."""
    return re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", text) is not None


def broken_links(page: Path) -> list[str]:
    """The relative links of a Markdown page that lead nowhere."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    links = (link for link in LINK.findall(text) if not re.match(r"[a-z]+:", link))
    return [link for link in links if not _leads_somewhere(page, link)]


def _leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not anchor:
        return target.exists()
    return target.is_file() and anchor in _anchors(target.read_text(encoding="utf-8"))


def _anchors(text: str) -> set[str]:
    """The names that a page's headings have in links."""
    headings = HEADING.findall(CODE_BLOCK.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
