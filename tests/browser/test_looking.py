"""The look for what is wrong with a page finds it."""

from __future__ import annotations

from tests.browser.browsing import Opening
from tests.browser.looking import violations

PAGE = """<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>
<p style="color: #aaa; background: #fff">Hardly seen</p></main><footer><input></footer></html>"""


def test_what_is_wrong_is_found_in_the_whole_page_or_in_a_part(opened: Opening) -> None:
    page = opened().page()
    page.set_content(PAGE)
    assert [each.partition(":")[0] for each in violations(page, "main")] == ["color-contrast"]
    assert [each.partition(":")[0] for each in violations(page)] == ["color-contrast", "label"]
