"""Two texts compared by blocks and words, and made into one."""

from __future__ import annotations

from hansang.apps.codex.diffs import LONGEST_COMPARED, compare, merged, sizes


def test_only_the_words_that_differ_are_marked() -> None:
    same, changed = compare("Hello.\n\nWe open on Monday.", "Hello.\n\nWe open on Tuesday.")
    assert (same.kind, changed.kind) == ("same", "changed")
    assert [each.text for each in changed.left if each.is_changed] == ["Monday."]
    assert [each.text for each in changed.right if each.is_changed] == ["Tuesday."]
    assert sizes([same, changed]) == (8, 7)


def test_a_block_that_one_text_lacks_is_added_or_removed() -> None:
    assert [each.kind for each in compare("a", "a\n\nb")] == ["same", "added"]
    assert [each.kind for each in compare("a\n\nb", "b")] == ["removed", "same"]
    assert compare("", "") == []


def test_a_very_long_block_is_shown_as_changed_as_a_whole() -> None:
    [found] = compare("x " * LONGEST_COMPARED, "y " * LONGEST_COMPARED)
    assert (len(found.left), len(found.right)) == (1, 1)


def test_of_each_block_that_differs_the_chosen_one_is_taken() -> None:
    stored, mine = "one\n\ntwo\n\nthree", "one\n\n2\n\nthree\n\nfour"
    assert merged(stored, mine, {1: "mine", 3: "stored"}, {}) == ("one\n\n2\n\nthree", [])
    assert merged(stored, mine, {1: "both", 3: "mine"}, {1: "two, 2"})[0] == "one\n\ntwo, 2\n\nthree\n\nfour"


def test_a_block_without_a_choice_is_asked_again() -> None:
    assert merged("a\n\nb", "a\n\nc", {}, {}) == ("a\n\nb", [1])
