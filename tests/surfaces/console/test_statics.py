"""Files that pages load: for ever under their version, small over the wire, and all there."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.surfaces.console import statics
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.console.statics import Statics
from tests.surfaces.console.conftest import Visitor

FILES = Rendering([PLATFORM, *APPLICATIONS]).statics


def test_a_file_is_kept_for_ever_under_its_version(visitor: Visitor) -> None:
    answer = visitor().get(FILES.url("tokens.css")).response
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/css; charset=utf-8"


def test_a_file_of_another_version_is_the_present_one_and_not_kept(visitor: Visitor) -> None:
    answer = visitor().get("/static/another/tokens.css").response
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.content == FILES.files["tokens.css"].plain


def test_a_file_comes_compressed_to_whoever_takes_it(visitor: Visitor) -> None:
    client = visitor().client
    packed = client.get(FILES.url("parts.css"), headers={"Accept-Encoding": "gzip"})
    plain = client.get(FILES.url("parts.css"), headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert gzip.decompress(FILES.files["parts.css"].packed) == plain.content


def test_nothing_beside_the_files_is_served(visitor: Visitor) -> None:
    for name in ("missing.css", "%2e%2e/app.py", "charts"):
        assert visitor().client.get(f"/static/{FILES.version}/{name}").status_code == 404


def test_the_version_changes_with_any_file(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a {}")
    before = Statics({"shop": tmp_path}).version
    (tmp_path / "a.css").write_text("b {}")
    assert Statics({"shop": tmp_path}).version != before


def test_every_module_that_is_imported_is_there() -> None:
    for name, file in FILES.files.items():
        assert set(file.imports) <= set(FILES.files), name


def test_a_script_names_all_modules_that_it_needs() -> None:
    names = {url.rpartition("/")[2] for url in FILES.modules("charts.js")}
    assert {"plane.js", "scales.js", "elements.js", "layout.js"} <= names


def test_style_sheets_use_only_tokens_that_are_there() -> None:
    sheets = "\n".join(file.plain.decode() for name, file in FILES.files.items() if name.endswith(".css"))
    set_here = set(re.findall(r"(--[\w-]+)\s*:", sheets))
    assert set(re.findall(r"var\((--[\w-]+)\)", sheets)) <= set_here


def test_every_page_is_small_when_nothing_is_kept_yet(visitor: Visitor) -> None:
    browser = visitor("owner")
    for path in ("/", "/apps/codex", "/changes", "/account", "/admin/people"):
        page = browser.get(path)
        loaded = set(re.findall(rf"/static/{FILES.version}/([\w./-]+)", page.text))
        weight = len(gzip.compress(page.text.encode())) + sum(
            len(FILES.files[each].packed) for each in loaded
        )
        assert weight < 60_000, (path, weight)


def test_all_kinds_of_files_of_the_folder_are_known() -> None:
    kinds = {path.suffix for path in statics.FOLDER.rglob("*") if path.is_file()}
    assert kinds == {".css", ".js", ".svg"}
