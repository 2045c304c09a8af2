"""Lists that arrive as objects of a bucket: news/archive/2026.jsonl is a list of the source archive."""

from __future__ import annotations

from hashlib import sha256

from hansang.apps.application import ObjectArrived
from hansang.apps.news.decoding import ListText
from hansang.apps.news.design import YAHOO_LATEST, Run
from hansang.apps.news.inputs import form_of, read_links
from hansang.apps.news.jobs import load_counts
from hansang.apps.news.loading import Origin
from hansang.apps.news.service import News
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import Busy, Unavailable
from hansang.parts.jobs import JobResult
from hansang.parts.topics import Topics


def load_object(database: Database, clock: Clock, arrived: ObjectArrived) -> JobResult:
    """Load a list once, however often it arrives; a load that was broken off goes on."""
    with arrived.open() as body:
        run = News(database, clock, publish=Topics(database, clock).publish).loader.load(
            read_links(ListText(body), form_of(arrived.key)),
            source=_source(arrived.key),
            name=arrived.address,
            origin=Origin(arrived.modified_at, _mark(arrived)),
            stop=arrived.stop,
        )
    _expect_whole(run, arrived)
    return JobResult(f"{run.inserted:,} new links of {run.total:,} in {arrived.address}", load_counts(run))


def _source(key: str) -> str:
    """The second folder of a key, if there is one."""
    folders = key.split("/")[1:-1]
    return folders[0] if folders else YAHOO_LATEST


def _mark(arrived: ObjectArrived) -> str:
    return sha256(f"{arrived.bucket}\n{arrived.key}\n{arrived.version}".encode()).hexdigest()[:16]


def _expect_whole(run: Run, arrived: ObjectArrived) -> None:
    if run.run_state != "finished":
        raise Busy(f"The time was up for {arrived.address}. The run {run.id} goes on when it comes again.")
    if run.failed:
        raise Unavailable(f"{run.failed:,} links of {arrived.address} could not be stored, in run {run.id}.")
