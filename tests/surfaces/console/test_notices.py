"""Notices travel in a cookie."""

from __future__ import annotations

import pytest

from hansang.surfaces.console.notices import Notice, unpacked


def test_a_notice_comes_out_as_it_went_in() -> None:
    notice = Notice("저장했습니다; 'ok'", "/changes/1", "되돌리기")
    assert unpacked(notice.packed()) == notice


@pytest.mark.parametrize(
    "cookie", [None, "", "nonsense", "e30=", "bnVsbA==", "eyJ0ZXh0IjoxLCJ4IjoyfQ==", "W10="]
)
def test_what_is_no_notice_is_none(cookie: str | None) -> None:
    assert unpacked(cookie) is None
