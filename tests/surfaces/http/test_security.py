"""The headers for the browser's sake."""

from __future__ import annotations

from hansang.surfaces.http.security import SecurityHeaders


def test_what_an_answer_says_by_itself_is_left() -> None:
    own = [(b"content-security-policy", b"default-src 'self'"), (b"etag", b'"1"')]
    headers = SecurityHeaders(is_secure=False).added(own)
    assert headers[:2] == own
    names = [name for name, _ in headers]
    assert len(names) == len(set(names))
    assert b"x-frame-options" in names


def test_only_over_https_a_browser_is_told_to_stay_there() -> None:
    name = b"strict-transport-security"
    assert name in dict(SecurityHeaders(is_secure=True).added([]))
    assert name not in dict(SecurityHeaders(is_secure=False).added([]))
