"""Events of AWS as it documents them, and what each asks for."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hansang.errors import InvalidInput
from hansang.surfaces.aws_events import HttpRequest, JobDue, ObjectCreated, read_event

EVENTS = Path(__file__).parent / "events"


def event(name: str) -> dict[str, Any]:
    found = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def test_a_request_of_api_gateway_is_told_by_its_context() -> None:
    assert read_event({"version": "2.0", "requestContext": {"http": {"method": "GET"}}}) == HttpRequest()


def test_a_scheduler_names_a_job_and_its_time() -> None:
    assert read_event(event("scheduler")) == JobDue("news-check", datetime(2026, 11, 16, 0, 10, tzinfo=UTC))
    assert read_event({"hansang": {"job": "news-check"}}) == JobDue("news-check", None)


def test_the_keys_that_s3_tells_are_written_as_in_a_url() -> None:
    assert read_event(event("s3_records")) == [
        ObjectCreated("lists", "news/archive/뉴스 2026.jsonl", None),
        ObjectCreated("lists", "news/a+b.csv", "096fKKXTRTtl3on89fVO.nfljtsv6qko"),
    ]


def test_the_keys_that_eventbridge_tells_are_as_they_are() -> None:
    version = "IYV3p45BT0ac8hjHg1houSdS1a.Mro8e"
    assert read_event(event("s3_eventbridge")) == [ObjectCreated("lists", "news/a+b 뉴스.jsonl", version)]


def removed() -> dict[str, Any]:
    found = event("s3_records")
    found["Records"][1]["eventName"] = "ObjectRemoved:Delete"
    return found


@pytest.mark.parametrize(
    "unknown",
    [
        {},
        event("sqs"),
        removed(),
        event("s3_eventbridge") | {"detail-type": "Object Deleted"},
        event("s3_eventbridge") | {"detail": {"bucket": {}}},
        {"Records": None},
        {"Records": [None]},
        {"hansang": "news-check"},
        {"hansang": {}},
        {"hansang": {"job": 5}},
        {"hansang": {"job": "news-check", "at": "soon"}},
    ],
)
def test_an_event_of_another_shape_is_told_what_is_accepted(unknown: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"API Gateway.*\"hansang\".*Records.*Object Created"):
        read_event(unknown)
