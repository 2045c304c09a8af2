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


def test_a_style_or_a_script_has_what_counts_for_a_file() -> None:
    names = {name for name, _ in SecurityHeaders(is_secure=True).added([(b"content-type", b"text/css")])}
    assert {b"x-content-type-options", b"cross-origin-resource-policy"} <= names
    assert b"content-security-policy" not in names
    page = {name for name, _ in SecurityHeaders(is_secure=True).added([(b"content-type", b"text/html")])}
    assert b"content-security-policy" in page
