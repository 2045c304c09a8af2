"""Tables belong to the region that a request is signed for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hansang.backends.embedded import Embedded
from hansang.errors import WireError
from hansang.surfaces.wire.messages import WireRequest
from hansang.surfaces.wire.regions import Regions, region_of
from tests.engine.control import definition


def opened(place: str, region: str) -> Embedded:
    return Embedded.open(place, region=region, sweeps=False)


@pytest.fixture(params=[":memory:", "data.db"])
def regions(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Regions]:
    data = request.param if request.param == ":memory:" else str(tmp_path / request.param)
    with opened(data, "us-east-1") as home, closing(Regions(home, "us-east-1", data, opened)) as found:
        yield found


def signed(region: str) -> WireRequest:
    credential = (
        f"AWS4-HMAC-SHA256 Credential=local/20261116/{region}/dynamodb/aws4_request, SignedHeaders=host"
    )
    return WireRequest("POST", "/", "", {"authorization": credential})


def test_a_region_has_tables_of_its_own(regions: Regions, tmp_path: Path) -> None:
    def listed(region: str | None) -> list[str]:
        names: list[str] = regions.backend(region, "ListTables").call("ListTables", {})["TableNames"]
        return names

    assert listed("eu-west-1") == listed("us-east-1") == []
    for region, name in (("us-east-1", "rice"), ("eu-west-1", "rice"), ("eu-west-1", "beans")):
        made = regions.backend(region, "CreateTable").call("CreateTable", definition(name))
        assert made["TableDescription"]["TableArn"].split(":")[3] == region
    assert (listed("us-east-1"), listed(None)) == (["rice"], ["rice"])
    assert (listed("eu-west-1"), listed("ap-northeast-2")) == (["beans", "rice"], [])
    assert not list(tmp_path.glob("*ap-northeast-2*"))


def test_a_region_is_there_again_when_its_file_is(tmp_path: Path) -> None:
    data = str(tmp_path / "data.db")
    for found in ([], ["rice"]):
        with opened(data, "us-east-1") as home, closing(Regions(home, "us-east-1", data, opened)) as regions:
            backend = regions.backend("eu-west-1", "ListTables")
            assert backend.call("ListTables", {})["TableNames"] == found
            if not found:
                regions.backend("eu-west-1", "CreateTable").call("CreateTable", definition("rice"))
    assert (tmp_path / "data.eu-west-1.db").exists()


def test_no_more_regions_are_opened_than_there_are(regions: Regions) -> None:
    names = [f"us-test-{number}" for number in range(41)]
    with pytest.raises(WireError, match="At most 40 regions"):
        for name in names:
            regions.backend(name, "ListTables")
    assert regions.backend("us-east-1", "ListTables").call("ListTables", {}) == {"TableNames": []}


def test_the_region_is_that_of_the_credentials() -> None:
    query = "X-Amz-Credential=local%2F20261116%2Feu-west-1%2Fdynamodb%2Faws4_request"
    requests = [
        signed("ap-northeast-2"),
        signed("local"),
        signed("us-../../etc-1"),
        WireRequest("POST", "/", query, {}),
        WireRequest("POST", "/", "", {}),
    ]
    assert [region_of(each) for each in requests] == ["ap-northeast-2", None, None, "eu-west-1", None]
