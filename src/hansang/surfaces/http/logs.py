"""What the server says while it runs: one line an event, for machines or for eyes."""

from __future__ import annotations

import logging
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

import orjson

from hansang.clock import Clock
from hansang.surfaces.http.request_ids import current

Form = Literal["json", "text"]


class AccessLog:
    """A line for every request.

    The lines do not go through the logging module, which would take longer over them than the frame over
    everything else. They hold no address and no query, where keys and links may stand.
    """

    def __init__(self, form: Form, clock: Clock, stream: TextIO) -> None:
        self._write = self._json if form == "json" else self._text
        self._clock, self._stream = clock, stream

    def write(
        self, request_id: str, method: str, route: str, status: int, seconds: float, principal: str | None
    ) -> None:
        """Log that a request was answered."""
        line = {
            "time": datetime.fromtimestamp(self._clock(), UTC),
            "level": "info",
            "logger": "hansang.access",
            "message": "request",
            "request_id": request_id,
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 2),
            "principal": principal,
        }
        # Nobody reads the log any more: no reason to fail the request.
        with suppress(OSError, ValueError):
            self._stream.write(self._write(line))

    def _json(self, line: dict[str, Any]) -> str:
        return _dumped(line)

    def _text(self, line: dict[str, Any]) -> str:
        return (
            f"{_seconds(line['time'])} {'info':7} {line['method']} {_one_line(line['route'])} {line['status']} "
            f"{line['ms']} ms {line['principal'] or '-'} [{line['request_id']}]\n"
        )


class JsonLines(logging.Formatter):
    """Each record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": current.get(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return _dumped(line).rstrip("\n")


class TextLines(logging.Formatter):
    """Each record as a line for eyes; the trace of an error follows in its own lines."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        time = _seconds(datetime.fromtimestamp(record.created, UTC))
        line = f"{time} {record.levelname.lower():7} {_one_line(record.getMessage())}"
        if request_id := current.get():
            line += f" [{request_id}]"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _dumped(line: dict[str, Any]) -> str:
    return orjson.dumps(line, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE).decode()


def _one_line(text: str) -> str:
    """The text with its control characters spelled out: nobody from outside can begin a line of the log."""
    return text if text.isprintable() else "".join(map(_spelled, text))


def _spelled(character: str) -> str:
    is_control = character in "\u2028\u2029" or unicodedata.category(character) == "Cc"
    return character.encode("unicode_escape").decode("ascii") if is_control else character


def _seconds(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}Z"


@contextmanager
def logging_to(form: Form, stream: TextIO | None = None) -> Iterator[None]:
    """Write what is logged to a stream, standard error if none is given, while the block runs."""
    handler = logging.StreamHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    root, ours = logging.getLogger(), logging.getLogger("hansang")
    before = ours.level
    root.addHandler(handler)
    ours.setLevel(logging.INFO)
    try:
        yield
    finally:
        ours.setLevel(before)
        root.removeHandler(handler)
