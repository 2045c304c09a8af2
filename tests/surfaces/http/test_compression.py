"""Bodies compressed piece by piece."""

from __future__ import annotations

import gzip as standard

from hansang.surfaces.http.compression import Compressor, gzip


def test_the_pieces_of_a_body_are_one_stream() -> None:
    compressor = Compressor()
    pieces = [b"first " * 1000, b"", b"second " * 1000]
    sent = [compressor.compress(piece, is_last=False) for piece in pieces]
    sent.append(compressor.compress(b"last", is_last=True))
    assert standard.decompress(b"".join(sent)) == b"".join(pieces) + b"last"


def test_a_whole_body_is_compressed_at_once() -> None:
    assert standard.decompress(gzip(b"whole " * 1000)) == b"whole " * 1000
