"""Contents as HTML: whatever is written, nothing of it runs."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest

from hansang.apps.codex.contents import plain_text, rendered
from hansang.apps.codex.pipeline import MOST_BRACKETS, check_contents
from hansang.apps.codex.settings import CodexSettings
from hansang.errors import InvalidInput
from tests.clauses import clause

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:msgbox(1))",
    "![x](javascript:alert(1))",
    '![x](https://a.example/x.png "onerror=alert(1)")',
    '[x](https://a.example "\\" onmouseover=\\"alert(1)")',
    "<a href='https://a.example' onclick='alert(1)'>x</a>",
    "<style>*{background:url(javascript:alert(1))}</style>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>",
    "`<script>alert(1)</script>`",
    "```html onload=alert(1)\n<script>alert(1)</script>\n```",
    "| a |\n|:-:|\n| <b onclick=alert(1)>x</b> |",
    "<!--><script>alert(1)</script>-->",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
]
_ADDRESSES = re.compile(r"(https?:|mailto:|tel:|/|#)")


class Elements(HTMLParser):
    """The elements of a page, as a browser would make them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append((tag, dict(attrs)))


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Elements()
    parser.feed(html)
    parser.close()
    return parser.found


@clause("X4-18")
@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_runs(text: str) -> None:
    for tag, attributes in elements(rendered(text)):
        assert tag not in (
            "script",
            "style",
            "iframe",
            "svg",
            "math",
            "object",
            "embed",
            "form",
            "base",
            "link",
        )
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "srcdoc")]
        for name in ("href", "src"):
            assert _ADDRESSES.match(attributes.get(name) or "/"), attributes
        assert re.fullmatch(r"(language-[\w+#-]+)?", attributes.get("class") or "")


def test_what_is_meant_to_be_shown_is() -> None:
    html = rendered(
        "# 제목\n\n- 하나\n- **둘**\n\n| 가 | 나 |\n|---|:-:|\n| 1 | ~~2~~ |\n\n```python\nx = 1\n```\n"
    )
    for part in (
        "<h1>제목</h1>",
        "<li>하나</li>",
        "<strong>둘</strong>",
        "<s>2</s>",
        'class="language-python"',
    ):
        assert part in html
    assert '<td align="center">' in html
    assert 'rel="noopener noreferrer"' in rendered("[a](https://a.example)")


@clause("X4-18")
def test_a_text_with_too_many_brackets_is_refused_and_never_read_as_markdown() -> None:
    many = "![a](" * (MOST_BRACKETS + 1)
    with pytest.raises(InvalidInput, match="5,001 opening brackets, and may have 5,000") as refused:
        check_contents(SimpleNamespace(contents=many))
    assert (refused.value.code, refused.value.field) == ("codex.too-many-brackets", "contents")
    assert rendered(f"{many}<script>**b**") == f"<pre>{many}&lt;script&gt;**b**</pre>"
    assert plain_text(many) == many
    check_contents(SimpleNamespace(contents="[" * MOST_BRACKETS))
    assert "<pre>" not in rendered("a[ " * 3)


def test_the_words_alone_are_one_line() -> None:
    assert plain_text("# 봄\n\n꽃이 **핍니다**") == "봄 꽃이 핍니다"
    assert plain_text({"rows": [{"item": "가", "count": 24}], "open": True, "no": None}) == "가 24"


def test_a_picture_that_our_pages_may_not_load_is_a_link_with_its_address() -> None:
    settings = CodexSettings(cdn=("https://cdn.example.com",))
    own, named = "![소](/api/codex/pictures/a.png)", "![소](https://cdn.example.com/a.png)"
    other = "https://elsewhere.example/a.png"
    assert all("<img" in rendered(each, settings) for each in (own, named))
    found = rendered(f"![<b>소</b>]({other}) ![](//evil.example/x.png)", settings)
    assert "<img" not in found
    assert f'<a href="{other}" rel="noopener noreferrer">&lt;b&gt;소&lt;/b&gt; ({other})</a>' in found
    assert ">//evil.example/x.png</a>" in found
    assert rendered(f"[![소]({other})](https://a.example)", settings).count("<a ") == 1
    assert "<img" in rendered(f"![소]({other})")
