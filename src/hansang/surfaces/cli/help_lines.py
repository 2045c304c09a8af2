"""Groups of commands whose help says of each command a whole sentence, over several lines where it is long."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

_WHOLE = 1_000
"""More than any first sentence has, so that none is cut."""


class HelpGroup(TyperGroup):
    """A group that cuts nothing off what its commands say of themselves."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands that are not hidden, each with its first sentence."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [
            (name, each.get_short_help_str(_WHOLE))
            for name, each in found
            if each is not None and not each.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
