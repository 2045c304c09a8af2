"""Addresses of backends, as `--data` takes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hansang.backends.aws import Aws
from hansang.backends.embedded import Embedded
from hansang.backends.urls import is_file, open_backend
from hansang.errors import SettingsError, StoreError
from tests.surfaces.support import serving


def test_a_path_is_a_data_file(tmp_path: Path) -> None:
    for place in (tmp_path / "a.db", str(tmp_path / "b?c.db")):
        with open_backend(place, durability="normal") as backend:
            assert backend.call("ListTables", {}) == {"TableNames": []}
        assert Path(place).is_file()


def test_a_file_that_is_not_there_is_refused_where_none_may_be_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"Data file not found: .*typo\.db"):
        open_backend(tmp_path / "typo.db", create=False)
    assert list(tmp_path.iterdir()) == []
    with open_backend(":memory:", create=False) as backend:
        assert backend.call("ListTables", {}) == {"TableNames": []}


def test_only_a_path_is_a_file() -> None:
    assert [place for place in ("a.db", "./aws:x", Path("b")) if not is_file(place)] == []
    elsewhere = (":memory:", "aws:", "aws:eu-west-1", "http://h:1", "https://h", "s3://b/c", "")
    assert [place for place in elsewhere if is_file(place)] == []


def test_memory_keeps_nothing() -> None:
    with open_backend(":memory:") as backend:
        assert isinstance(backend, Embedded)


def test_a_file_that_is_not_ours_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("rice " * 1000)
    with pytest.raises(StoreError):
        open_backend(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("address", "region", "profile", "endpoint"),
    [
        ("aws:ap-northeast-2", "ap-northeast-2", None, None),
        ("aws:ap-northeast-2?profile=my%20shop", "ap-northeast-2", "my shop", None),
        ("aws:", None, None, None),
        ("aws:?profile=shop", None, "shop", None),
        ("http://localhost:8000", "us-east-1", None, "http://localhost:8000"),
        ("http://[::1]:8000?region=eu-west-1", "eu-west-1", None, "http://[::1]:8000"),
        ("https://db.example/alternator?profile=x", "us-east-1", "x", "https://db.example/alternator"),
    ],
)
def test_an_address_names_region_profile_and_endpoint(
    address: str, region: str | None, profile: str | None, endpoint: str | None
) -> None:
    with open_backend(address) as backend:
        assert isinstance(backend, Aws)
        assert (backend.region, backend.profile, backend.endpoint) == (region, profile, endpoint)


def test_an_endpoint_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with (
        Embedded.open() as engine,
        serving(engine) as address,
        open_backend(f"{address.url}?region=ap-northeast-2") as backend,
    ):
        assert backend.call("ListTables", {}) == {"TableNames": []}


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ftp://host/file",
        "dynamodb://local",
        "http://",
        "http://:8000",
        "http://host:notaport",
        "http://host:8000?regoin=x",
        "http://host:8000?region=",
        "http://host:8000?region=a&region=b",
        "http://host:8000#a",
        "aws:서울",
        "aws:us east",
        "aws://us-east-1",
        "aws:us-east-1?region=us-east-1",
    ],
)
def test_an_address_that_means_nothing_is_an_error_of_settings(address: str) -> None:
    with pytest.raises(SettingsError):
        open_backend(address)
