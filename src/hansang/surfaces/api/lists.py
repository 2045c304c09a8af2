"""Lists as answers: a page and the cursor to the next one, or everything as a file."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar, get_args

import orjson
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.design import Page
from hansang.design.cursor import foreign_cursor
from hansang.errors import InvalidInput
from hansang.surfaces.api.endpoints import answered
from hansang.surfaces.api.exports import attached, chosen, model_lines
from hansang.surfaces.api.parameters import MOST, PAGE, Exported
from hansang.surfaces.api.unreadable import unreadable_shown
from hansang.surfaces.naming import Naming

T = TypeVar("T")

Paging = Callable[[int, str | None], Page[T]]
"""Gives the page behind a cursor, with at most so many items."""


def list_answer(
    request: Request,
    asked: Exported,
    naming: Naming,
    model: type[BaseModel],
    page: Paging[T],
    show: Callable[[T], BaseModel],
    name: str,
    **more: Any,
) -> Response:
    """The page that is asked for, as `model` with `more` in it; or a file of this name with everything."""
    wanted = chosen(asked.format, request.headers.get("accept", ""))
    if wanted == PAGE:
        found = page(asked.limit, asked.cursor)
        bad = unreadable_shown(naming, found.unreadable)
        items = [show(each) for each in found]
        return answered(model(items=items, unreadable=bad, cursor=found.cursor, **more))
    pages = each_page(page)
    answers = everything(asked, (each for found in pages for each in (*found.unreadable, *found)))
    return attached(model_lines(answers, show, _kind(model), wanted, naming), wanted, name, naming)


def everything(asked: Exported, found: Iterable[T]) -> Iterator[T]:
    """What a file holds: all that there is, or as many as are asked for."""
    return islice(found, most(asked))


def most(asked: Exported) -> int | None:
    """How many answers a file holds at most; None for all that there are."""
    if asked.cursor is not None:
        raise InvalidInput(
            "A file has no pages. Leave the cursor out, or ask for format=json.",
            "cursor",
            code="surfaces.file-cursor",
        )
    return asked.limit if "limit" in asked.model_fields_set else None


def each_page(page: Paging[T]) -> Iterator[Page[T]]:
    """Every page, read as it is used."""
    found = page(MOST, None)
    yield found
    while found.cursor is not None:
        found = page(MOST, found.cursor)
        yield found


def _kind(model: type[BaseModel]) -> type[BaseModel]:
    [kind] = get_args(model.model_fields["items"].annotation)
    return kind  # type: ignore[no-any-return]


# ── lists that are not in a table ─────────────────────────────────────────────────────────────────


def page_of(
    name: str, rows: Iterable[T], key: Callable[[T], tuple[str, ...]], limit: int, cursor: str | None
) -> Page[T]:
    """A page of rows in the order of their keys; the cursor names the last one that was given."""
    behind = () if cursor is None else _read(name, cursor)
    left = sorted((each for each in rows if key(each) > behind), key=key)
    more = len(left) > limit
    return Page(left[:limit], _write(name, key(left[limit - 1])) if more else None, 0)


def _write(name: str, key: tuple[str, ...]) -> str:
    return urlsafe_b64encode(orjson.dumps([name, *key])).decode().rstrip("=")


def _read(name: str, cursor: str) -> tuple[str, ...]:
    try:
        parts: Any = orjson.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError) as reason:
        raise foreign_cursor() from reason
    is_ours = isinstance(parts, list) and all(isinstance(each, str) for each in parts)
    if not is_ours or parts[:1] != [name]:
        raise foreign_cursor()
    return tuple(parts[1:])
