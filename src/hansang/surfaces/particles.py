"""Korean particles, chosen by the last sound of the word before them: 기사를, 목록을, 3을, NVDA를.

The last sound of Hangul is written in the letter. A digit is read in Sino-Korean: 1 is 일, 2 is 이. Of Latin letters,
a word in capitals is spelled out (`URL` is 유알엘), so L, M, N and R end in a consonant; any other word is read as it
is written, and ends in a consonant with l, m or n, or with ng. Whatever else a word ends in counts as a vowel; quotes and
brackets behind it are passed over.
"""

from __future__ import annotations

from typing import Literal

Sound = Literal["vowel", "consonant", "liquid"]
"""How a word ends; ㄹ is a consonant that 로 follows as if it were a vowel."""

_PAIRS = (
    ("은", "는"),
    ("이", "가"),
    ("을", "를"),
    ("과", "와"),
    ("으로", "로"),
    ("이어야", "여야"),
    ("이라는", "라는"),
)
PARTICLES = {each: pair for pair in _PAIRS for each in pair}
"""The form after a consonant and the one after a vowel, by either of them."""

_FIRST, _LAST, _FINALS, _RIEUL = 0xAC00, 0xD7A3, 28, 8
_DIGITS: dict[str, Sound] = {
    **dict.fromkeys("036", "consonant"),
    **dict.fromkeys("178", "liquid"),
    **dict.fromkeys("2459", "vowel"),
}
_LETTERS: dict[str, Sound] = {"l": "liquid", "m": "consonant", "n": "consonant"}
_BEHIND = " \t\"'’”)]}>»」』`.,!?"


def last_sound(word: str) -> Sound:
    """How a word ends when it is read aloud."""
    word = word.rstrip(_BEHIND)
    last = word[-1:]
    if last and _FIRST <= ord(last) <= _LAST:
        final = (ord(last) - _FIRST) % _FINALS
        return "liquid" if final == _RIEUL else "consonant" if final else "vowel"
    if last in _DIGITS:
        return _DIGITS[last]
    if last == "R" and word.isupper():
        return "liquid"
    if word.endswith("ng"):
        return "consonant"
    return _LETTERS.get(last.lower(), "vowel")


def particle(word: str, either: str) -> str:
    """The particle that follows a word; it is named by either of its forms."""
    after_consonant, after_vowel = PARTICLES[either]
    sound = last_sound(word)
    if sound == "liquid" and after_vowel == "로":
        return after_vowel
    return after_vowel if sound == "vowel" else after_consonant
