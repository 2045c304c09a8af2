"""Whoever runs a command, as rights and history know it."""

from __future__ import annotations

import os
import pwd

from hansang.parts.permissions import EVERYWHERE, Principal


def operator() -> Principal:
    """The operator at the machine, who may do everything: whoever can run a command has the data anyway."""
    return Principal("operator", "command line", _login_name(), frozenset({f"{EVERYWHERE}:admin"}))


def _login_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # A container may run under a number that has no name.
        return f"uid {os.getuid()}"
