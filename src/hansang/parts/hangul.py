"""Names as they are searched for: in lower case, and by their Hangul initials."""

from __future__ import annotations

from hansang.design.normalize import normalize_nfc

_FIRST_SYLLABLE, _LAST_SYLLABLE = ord("가"), ord("힣")
_SYLLABLES_OF_AN_INITIAL = 588
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_CLUSTERS = str.maketrans(
    {
        "ㄳ": "ㄱㅅ",
        "ㄵ": "ㄴㅈ",
        "ㄶ": "ㄴㅎ",
        "ㄺ": "ㄹㄱ",
        "ㄻ": "ㄹㅁ",
        "ㄼ": "ㄹㅂ",
        "ㄽ": "ㄹㅅ",
        "ㄾ": "ㄹㅌ",
        "ㄿ": "ㄹㅍ",
        "ㅀ": "ㄹㅎ",
        "ㅄ": "ㅂㅅ",
    }
)


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


def apart(text: str) -> str:
    """A text with every cluster as two initials: an input method makes ㄳ of ㄱ and ㅅ that are typed in a row."""
    return text.translate(_CLUSTERS)


def has_initials(text: str) -> bool:
    """Whether a text has an initial that may stand for a syllable."""
    return any(each in _INITIALS for each in text)


def place_of(wanted: str, name: str) -> int | None:
    """Where a text stands in a name; an initial in it stands for every syllable that begins so: ㅎ떡 is 호떡."""
    places = range(len(name) - len(wanted) + 1)
    return next((at for at in places if _is_meant(name[at : at + len(wanted)], wanted)), None)


def _is_meant(part: str, wanted: str) -> bool:
    return all(
        letter == sign or (sign in _INITIALS and _initial(letter) == sign)
        for letter, sign in zip(part, wanted, strict=True)
    )
