"""Everything that a question answers, as a file in one of the formats of `http/export_formats.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

from pydantic import BaseModel
from starlette.responses import StreamingResponse

from hansang.design.entity import Model
from hansang.design.marks import Role
from hansang.parts.history import Actor
from hansang.surfaces.api.parameters import PAGE
from hansang.surfaces.api.unreadable import Read, documents_of, rows_of
from hansang.surfaces.api.writing import form, item_writer
from hansang.surfaces.http.export_formats import FORMATS, ExportRows
from hansang.surfaces.naming import Naming

_CHUNK = 64 * 1024

T = TypeVar("T")


def chosen(said: str | None, accept: str) -> str:
    """The form that a request asks for: what its address says, else the first that Accept names."""
    if said is not None:
        return said
    accepted = {kind: each.name for each in FORMATS.values() for kind in each.accepted}
    named = (each.partition(";")[0].strip().lower() for each in accept.split(","))
    return next((accepted[each] for each in named if each in accepted), PAGE)


def export(
    answers: Iterable[Read[Any]],
    kinds: tuple[type[Model], ...],
    wanted: str,
    name: str,
    naming: Naming,
    role: Role | None = None,
) -> StreamingResponse:
    """The answers as a file, sent as they are read, with what somebody with this role sees.

    With several kinds, the first column says which it is.
    """
    names = dict.fromkeys(name for kind in kinds for name in form(kind, role).names)
    rows = ExportRows(
        ("kind", *names) if len(kinds) > 1 else tuple(names),
        lambda: (_values(each, role) for each in rows_of(answers, naming, FORMATS[wanted].title.en)),
        lambda: documents_of(answers, item_writer(kinds, role), naming),
    )
    return attached(FORMATS[wanted].write(rows), wanted, name, naming)


def attached(lines: Iterator[bytes], wanted: str, name: str, naming: Naming) -> StreamingResponse:
    """A file to be saved; what is wrong with the question is found out before the answer begins.

    What is met later ends the connection, and so does an operator, so that the file is seen to be cut off.
    """
    kind = FORMATS[wanted]
    if naming.principal is not None:
        actor = Actor.of(naming.principal)
        lines = naming.shell.exports.watched(lines, actor, f"{name}.{wanted}", kind.heading_lines)
    pieces = chunks(lines)
    begun = chain(list(islice(pieces, 1)), pieces)
    headers = {"Content-Disposition": f'attachment; filename="{name}.{wanted}"'}
    return StreamingResponse(begun, headers=headers, media_type=kind.media_type)


def chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines in larger pieces, because each piece is a step between threads."""
    waiting = bytearray()
    for line in lines:
        waiting += line
        if len(waiting) >= _CHUNK:
            yield bytes(waiting)
            waiting.clear()
    if waiting:
        yield bytes(waiting)


def model_lines(
    answers: Iterable[Read[T]],
    show: Callable[[T], BaseModel],
    kind: type[BaseModel],
    wanted: str,
    naming: Naming,
) -> Iterator[bytes]:
    """Answers, each shown as one model, in the form that is wanted."""
    rows = ExportRows(
        tuple(kind.model_fields),
        lambda: (
            show(each).model_dump(mode="json") for each in rows_of(answers, naming, FORMATS[wanted].title.en)
        ),
        lambda: documents_of(answers, lambda each: show(each).model_dump_json().encode(), naming),
    )
    return FORMATS[wanted].write(rows)


def _values(entity: Any, role: Role | None) -> dict[str, Any]:
    kind = entity.__class__
    return {"kind": kind.__name__, **form(kind, role).values(entity)}
