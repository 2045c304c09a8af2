"""The other end of the sandbox: a process that answers one call after the other until its input ends."""

from __future__ import annotations

import json
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from importlib import import_module
from typing import IO, Any

from hansang.errors import InvalidInput, Unavailable

_LENGTHS = struct.Struct(">QQ")


def send(stream: IO[bytes], header: dict[str, Any], content: bytes = b"") -> None:
    """Write one message: the lengths of both parts, then the parts."""
    head = json.dumps(header).encode()
    stream.write(_LENGTHS.pack(len(head), len(content)) + head)
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes], most: int | None = None) -> tuple[dict[str, Any], bytes] | None:
    """Read one message; None at the end of the stream. ValueError for one that has more bytes than `most`."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head, content = _LENGTHS.unpack(lengths)
    if most is not None and head + content > most:
        raise ValueError("The message is too long.")
    found = stream.read(head), stream.read(content)
    if (len(found[0]), len(found[1])) != (head, content):
        return None
    return json.loads(found[0]), found[1]


def serve() -> None:
    """Answer what comes by the standard input, within the limits that each call names."""
    # What a library prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    while (asked := receive(sys.stdin.buffer)) is not None:
        header, content = asked
        _limit_memory(header["megabytes"] * 1024 * 1024)
        send(answers, _answer(header, content))


def _limit_memory(most: int) -> None:
    wanted = {resource.RLIMIT_AS: most, resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0}
    for kind, limit in wanted.items():
        with suppress(ValueError, OSError):  # The machine allows even less.
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))


def _answer(header: dict[str, Any], content: bytes) -> dict[str, Any]:
    module, _, name = header["function"].partition(":")
    try:
        function = getattr(import_module(module), name)
        # The system kills the process by SIGPROF when it has used its time, whatever it is doing.
        signal.setitimer(signal.ITIMER_PROF, header["cpu_seconds"])
        return {"result": function(content, **header["arguments"])}
    except (InvalidInput, Unavailable) as error:
        values = {
            name: each if isinstance(each, int | float | str) else str(each)
            for name, each in error.values.items()
        }
        told = {"message": str(error), "code": error.code, "values": values}
        field = error.field if isinstance(error, InvalidInput) else ""
        return {"refused": {"kind": type(error).__name__, "field": field, **told}}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"[:500]}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
