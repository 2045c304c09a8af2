"""The words of the console: both languages, each key once, none missing and none unused."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import hansang
from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.design.query import patterns
from hansang.errors import DesignError
from hansang.surfaces.wording import Wording

ROOMS = [Path(hansang.__file__).parent / room for room in ("surfaces/console", "apps")]
WORDING = Wording.load([PLATFORM, *APPLICATIONS])
SOURCES = [path for room in ROOMS for kind in ("html", "py", "js") for path in room.rglob(f"*.{kind}")]
TEXT = "\n".join(path.read_text("utf-8") for path in SOURCES)


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_the_same_places() -> None:
    """All but {detail}, which is what an error says in English and Korean says in its own words."""
    for key, entry in WORDING.entries.items():
        assert places(entry.ko) | {"detail"} == places(entry.en) | {"detail"}, key
        assert entry.one is None or places(entry.one) <= places(entry.en), key


def test_korean_texts_are_korean() -> None:
    """All but names, units and dashes have Hangul in them."""
    for key, entry in WORDING.entries.items():
        latin = re.search(r"[A-Za-z]{3,}", re.sub(r"\{\w+\}", "", entry.ko))
        assert latin is None or re.search(r"[가-힣]", entry.ko) or entry.ko == entry.en, key
    assert not [key for key, entry in WORDING.entries.items() if re.search(r"[가-힣]", entry.en)]


def test_every_word_that_is_asked_for_is_there() -> None:
    asked = set(re.findall(r"""\bt\(\s*["']([\w.]+\w)["'](?!\s*~)""", TEXT))
    asked |= set(re.findall(r"""said=["']([\w.]+)["']""", TEXT))
    assert sorted(asked - set(WORDING.entries)) == []


def test_every_word_is_asked_for() -> None:
    unused = [
        key
        for key in WORDING.entries
        if not re.search(rf"[\"']{re.escape(key)}[\"']", TEXT) and not made_up(key)
    ]
    assert unused == []


def made_up(key: str) -> bool:
    """Whether a key is put together of parts, such as f"role.{role}" or "failure." ~ key ~ ".title"."""
    if ".meaning." in key:
        return True  # Asked for by the names of a design; the next test looks at these.
    begin = key.removesuffix(".title").removesuffix(".about")
    return (begin != key and f'"{begin}"' in TEXT) or any(pattern.fullmatch(key) for pattern in PATTERNS)


def _patterns() -> list[re.Pattern[str]]:
    found = [re.findall(r'f"([a-z_]+[.\w]*\{[^"]+)"', TEXT), re.findall(r"f'([a-z_]+[.\w]*\{[^']+)'", TEXT)]
    formatted = [re.sub(r"\\\{[^{}]*\\\}", r"[\\w.]+", re.escape(text)) for texts in found for text in texts]
    joined = [
        re.escape(begin) + r"[\w.]+" + re.escape(end)
        for begin, end in re.findall(r"""["']([\w.]+[._])["'] ~ [\w.\[\]"(]+(?: ~ "([\w.]+)")?""", TEXT)
    ]
    return [re.compile(text) for text in {*formatted, *joined}]


PATTERNS = _patterns()


def test_every_meaning_is_of_something_in_its_design() -> None:
    for application in APPLICATIONS:
        kinds = application.entities | application.views
        asked = {f"{name}.{each.label}" for name, kind in kinds.items() for each in patterns(kind)}
        known = {table.__name__ for table in application.tables} | set(kinds) | asked
        begin = f"{application.name}.meaning."
        assert {key.removeprefix(begin) for key in WORDING.entries if key.startswith(begin)} <= known


def test_a_key_of_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text('x.y = { ko = "가", en = "a" }', "utf-8")
    with pytest.raises(DesignError, match=r"x\.y; the second is b\.toml"):
        Wording.load(kit=tmp_path)


@pytest.mark.parametrize(
    "entry", ['{ ko = "가" }', '{ ko = "가", en = "a", fr = "a" }', '{ ko = "가", en = 1 }']
)
def test_an_entry_has_both_languages_and_nothing_else(tmp_path: Path, entry: str) -> None:
    (tmp_path / "a.toml").write_text(f"x = {entry}", "utf-8")
    with pytest.raises(DesignError, match="need ko and en"):
        Wording.load(kit=tmp_path)


def test_a_text_that_stands_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('x = "text"', "utf-8")
    with pytest.raises(DesignError, match="The words x are not written as"):
        Wording.load(kit=tmp_path)


def test_one_thing_has_its_own_form_in_english(tmp_path: Path) -> None:
    text = 'n = { ko = "{count}개", en = "{count} things", one = "{count} thing" }'
    (tmp_path / "a.toml").write_text(text, "utf-8")
    wording = Wording.load(kit=tmp_path)
    assert wording.text("n", "en", count=1) == "1 thing"
    assert wording.text("n", "en", count=12345) == "12,345 things"
    assert wording.text("n", "ko", count=1) == "1개"


def test_braces_in_a_value_are_left_alone() -> None:
    assert WORDING.text("platform.people.disabled_now", "en", name="{name} {0}") == "{name} {0} is disabled"
