"""Adds the register of clauses to what is built, with the results of the last test run, if there was one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RegisterHook(BuildHookInterface[Any]):
    """A wheel has the register; a source distribution has what it is made from."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the register, unless the package stays in its checkout, which makes its own when it is asked for."""
        root = Path(self.root)
        if self.target_name == "sdist":
            results = root / "build" / "clause-results.json"
            build_data["force_include"] |= (
                {str(results): f"build/{results.name}"} if results.is_file() else {}
            )
        elif version != "editable":
            sys.path[:0] = [str(root), str(root / "src")]
            from tools.register.register import made
            from tools.register.results import written_whole

            register = root / "build" / "wheel" / "clauses.json"
            written_whole(register, made(root))
            build_data["force_include"][str(register)] = "hansang/blueprint/clauses.json"
