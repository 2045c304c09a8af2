"""The function of AWS Lambda under schedulers and buckets: S3 as moto plays it, tables on the embedded engine."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, cast

import pytest
from mangum.types import LambdaContext

from hansang import wiring
from hansang.apps.catalog import application
from hansang.apps.news import loading
from hansang.apps.news.design import Run
from hansang.apps.news.reading import Reading
from hansang.errors import InvalidInput, NotFound
from hansang.parts import journal
from hansang.parts.jobs import Job, JobResult
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.timestamps import to_datetime
from hansang.parts.words import Words
from hansang.settings import ServerSettings
from hansang.surfaces.aws_lambda import EventFailed, Gateway
from tests.apps.news.lists import links
from tests.surfaces.test_aws_events import event

SETTINGS = ServerSettings(data=":memory:", jobs=False, apps=("news",))


@dataclass
class Remaining:
    """What a function knows of its invocation."""

    milliseconds: int = 900_000
    function_name: str = "hansang-HansangApi-1a2b3c"

    def get_remaining_time_in_millis(self) -> int:
        return self.milliseconds


CONTEXT = cast(LambdaContext, Remaining())


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    with closing(Gateway(SETTINGS)) as opened:
        yield opened


def emitted(captured: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The lines from which CloudWatch makes metrics."""
    return [json.loads(line) for line in captured.readouterr().out.splitlines() if '"_aws"' in line]


# ── jobs ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_job_that_is_due_is_run_once_and_is_in_the_journal(gateway: Gateway) -> None:
    first = gateway(event("scheduler"), CONTEXT)
    assert (first["job"], first["slot"], first["state"]) == ("news-check", "2026-11-16T00:10:00Z", "done")
    assert gateway(event("scheduler"), CONTEXT) == first
    [run] = gateway._shell.jobs.runs("news-check")
    assert (run.slot, run.attempts, run.counts) == (
        "2026-11-16T00:10:00Z",
        1,
        {"links": 0, "drift": 0, "collisions": 0},
    )


def test_the_numbers_of_a_job_become_metrics(gateway: Gateway, capsys: pytest.CaptureFixture[str]) -> None:
    gateway(event("scheduler"), CONTEXT)
    [line] = emitted(capsys)
    [metrics] = line["_aws"]["CloudWatchMetrics"]
    assert (metrics["Namespace"], metrics["Dimensions"]) == ("Hansang", [["FunctionName", "Application"]])
    assert {each["Name"] for each in metrics["Metrics"]} == {"links", "drift", "collisions"}
    assert (line["FunctionName"], line["Application"]) == ("hansang-HansangApi-1a2b3c", "news")
    assert (line["drift"], line["collisions"]) == (0, 0)
    assert line["_aws"]["Timestamp"] > 1_700_000_000_000


def test_a_job_that_fails_raises_so_that_aws_tries_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[JobRun] = []

    def second_time_right(run: JobRun) -> JobResult:
        tries.append(run)
        if len(tries) == 1:
            raise ValueError("no network")
        return JobResult("done")

    job = Job(
        name="try", title=Words("해 보기", "Try"), run=second_time_right, schedule=Schedule.every(86_400)
    )
    news = replace(application("news"), jobs=lambda database, clock, settings: (job,))
    monkeypatch.setattr(wiring, "served_applications", lambda settings: (news,))
    monkeypatch.setattr(journal, "FIRST_PAUSE", timedelta(0))
    asked = {"hansang": {"job": "try"}}
    with closing(Gateway(SETTINGS)) as gateway, caplog.at_level(logging.CRITICAL, logger="hansang.jobs"):
        with pytest.raises(EventFailed, match="ValueError: no network"):
            gateway(asked, CONTEXT)
        assert gateway(asked, CONTEXT)["state"] == "done"
    assert [run.attempts for run in tries] == [1, 2]


def test_a_job_that_is_not_there_is_not_found(gateway: Gateway) -> None:
    with pytest.raises(NotFound, match="There are: news-check, news-mend"):
        gateway({"hansang": {"job": "nothing"}}, CONTEXT)


def test_an_event_of_another_shape_is_refused(gateway: Gateway) -> None:
    with pytest.raises(InvalidInput, match="is not accepted"):
        gateway(event("sqs"), CONTEXT)


# ── objects ───────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def lists(s3: Any) -> Any:
    s3.create_bucket(Bucket="lists")
    return s3


def put(lists: Any, key: str, count: int = 3, first: int = 0) -> dict[str, Any]:
    """Store a list, and what EventBridge tells of it."""
    body = "".join(f"{json.dumps(each)}\n" for each in links(count, first))
    stored = lists.put_object(Bucket="lists", Key=key, Body=body.encode())
    found = event("s3_eventbridge")
    found["detail"]["object"] = {"key": key, "size": len(body), "etag": stored["ETag"].strip('"')}
    if "VersionId" in stored:
        found["detail"]["object"]["version-id"] = stored["VersionId"]
    return found


def runs(gateway: Gateway) -> list[Run]:
    today = to_datetime(gateway._shell.clock()).date()
    return list(Reading(gateway._shell.database).each_run(today - timedelta(days=1), today))


def test_a_list_in_the_folder_of_news_is_loaded_once(
    gateway: Gateway, lists: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    told = put(lists, "news/archive/a+b 뉴스.jsonl")
    first = gateway(told, CONTEXT)
    assert first == {"results": ["3 new links of 3 in s3://lists/news/archive/a+b 뉴스.jsonl"]}
    assert gateway(told, CONTEXT) == first
    [run] = runs(gateway)
    assert (run.source, run.inserted, run.run_state) == ("archive", 3, "finished")
    assert [line["inserted"] for line in emitted(capsys)] == [3, 3]


def test_several_records_are_loaded_and_their_keys_decoded(gateway: Gateway, lists: Any) -> None:
    told = event("s3_records")
    put(lists, "news/archive/뉴스 2026.jsonl")
    lists.put_object(Bucket="lists", Key="news/a+b.csv", Body=b"title,url\nOne,https://a.example/1\n")
    del told["Records"][1]["s3"]["object"]["versionId"]
    assert [text.partition(" ")[0] for text in gateway(told, CONTEXT)["results"]] == ["3", "1"]


def test_a_version_that_was_replaced_is_still_loaded(gateway: Gateway, lists: Any) -> None:
    lists.put_bucket_versioning(Bucket="lists", VersioningConfiguration={"Status": "Enabled"})
    old, new = put(lists, "news/latest.jsonl", 2), put(lists, "news/latest.jsonl", 5)
    assert gateway(old, CONTEXT)["results"][0].startswith("2 new links of 2 ")
    assert gateway(new, CONTEXT)["results"][0].startswith("3 new links of 5 ")
    assert len(runs(gateway)) == 2


def test_one_object_that_fails_does_not_stop_the_others(
    gateway: Gateway, lists: Any, caplog: pytest.LogCaptureFixture
) -> None:
    told = event("s3_records")
    del told["Records"][1]["s3"]["object"]["versionId"]
    put(lists, "news/archive/뉴스 2026.jsonl")
    with pytest.raises(EventFailed, match=r"^s3://lists/news/a\+b.csv: .*Not Found"):
        gateway(told, CONTEXT)
    [run] = runs(gateway)
    assert run.run_state == "finished"
    assert "was not taken" in caplog.text


def test_a_load_stops_before_the_function_is_ended_and_goes_on_next_time(
    gateway: Gateway, lists: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(loading, "PART", 4)
    told = put(lists, "news/long.jsonl", 10)
    with (
        caplog.at_level(logging.CRITICAL, logger="hansang.lambda"),
        pytest.raises(EventFailed, match="The time was up"),
    ):
        gateway(told, cast(LambdaContext, Remaining(milliseconds=2_000)))
    [stopped] = runs(gateway)
    assert (stopped.run_state, stopped.total) == ("stopped", 0)
    gateway(told, CONTEXT)
    [finished] = runs(gateway)
    assert (finished.id, finished.run_state, finished.inserted) == (stopped.id, "finished", 10)


@pytest.mark.parametrize("key", ["codex/a.jsonl", "latest.jsonl", "news"])
def test_an_object_that_no_application_takes_is_refused(
    gateway: Gateway, lists: Any, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(EventFailed, match="The folders that are taken: news/"):
        gateway(put(lists, key), CONTEXT)


def test_a_folder_is_passed_over(gateway: Gateway, lists: Any) -> None:
    told = put(lists, "news/archive/")
    assert gateway(told, CONTEXT) == {"results": ["s3://lists/news/archive/ is a folder"]}
    assert runs(gateway) == []


def test_a_list_is_read_as_it_is_loaded(
    gateway: Gateway, lists: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No read asks for more than a piece of the object."""
    sizes: list[int | None] = []
    told = put(lists, "news/long.jsonl", 3000)
    body: Any = type(lists.get_object(Bucket="lists", Key="news/long.jsonl")["Body"])
    read = body.read

    def noted(self: Any, amt: int | None = None) -> bytes:
        sizes.append(amt)
        found: bytes = read(self, amt)
        return found

    monkeypatch.setattr(body, "read", noted)
    assert gateway(told, CONTEXT)["results"][0].startswith("3,000 new links")
    assert len(sizes) > 3
    assert all(size is not None and 0 < size <= 65_536 for size in sizes)
