"""The text of an article as people read it: no markup, nothing that a browser would run."""

from __future__ import annotations

import codecs
from typing import Any

from hansang.apps.news.markup import text_of_markup

MOST_READ = 5_000_000
"""How many bytes of an article are read for its text."""
MOST_KEPT = 1_000_000
"""How many characters of its text are kept."""
_ENCODINGS = frozenset(
    (
        *(
            "ascii",
            "utf-8",
            "utf-8-sig",
            "utf-16",
            "utf-16-le",
            "utf-16-be",
            "utf-32",
            "utf-32-le",
            "utf-32-be",
        ),
        *("euc_kr", "cp949", "johab", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "cp950"),
        *("euc_jp", "shift_jis", "cp932", "iso2022_jp", "koi8-r", "koi8-u", "cp866", "cp874", "tis-620"),
        *(f"iso8859-{number}" for number in range(1, 17)),
        *(f"cp{number}" for number in range(1250, 1259)),
        *("mac-roman", "mac-cyrillic"),
    )
)
"""The encodings of the web. Others, such as `undefined` or `idna`, are no encodings of pages."""


def clean(content: bytes, content_type: str) -> dict[str, Any]:
    """The text of an article, and whether it was cut."""
    text = content[:MOST_READ].decode(encoding_of(content_type), "replace")
    text, is_cut = text_of_markup(text) if "html" in content_type.lower() else (text.strip(), False)
    return {"text": text[:MOST_KEPT], "is_cut": is_cut or len(content) > MOST_READ or len(text) > MOST_KEPT}


def uncleaned(content: bytes, most: int) -> str:
    """The beginning of an article as it came, for when it cannot be cleaned."""
    return content[: 4 * most].decode(errors="replace")[:most]


def encoding_of(content_type: str) -> str:
    """The encoding that a content type names, if it is one of the web's; else UTF-8."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return _known(value.strip().strip("\"'"))
    return "utf-8"


def _known(name: str) -> str:
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return "utf-8"
    return found if found in _ENCODINGS else "utf-8"
