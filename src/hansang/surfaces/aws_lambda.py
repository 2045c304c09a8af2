"""The product as a function of AWS Lambda: its API, its jobs by schedule, and objects that arrive in a bucket."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import cache, cached_property
from threading import Event, Timer
from typing import Any, BinaryIO

import boto3
from mangum import Mangum
from mangum.types import LambdaContext

from hansang import wiring
from hansang.apps.application import Application, ObjectArrived
from hansang.backends.urls import is_file
from hansang.blueprint.events import METRIC_DIMENSIONS, METRICS_NAMESPACE
from hansang.errors import InvalidInput, SettingsError
from hansang.settings import ServerSettings
from hansang.surfaces.api.app import create_api
from hansang.surfaces.aws_events import HttpRequest, JobDue, ObjectCreated, read_event
from hansang.surfaces.http.export_formats import FORMATS
from hansang.surfaces.http.frame import framed
from hansang.surfaces.http.problems import PROBLEM_TYPE

_TEXTS = ["text/", "application/json", PROBLEM_TYPE, *(each.bare_type for each in FORMATS.values())]
_MARGIN_SECONDS = 15.0
"""How long before the function is ended a load is told to stop: as long as a part of it may take."""

log = logging.getLogger("hansang.lambda")


class EventFailed(Exception):
    """What an event asked for was not done; AWS delivers it again, and in the end to the dead-letter queue."""


class Gateway:
    """The product, opened once, which answers events one after another."""

    def __init__(self, settings: ServerSettings) -> None:
        with ExitStack() as opened:
            self._loop = opened.enter_context(closing(asyncio.new_event_loop()))
            opened.callback(asyncio.set_event_loop, None)
            self._shell = opened.enter_context(wiring.open_shell(settings))
            app = opened.enter_context(framed(create_api(self._shell), self._shell))
            asyncio.set_event_loop(self._loop)
            self._answer = Mangum(app, lifespan="off", text_mime_types=_TEXTS)
            self._opened = opened.pop_all()

    def __call__(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """The answer to a request in the form that API Gateway wants, or what came of a job or of objects."""
        asked = read_event(event)
        if isinstance(asked, HttpRequest):
            asyncio.set_event_loop(self._loop)
            return self._answer(event, context)
        if isinstance(asked, JobDue):
            return self._run(asked, context)
        return self._take_all(asked, context)

    def close(self) -> None:
        self._opened.close()

    # ── jobs ──────────────────────────────────────────────────────────────────────────────────────

    def _run(self, due: JobDue, context: LambdaContext) -> dict[str, Any]:
        """Run a job through the journal, so that a slot is run once, here or on a server."""
        area = self._shell.jobs.get(due.job).area
        run = self._shell.jobs.run_slot(due.job, due.at)
        if run.state == "failed":
            raise EventFailed(f"The job {run.name} failed for {run.slot}: {run.error}")
        self._tell_metrics(context, area, run.counts)
        return {"job": run.name, "slot": run.slot, "state": run.state, "result": run.result}

    # ── objects ───────────────────────────────────────────────────────────────────────────────────

    def _take_all(self, created: list[ObjectCreated], context: LambdaContext) -> dict[str, Any]:
        """Give every object to its application; one that fails does not stop the others."""
        results, failed = [], []
        with _before_the_end(context) as stop:
            for each in created:
                try:
                    results.append(self._take(each, stop, context))
                except Exception as fault:
                    log.exception("s3://%s/%s was not taken", each.bucket, each.key)
                    failed.append(f"s3://{each.bucket}/{each.key}: {fault}")
        if failed:
            raise EventFailed("; ".join(failed))
        return {"results": results}

    def _take(self, created: ObjectCreated, stop: Event, context: LambdaContext) -> str:
        application = self._application(created.key)
        if created.key.endswith("/"):
            return f"s3://{created.bucket}/{created.key} is a folder"
        assert application.on_object is not None
        arrived = self._arrived(created, stop)
        result = application.on_object(self._shell.database, self._shell.clock, arrived)
        self._tell_metrics(context, application.name, result.counts)
        return result.text

    def _application(self, key: str) -> Application:
        """The application whose folder an object lies in."""
        takers = {each.name: each for each in self._shell.applications if each.on_object is not None}
        folder, slash, _ = key.partition("/")
        if not slash or folder not in takers:
            folders = ", ".join(f"{name}/" for name in takers) or "none"
            raise InvalidInput(f"No application takes {key!r}. The folders that are taken: {folders}.")
        return takers[folder]

    def _arrived(self, created: ObjectCreated, stop: Event) -> ObjectArrived:
        version = {} if created.version is None else {"VersionId": created.version}
        asked = {"Bucket": created.bucket, "Key": created.key, **version}
        head = self._s3.head_object(**asked)

        @contextmanager
        def opened() -> Iterator[BinaryIO]:
            # An object that was replaced meanwhile arrives by itself.
            with closing(self._s3.get_object(**asked, IfMatch=head["ETag"])["Body"]) as body:
                yield body

        return ObjectArrived(
            bucket=created.bucket,
            key=created.key,
            # Without versions every object is of none, or of the one that is called null.
            version=f"{head.get('VersionId', '')} {head['ETag']}",
            modified_at=head["LastModified"],
            open=opened,
            stop=stop,
        )

    @cached_property
    def _s3(self) -> Any:
        make: Any = boto3.client
        return make("s3")

    # ── metrics ───────────────────────────────────────────────────────────────────────────────────

    def _tell_metrics(self, context: LambdaContext, application: str, counts: Mapping[str, int]) -> None:
        """Write numbers as a log line of CloudWatch's embedded metric format, from which it makes metrics."""
        if not counts:
            return
        metrics = {
            "Namespace": METRICS_NAMESPACE,
            "Dimensions": [METRIC_DIMENSIONS],
            "Metrics": [{"Name": name, "Unit": "Count"} for name in counts],
        }
        line = {
            "_aws": {"Timestamp": int(self._shell.clock() * 1000), "CloudWatchMetrics": [metrics]},
            **dict(zip(METRIC_DIMENSIONS, (context.function_name, application), strict=True)),
            **counts,
        }
        sys.stdout.write(f"{json.dumps(line)}\n")
        sys.stdout.flush()


@contextmanager
def _before_the_end(context: LambdaContext) -> Iterator[Event]:
    """An event that is set a while before the function is ended."""
    stop = Event()
    left = context.get_remaining_time_in_millis() / 1000 - _MARGIN_SECONDS
    if left <= 0:
        stop.set()
    timer = Timer(max(0.0, left), stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()
        timer.join()


@cache
def _gateway() -> Gateway:
    # A function sleeps between its events, so it looks for no jobs by itself; a scheduler asks for each.
    settings = ServerSettings.chosen({"jobs": False})
    if is_file(settings.data):
        raise SettingsError(f"A function cannot keep {settings.data}. Set HANSANG_DATA to aws:REGION.")
    return Gateway(settings)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """What AWS Lambda calls; the product is opened at the first event."""
    return _gateway()(event, context)
