"""What an event of AWS asks for: a request over HTTP, a job that is due, or objects that were put into a bucket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote_plus

from hansang.errors import InvalidInput

ACCEPTED = (
    "requests of API Gateway (requestContext)",
    'a job that is due ({"hansang": {"job": "news-mend", "at": "2026-11-15T00:20:00Z"}})',
    "objects that S3 created, as S3 tells (Records) or as EventBridge does (detail-type Object Created)",
)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request that API Gateway passes on."""


@dataclass(frozen=True, slots=True)
class JobDue:
    """A job that a scheduler asks for; `at` is when it was due, if the scheduler says so."""

    job: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class ObjectCreated:
    """An object that was put into a bucket; without a version the newest is meant."""

    bucket: str
    key: str
    version: str | None


def read_event(event: Mapping[str, Any]) -> HttpRequest | JobDue | list[ObjectCreated]:
    """What an event asks for, or InvalidInput with what is accepted."""
    try:
        if "requestContext" in event:
            return HttpRequest()
        if "hansang" in event:
            return _job(event["hansang"])
        if event.get("source") == "aws.s3":
            return [_of_eventbridge(event)]
        if event.get("Event") == "s3:TestEvent":
            return []  # S3 tries whether it may call the function.
        return [_of_s3(record) for record in event["Records"]]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as reason:
        raise InvalidInput(
            f"This event is not accepted ({type(reason).__name__}: {reason}). Send {'; or '.join(ACCEPTED)}."
        ) from reason


def _job(asked: Mapping[str, Any]) -> JobDue:
    name, at = asked["job"], asked.get("at")
    if not isinstance(name, str):
        raise TypeError("the name of the job has to be a text")
    return JobDue(name, None if at is None else datetime.fromisoformat(at).astimezone(UTC))


def _of_s3(record: Mapping[str, Any]) -> ObjectCreated:
    """As S3 itself tells a function: the key is written as in a URL, with + for a space."""
    _expect(record["eventSource"], "aws:s3")
    _expect(record["eventName"].removeprefix("s3:").partition(":")[0], "ObjectCreated")
    found = record["s3"]["object"]
    return ObjectCreated(record["s3"]["bucket"]["name"], unquote_plus(found["key"]), found.get("versionId"))


def _of_eventbridge(event: Mapping[str, Any]) -> ObjectCreated:
    """As EventBridge tells: the key is written as it is."""
    _expect(event["detail-type"], "Object Created")
    found = event["detail"]["object"]
    return ObjectCreated(event["detail"]["bucket"]["name"], found["key"], found.get("version-id"))


def _expect(found: str, wanted: str) -> None:
    if found != wanted:
        raise ValueError(f"it is of {found}, not of {wanted}")
