"""Pictures through the API: looked at by content, kept once, served so that nothing runs."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from PIL import Image
from starlette.exceptions import HTTPException

from hansang.apps.codex.api.pictures import PictureRoutes
from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.pictures import LARGEST_PICTURE
from hansang.surfaces.api.routes import Routes, http_problem
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.http.frame import Frame
from hansang.surfaces.shell import Shell
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SETTINGS, SetClock, new_key, opened

PATH = "/api/codex/pictures"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def picture(kind: str = "PNG", size: tuple[int, int] = (3, 2)) -> bytes:
    found = BytesIO()
    Image.new("RGB", size).save(found, kind)
    return found.getvalue()


def without_pixels() -> bytes:
    """A PNG with a colour profile before its header, and no data after it."""
    signature, header = picture()[:8], picture()[8:33]
    return signature + chunk(b"iCCP", b"name\0\0" + zlib.compress(b"profile")) + header + chunk(b"IEND", b"")


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("site")


@pytest.fixture(scope="module")
def writer(folder: Path) -> Iterator[Caller]:
    """A caller of the product in its frame, which bounds bodies."""
    settings = replace(SETTINGS, data=str(folder / "site.db"), largest_body=50_000)
    with opened(SetClock(), settings, applications=(APPLICATION,)) as shell:
        yield caller_of(shell)


def caller_of(shell: Shell) -> Caller:
    app = FastAPI(exception_handlers={HTTPException: http_problem})
    app.router.routes.append(Routes(PictureRoutes(shell, Gate(shell)).all()))
    return Caller(Frame(app, shell), new_key(shell, "codex:write"))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_is_kept_once_and_served_with_headers_that_let_nothing_run(
    writer: Caller, kind: str
) -> None:
    sent = writer.send("POST", PATH, content=picture(kind))
    again = writer.send("POST", PATH, content=picture(kind), headers={"Content-Type": "text/html"})
    assert (sent.status_code, sent.json()) == (201, again.json())
    assert (sent.json()["width"], sent.json()["height"]) == (3, 2)
    served = writer.get(sent.json()["address"], headers={"Authorization": ""})
    assert served.content == picture(kind)
    assert served.headers["content-type"] == f"image/{kind.lower()}"
    assert served.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert served.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "content",
    [
        SVG,
        b"",
        b"GIF89a",
        picture()[:40],
        b"<html><script>",
        picture(size=(12_001, 1)),
        without_pixels(),
    ],
)
def test_what_is_no_picture_or_too_wide_is_refused_and_leaves_nothing(
    writer: Caller, folder: Path, content: bytes
) -> None:
    before = sorted((folder / "site.db-pictures").glob("*"))
    refused = writer.send("POST", PATH, content=content, headers={"Content-Type": "image/png"})
    assert refused.status_code == 422
    assert sorted((folder / "site.db-pictures").glob("*")) == before


def test_a_picture_is_larger_than_other_bodies_and_not_larger_than_its_own_limit(
    writer: Caller, folder: Path
) -> None:
    large = picture() + b"\0" * 100_000
    assert writer.send("POST", PATH, content=large).status_code == 201
    assert writer.send("POST", f"{PATH}/x", content=large).status_code == 413
    assert writer.send("POST", PATH, content=picture() + b"\0" * LARGEST_PICTURE).status_code == 413
    assert not list((folder / "site.db-pictures").glob("*.part"))


def test_a_bucket_keeps_pictures_as_a_folder_does(s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bucket is private: pictures are served by us, whole, and what is refused never gets there."""
    s3.create_bucket(Bucket="pictures")
    monkeypatch.setenv("HANSANG_CODEX_PICTURES", "s3://pictures/site")
    with opened(SetClock(), applications=(APPLICATION,)) as shell:
        writer = caller_of(shell)
        large = picture() + b"\0" * 300_000
        sent = writer.send("POST", PATH, content=large)
        assert (sent.status_code, sent.json()["width"]) == (201, 3)
        assert writer.send("POST", PATH, content=SVG).status_code == 422
        name = sent.json()["address"].rpartition("/")[2]
        [kept] = s3.list_objects_v2(Bucket="pictures")["Contents"]
        assert (kept["Key"], kept["Size"]) == (f"site/{name}", len(large))
        served = writer.get(sent.json()["address"], headers={"Authorization": ""})
        assert served.content == large
        assert served.headers["content-type"] == "image/png"
        assert served.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert writer.get(f"{PATH}/{'a' * 32}.png").status_code == 404


@pytest.mark.parametrize("name", ["../site.db", "x.svg", "..%2Fsite.db", "a" * 32 + ".png"])
def test_no_other_file_is_served(writer: Caller, name: str) -> None:
    assert writer.get(f"{PATH}/{name}").status_code == 404
