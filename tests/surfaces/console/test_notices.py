"""Notices travel in a cookie."""

from __future__ import annotations

import pytest

from hansang.surfaces.console.notices import Notice, unpacked


def test_a_notice_comes_out_as_it_went_in() -> None:
    notice = Notice("저장했습니다; 'ok'", "/changes/1", "되돌리기")
    assert unpacked(notice.packed()) == notice


def test_a_form_that_undoes_is_sent_to_this_server_alone() -> None:
    assert unpacked(Notice("Saved", undo="/changes/1/undo", fields={"a": "b"}).packed()) is not None
    for elsewhere in ("https://example.com/", "//example.com/", "/\\example.com", "javascript:alert(1)"):
        assert unpacked(Notice("Saved", undo=elsewhere).packed()) is None


@pytest.mark.parametrize(
    "cookie", [None, "", "nonsense", "e30=", "bnVsbA==", "eyJ0ZXh0IjoxLCJ4IjoyfQ==", "W10="]
)
def test_what_is_no_notice_is_none(cookie: str | None) -> None:
    assert unpacked(cookie) is None
