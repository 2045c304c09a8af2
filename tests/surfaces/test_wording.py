"""All words: both languages, each key once, none missing and none unused, and words for every code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

import hansang
from hansang import errors
from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.design.query import patterns
from hansang.errors import DesignError, HansangError, word_key
from hansang.surfaces.api.problems import kinds
from hansang.surfaces.particles import PARTICLES
from hansang.surfaces.wording import Wording, kit

SOURCE = Path(hansang.__file__).parent
ROOMS = [SOURCE / room for room in ("surfaces", "apps")]
WORDING = Wording.load([PLATFORM, *APPLICATIONS])
SOURCES = [path for room in ROOMS for kind in ("html", "py", "js") for path in room.rglob(f"*.{kind}")]
TEXT = "\n".join(path.read_text("utf-8") for path in SOURCES)
FOREIGN = {
    "detail",
    "reason",
    "error",
    "hint",
    "instead",
    "unit",
    "absent",
    "limit",
    "low",
    "high",
    "value",
    "field",
}
"""Places that Korean may leave out: what something below us says, in English, and values that need no repeating."""
SENTENCE = re.compile(r"[A-Za-z]+(?: [a-z]+){3,}")
"""Four words of English in a row."""
COMMANDS = re.compile(r"`[^`]*`|hansang( [a-z]+)+")
OF_THE_API = re.compile(r"(^|\.)(api|schema|parameter|property|header|field|kind|choice|job)\.")
"""Asked for by the names of routes, models, fields and pydantic's errors; tests of the API and of labels look at these."""


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_the_same_places() -> None:
    for key, entry in WORDING.entries.items():
        assert places(entry.ko) <= places(entry.en), key
        assert places(entry.en) - places(entry.ko) <= FOREIGN, key
        assert entry.one is None or places(entry.one) <= places(entry.en), key


def test_korean_texts_are_korean() -> None:
    """All but names, units and dashes have Hangul in them, and none has an English sentence."""
    for key, entry in WORDING.entries.items():
        text = COMMANDS.sub("", re.sub(r"\{[^{}]+\}", "", entry.ko))
        latin = re.search(r"[A-Za-z]{3,}", text)
        assert latin is None or re.search(r"[가-힣]", text) or entry.ko == entry.en, key
        assert not SENTENCE.search(text), key
    assert not [key for key, entry in WORDING.entries.items() if re.search(r"[가-힣]", entry.en)]


def test_no_particle_is_written_in_two_forms() -> None:
    """을(를) is what a machine writes; a value gets its particle as {name:을}."""
    both = re.compile(r"[은이을과]\([는가를와]\)|\(으\)로")
    assert [key for key, entry in WORDING.entries.items() if both.search(entry.ko)] == []


def test_only_korean_asks_for_particles() -> None:
    for key, entry in WORDING.entries.items():
        asked = {form for _, _, form, _ in Formatter().parse(entry.en) if form}
        assert not asked & set(PARTICLES), key


def test_every_word_that_is_asked_for_is_there() -> None:
    asked = set(re.findall(r"""\bt\(\s*["']([\w.]+\w)["'](?!\s*~)""", TEXT))
    asked |= set(re.findall(r"""\bsaid=["']([\w.]+)["']""", TEXT))
    assert sorted(asked - set(WORDING.entries)) == []


def test_every_word_is_asked_for() -> None:
    codes = {word_key(code) for code in [*raised(), *kinds()]}
    quoted = set(re.findall(r"""["']([\w.-]+)(?=["'])""", TEXT))
    assert [key for key in WORDING.entries if key not in quoted | codes and not made_up(key)] == []


def made_up(key: str) -> bool:
    """Whether a key is put together of parts, such as f"role.{role}" or "failure." ~ key ~ ".title"."""
    if ".meaning." in key or OF_THE_API.search(key):
        return True  # Asked for by the names of a design; the test of meanings looks at these.
    begin = key.removesuffix(".title").removesuffix(".about")
    return (begin != key and f'"{begin}"' in TEXT) or any(pattern.fullmatch(key) for pattern in PATTERNS)


def _patterns() -> list[re.Pattern[str]]:
    found = [re.findall(r'f"([a-z_]+[.\w]*\{[^"]+)"', TEXT), re.findall(r"f'([a-z_]+[.\w]*\{[^']+)'", TEXT)]
    formatted = [re.sub(r"\\\{[^{}]*\\\}", r"[\\w.-]+", re.escape(text)) for texts in found for text in texts]
    joined = [
        re.escape(begin) + r"[\w.]+" + re.escape(end)
        for begin, end in re.findall(r"""["']([\w.]+[._])["'] ~ [\w.\[\]"(]+(?: ~ "([\w.]+)")?""", TEXT)
    ]
    return [re.compile(text) for text in {*formatted, *joined}]


PATTERNS = _patterns()


# ── codes ─────────────────────────────────────────────────────────────────────────────────────────


CODE = re.compile(r"[a-z]+\.[a-z0-9-]+")


def calls(*names: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call that gives a code of ours under one of these names, and that code."""
    for node in every_call():
        given = [each.value for each in node.keywords if each.arg in names]
        codes = [each.value for each in given if isinstance(each, ast.Constant)]
        yield from ((code, node) for code in codes if isinstance(code, str) and CODE.fullmatch(code))


@cache
def every_call() -> list[ast.Call]:
    """Every call in the sources that gives something by name."""
    trees = (ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return [node for node in nodes if isinstance(node, ast.Call) and node.keywords]


def raised() -> set[str]:
    """Every code that is given somewhere."""
    return {code for code, _ in calls("code", "said")}


def test_every_code_has_both_languages() -> None:
    assert len(raised()) > 100
    assert sorted(code for code in raised() if word_key(code) not in WORDING.entries) == []


def test_every_class_of_errors_has_a_code_with_both_languages() -> None:
    classes = [
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, HansangError)
    ]
    assert sorted({each.code for each in classes if word_key(each.code) not in kit().entries}) == []


def test_the_english_of_a_code_is_what_its_error_says() -> None:
    """The sentence stands where it is raised, for logs and the command line, and in the words; they are the same."""
    for code, call in calls("code"):
        if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
            text = call.args[0].value
            has_values = any(each.arg == "values" for each in call.keywords)
            expected = WORDING.entries[word_key(code)].en
            assert text == (expected if has_values else expected.format()), code


def test_the_values_of_a_code_are_those_of_its_words() -> None:
    for code, call in calls("code"):
        given = next((each.value for each in call.keywords if each.arg == "values"), None)
        if isinstance(given, ast.Dict) and all(isinstance(key, ast.Constant) for key in given.keys):
            names = {key.value for key in given.keys if isinstance(key, ast.Constant)}
            assert places(WORDING.entries[word_key(code)].en) <= names, code


def test_a_code_without_words_says_nothing() -> None:
    assert WORDING.said("news.of-another-time", "ko", {}) is None
    assert WORDING.said("news.no-run", "ko", {}) is None
    assert WORDING.said("news.no-run", "ko", {"run": "x1"}) == "적재 x1을 찾을 수 없습니다."


# ── meanings ──────────────────────────────────────────────────────────────────────────────────────


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
        Wording.load(kit=[tmp_path])


@pytest.mark.parametrize(
    "entry", ['{ ko = "가" }', '{ ko = "가", en = "a", fr = "a" }', '{ ko = "가", en = 1 }']
)
def test_an_entry_has_both_languages_and_nothing_else(tmp_path: Path, entry: str) -> None:
    (tmp_path / "a.toml").write_text(f"x = {entry}", "utf-8")
    with pytest.raises(DesignError, match="need ko and en"):
        Wording.load(kit=[tmp_path])


def test_a_text_that_stands_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('x = "text"', "utf-8")
    with pytest.raises(DesignError, match="The words x are not written as"):
        Wording.load(kit=[tmp_path])


def test_one_thing_has_its_own_form_in_english(tmp_path: Path) -> None:
    text = 'n = { ko = "{count}개", en = "{count} things", one = "{count} thing" }'
    (tmp_path / "a.toml").write_text(text, "utf-8")
    wording = Wording.load(kit=[tmp_path])
    assert wording.text("n", "en", count=1) == "1 thing"
    assert wording.text("n", "en", count=12345) == "12,345 things"
    assert wording.text("n", "ko", count=1) == "1개"


def test_a_value_may_have_any_name() -> None:
    values = {"key": "PK=1", "table": "Shop", "language": "x", "self": "y"}
    assert WORDING.said("design.item-exists", "ko", values) == "Shop에 아이템 PK=1이 이미 있습니다."


def test_braces_in_a_value_are_left_alone() -> None:
    assert WORDING.text("platform.people.disabled_now", "en", name="{name} {0}") == "{name} {0} is disabled"
