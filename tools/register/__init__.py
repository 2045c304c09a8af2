"""Makes the register of clauses from the pages of the specification, the tests and the sources.

Only the standard library and `hansang.blueprint.clauses` are imported, so that it runs while a package is built.
"""

from __future__ import annotations
