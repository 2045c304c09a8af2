"""Particles follow the last sound of names, numbers and Latin words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hansang
from hansang.surfaces.particles import PARTICLES, particle


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("기사", "기사를"),
        ("목록", "목록을"),
        ("서울", "서울을"),
        ("김하늘", "김하늘을"),
        ("0", "0을"),
        ("2", "2를"),
        ("1,000", "1,000을"),
        ("15", "15를"),
        ("NVDA", "NVDA를"),
        ("URL", "URL을"),
        ("CSV", "CSV를"),
        ("NASDAQ GM", "NASDAQ GM을"),
        ("BTR", "BTR을"),
        ("Server", "Server를"),
        ("admin", "admin을"),
        ("loading", "loading을"),
        ("‘기사’", "‘기사’를"),
        ("목록 (새)", "목록 (새)를"),
        ("", "를"),
        ("💡", "💡를"),
    ],
)
def test_the_object_of_a_sentence(word: str, expected: str) -> None:
    assert word + particle(word, "을") == expected


@pytest.mark.parametrize(
    ("word", "either", "expected"),
    [
        ("서울", "으로", "로"),
        ("1", "로", "로"),
        ("부산", "으로", "으로"),
        ("뉴욕", "로", "으로"),
        ("URL", "으로", "로"),
        ("기사", "이", "가"),
        ("줄", "가", "이"),
        ("키", "은", "는"),
        ("기록", "와", "과"),
        ("사과", "과", "와"),
    ],
)
def test_every_pair_has_its_form(word: str, either: str, expected: str) -> None:
    assert particle(word, either) == expected


def test_a_particle_is_known_by_both_of_its_forms() -> None:
    assert all(PARTICLES[consonant] is PARTICLES[vowel] for consonant, vowel in PARTICLES.values())


def test_every_particle_in_the_words_is_one_that_is_known() -> None:
    files = [*Path(hansang.__file__).parent.rglob("*.toml")]
    found = {each for file in files for each in re.findall(r"\{\w+:([가-힣]+)\}", file.read_text())}
    assert "을" in found
    assert found <= PARTICLES.keys()
