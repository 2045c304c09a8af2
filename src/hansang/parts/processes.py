"""Names of processes, by which another process of the same machine can tell whether one has ended."""

from __future__ import annotations

import os
from pathlib import Path
from socket import gethostname

_STATE, _STARTED = 0, 19
"""Places in `/proc/<pid>/stat` behind the name of the command, see proc(5)."""


def process_name(pid: int | None = None) -> str | None:
    """A name that no other process has, also after its number is given again; None where the system tells none."""
    number = os.getpid() if pid is None else pid
    try:
        return f"{_machine()} {number} {_stat(number)[_STARTED]}"
    except OSError:
        return None


def has_ended(name: str) -> bool:
    """Whether a process is known to be gone: it was one of this machine, and runs no more."""
    machine, pid, started = name.rsplit(" ", 2)
    try:
        if machine != _machine():
            return False
        found = _stat(int(pid))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return found[_STARTED] != started or found[_STATE] in "ZX"


def _machine() -> str:
    """This machine since it was started, and the numbers of processes that are seen here."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{gethostname()} {boot} {os.readlink('/proc/self/ns/pid')}"


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
