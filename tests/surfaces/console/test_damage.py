"""A page that meets a damaged row says so, with the table and the way out."""

from __future__ import annotations

import pytest

from hansang.backends.embedded import Embedded
from hansang.backends.limits import Limited
from hansang.surfaces.shell import Shell
from tests.apps.assets.household import income
from tests.surfaces.console.conftest import Visitor

ASSETS = "/data/assets/tables/AssetManager"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "a row of the table AssetManager is not what was written"),
        ("ko", "테이블 AssetManager에 저장된"),
    ],
)
def test_a_damaged_row_has_a_page_that_names_it(
    visitor: Visitor, shell: Shell, language: str, said: str
) -> None:
    shell.database.put(income())
    limited = shell.database.backend
    assert isinstance(limited, Limited)
    backend = limited.backend
    assert isinstance(backend, Embedded)
    rows = backend.engine.catalog().table("AssetManager").rows
    backend.engine.store.write(
        lambda writer: writer.execute(f"UPDATE rows_{rows} SET value = CAST('{{}}' AS BLOB)")
    )
    browser = visitor("owner")
    browser.client.headers["accept-language"] = language
    page = browser.get(ASSETS)
    assert page.status == 503
    assert said in page.shown
    assert "hansang check" in page.shown
