"""Pieces of bytes as one file."""

from __future__ import annotations

from hansang.parts.pieces import opened_pieces


def test_pieces_are_read_as_one_file_and_it_says_how_far() -> None:
    with opened_pieces(iter([b"one,", b"two,", b"three"])) as file:
        assert file.read(6) == b"one,tw"
        assert file.tell() == 6
        assert file.read() == b"o,three"
        assert (file.tell(), file.read()) == (13, b"")


def test_no_pieces_are_an_empty_file() -> None:
    with opened_pieces(iter([])) as file:
        assert file.read() == b""
