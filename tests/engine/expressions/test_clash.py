"""Paths that touch the same place, told in one walk as if each were compared with each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hansang.engine.expressions.parser import clash
from hansang.engine.expressions.tree import Path, shown

parts: st.SearchStrategy[str | int] = st.sampled_from(["a", "b", "0"]) | st.integers(0, 1)
paths = st.builds(lambda root, rest: (root, *rest), st.sampled_from("ab"), st.lists(parts, max_size=3))


def _pairwise(found: list[Path]) -> str | None:
    verbs: dict[str, str] = {}
    for later, second in enumerate(found):
        for first in found[:later]:
            common = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
            if common is None:
                verbs.setdefault("overlap", f"{shown(first)}, path two: {shown(second)}")
            elif common and type(first[common]) is not type(second[common]):
                verbs.setdefault("conflict", f"{shown(first)}, path two: {shown(second)}")
    return verbs.get("overlap") or verbs.get("conflict")


@given(found=st.lists(paths, max_size=6))
def test_the_first_two_paths_that_clash_are_named(found: list[Path]) -> None:
    said, expected = clash(found), _pairwise(found)
    assert (said is None) == (expected is None)
    if said is not None and expected is not None:
        assert said.endswith(f"path one: {expected}")
