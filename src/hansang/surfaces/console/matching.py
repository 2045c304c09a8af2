"""Whether a text is meant by what somebody types: its words anywhere, or the first letters of Korean syllables."""

from __future__ import annotations

from hansang.parts.hangul import apart

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_FIRST, _LAST = ord("가"), ord("힣")
_PER_INITIAL = 21 * 28


def rank(typed: str, name: str, *others: str) -> int | None:
    """How well a thing fits, 0 best: its name begins so, a word of it does, it is in there; None if not at all."""
    fits = (_rank(each, name, *others) for each in dict.fromkeys((typed, apart(typed))))
    return min((each for each in fits if each is not None), default=None)


def _rank(typed: str, name: str, *others: str) -> int | None:
    wanted = typed.casefold().split()
    text = name.casefold()
    if any(map(_is_initial, "".join(wanted))):
        text, wanted = _likened(text, wanted)
    everything = " ".join([text, *(each.casefold() for each in others)])
    if not all(each in everything for each in wanted):
        return None
    if not wanted or text.startswith(" ".join(wanted)):
        return 0
    starts = text.replace("_", " ").replace(".", " ").replace("/", " ").split()
    return 1 if any(word.startswith(wanted[0]) for word in starts) else 2


def _likened(text: str, wanted: list[str]) -> tuple[str, list[str]]:
    """A text in which what is typed stands as it was typed, if it is meant: ㅎ떡 and ㅎㄸ6501 both mean 호떡6501."""
    bare = initials(text)
    for each in wanted:
        place = next((at for at in range(len(text)) if _is_meant(text[at : at + len(each)], each)), None)
        if place is not None:
            bare = bare[:place] + each + bare[place + len(each) :]
    return bare, wanted


def _is_meant(part: str, typed: str) -> bool:
    return len(part) == len(typed) and all(
        letter == sign or (_is_initial(sign) and _initial(letter) == sign)
        for letter, sign in zip(part, typed, strict=True)
    )


def initials(text: str) -> str:
    """A text with every Korean syllable as its first letter: 뉴스 is ㄴㅅ."""
    return "".join(_initial(letter) for letter in text)


def _initial(letter: str) -> str:
    code = ord(letter)
    return _INITIALS[(code - _FIRST) // _PER_INITIAL] if _FIRST <= code <= _LAST else letter


def _is_initial(letter: str) -> bool:
    return letter in _INITIALS
