"""DescribeEndpoints: the endpoint of the region, for a day."""

from __future__ import annotations

import pytest

from hansang.engine import Engine


@pytest.mark.parametrize("region", ["us-east-1", "ap-northeast-2"])
def test_the_endpoint_is_that_of_the_engines_region(region: str) -> None:
    with Engine.open(region=region, sweep_seconds=None) as engine:
        [endpoint] = engine.call("DescribeEndpoints", {})["Endpoints"]
    assert endpoint == {"Address": f"dynamodb.{region}.amazonaws.com", "CachePeriodInMinutes": 1440}
