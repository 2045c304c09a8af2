"""Names as they are searched for: in lower case, and by their Hangul initials."""

from __future__ import annotations

from hansang.design.normalize import normalize_nfc

_FIRST_SYLLABLE, _LAST_SYLLABLE = ord("가"), ord("힣")
_SYLLABLES_OF_AN_INITIAL = 588
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"


def lowered(name: str) -> str:
    """A name as it is searched for: normalized (NFC), and in lower case."""
    return normalize_nfc(normalize_nfc(name).lower())


def initials(name: str) -> str:
    """A name with each Hangul syllable as its initial consonant: 호떡 is ㅎㄸ (초성)."""
    return "".join(_initial(each) for each in name)


def _initial(letter: str) -> str:
    if not _FIRST_SYLLABLE <= ord(letter) <= _LAST_SYLLABLE:
        return letter
    return _INITIALS[(ord(letter) - _FIRST_SYLLABLE) // _SYLLABLES_OF_AN_INITIAL]


def is_initials(text: str) -> bool:
    """Whether a text is asked as initials: it has one, and no whole syllable."""
    has_syllable = any(_FIRST_SYLLABLE <= ord(each) <= _LAST_SYLLABLE for each in text)
    return not has_syllable and any(each in _INITIALS for each in text)
