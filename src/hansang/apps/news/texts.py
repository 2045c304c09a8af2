"""The texts of articles as people read them: made once in the sandbox, when an article arrives, and kept."""

from __future__ import annotations

from contextlib import suppress

from hansang.apps.news.bodies import packed, text_of, unpacked
from hansang.apps.news.cleaning import MOST_KEPT, clean, uncleaned
from hansang.apps.news.design import ArticleText, ArticleTextKey, Body, BodyKey, TextForm, WorkKey
from hansang.design import Database, attr
from hansang.errors import Busy, Exceeded, HansangError
from hansang.parts.sandbox import Sandbox, SandboxLimits

_MOST_UNCLEANED = 100_000
"""How many characters are kept of an article that could not be cleaned."""
_UTF8_BYTES = 4
_LIMITS = SandboxLimits(cpu_seconds=1, seconds=10, megabytes=768)


class ArticleTexts:
    """Makes the texts of articles, and finds those that are made."""

    def __init__(self, database: Database, sandbox: Sandbox | None) -> None:
        self._database, self._sandbox = database, sandbox

    def made(self, body: Body, content: bytes) -> ArticleText | None:
        """The text of a body, not stored yet; None when nothing can be read now, and a reader will have it made."""
        if self._sandbox is None:
            return None
        try:
            found = self._sandbox.run(clean, content, limits=_LIMITS, content_type=body.content_type)
        except Exceeded:
            return _raw(body, content)
        except Busy:
            return None
        return _text(body, "clean", found["text"], is_cut=found["is_cut"])

    def get(self, pk: str) -> ArticleText:
        """The text of an article, made now if it was stored without one; NotFound when nothing was crawled."""
        item = WorkKey.of(pk).item
        found = self._database.find(ArticleTextKey(item=item))
        return self._made_late(item) if found is None else found

    def _made_late(self, item: str) -> ArticleText:
        body = self._database.get(BodyKey(item=item))
        try:
            content = text_of(body)
        except ValueError:
            return _text(body, "damaged", "")
        made = self.made(body, content)
        if made is None:
            return _raw(body, content)
        with suppress(
            HansangError
        ):  # Another reader was first, or nothing can be written: it is shown all the same.
            self._database.put(made, when=attr(ArticleText.form).missing())
        return made


def whole_text(text: ArticleText) -> str:
    """All that is kept of a text."""
    return beginning(text, MOST_KEPT)


def beginning(text: ArticleText, most: int) -> str:
    """The first characters of a text."""
    try:
        return unpacked(text.compressed, _UTF8_BYTES * most).decode(errors="ignore")[:most]
    except ValueError:
        return ""


def _raw(body: Body, content: bytes) -> ArticleText:
    return _text(body, "raw", uncleaned(content, _MOST_UNCLEANED), is_cut=len(content) > _MOST_UNCLEANED)


def _text(body: Body, form: TextForm, text: str, *, is_cut: bool = False) -> ArticleText:
    compressed, is_shortened = packed(text)
    return ArticleText(
        item=body.item,
        form=form,
        is_cut=is_cut or is_shortened,
        compressed=compressed,
        content_type=body.content_type,
        length=body.length,
        fetched_at=body.fetched_at,
    )
