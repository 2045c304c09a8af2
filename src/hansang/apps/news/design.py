"""The tables of the news list: every link once, as it was first seen, and beside it the work on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hansang.apps.news.rules import pk_of, upload_times
from hansang.design import GSI, Entity, Input, Key, Query, Table, Timestamp, View, attr, pattern

YAHOO_LATEST = "yf_latest"

Milliseconds = Annotated[int, Field(strict=True)]
Month = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$"), Input("month", "2026-11")]


class NewsItems(Table, name="news_items", pk="pk", sk=None):
    """Links; the index is beside the document and over attributes that items have anyway (X3-08)."""

    by_day = GSI(
        "dt_utc-uploaded_at_utc_ms-index",
        pk="dt_utc",
        sk="uploaded_at_utc_ms",
        project=["url", "title", "tickers", "source"],
    )


class NewsKey(Key["NewsItem"], pk="{pk}"):
    """The key of a link."""

    pk: str

    @classmethod
    def of(cls, url: str) -> NewsKey:
        """The key of the link that is this text, to the letter."""
        return NewsKey(pk=pk_of(url))


@lru_cache(maxsize=16)
def _times(at: datetime) -> dict[str, Any]:
    """The times of an upload by their fields; all links of a run have the same ones."""
    return asdict(upload_times(at))


class NewsItem(NewsKey, Entity, table=NewsItems):
    """A link as it was first uploaded, with the time of that in three zones."""

    source: str
    title: str
    url: str
    tickers: list[str]
    uploaded_at_utc_iso: Timestamp
    uploaded_at_utc_ms: Milliseconds
    uploaded_at_est_iso: str
    uploaded_at_kst_iso: str
    dt_utc: date
    dt_est: date
    dt_kst: date
    tz_est_abbr: str
    tz_est_is_dst: bool

    @classmethod
    def uploaded(
        cls, at: datetime, *, url: str, title: str, tickers: Sequence[str], source: str = YAHOO_LATEST
    ) -> Self:
        """The item of a link that is uploaded at this moment."""
        return cls(
            pk=pk_of(url),
            source=source,
            title=title,
            url=url,
            tickers=list(tickers),
            **_times(at),
        )

    @pattern
    def with_url(cls, url: str) -> Query[NewsItem]:
        """The item of a link."""
        return cls.query(NewsItem.pk == pk_of(url))


class NewsRow(NewsKey, View, index=NewsItems.by_day):
    """What a later stage needs of a link."""

    source: str
    title: str
    url: str
    tickers: list[str]
    dt_utc: date
    uploaded_at_utc_ms: Milliseconds

    @pattern
    def uploaded_on(cls, day: date) -> Query[NewsRow]:
        """What was uploaded on a day of UTC, in the order of its runs."""
        return cls.query(NewsRow.dt_utc == day)

    @pattern
    def uploaded_between(cls, day: date, since_ms: int, until_ms: int) -> Query[NewsRow]:
        """What was uploaded on a day of UTC in a span of milliseconds, both ends included."""
        span = attr(NewsRow.uploaded_at_utc_ms).between(since_ms, until_ms)
        return cls.query(NewsRow.dt_utc == day, span)


# ── the work beside the list: runs, crawl state, mentions (X3-08, X3-09) ──────────────────────────


class NewsWork(Table, name="news_work", pk="pk", sk="sk", type_attribute="type"):
    """Whatever changes; the list itself is written once."""

    by_state = GSI("state-since_ms-index", pk="state", sk="since_ms")


WorkState = Literal["waiting", "claimed", "failed", "done", "dead"]
Outcome = Literal["inserted", "duplicate", "duplicate_in_batch", "collision", "invalid", "failed"]
RunState = Literal["waiting", "running", "finished", "stopped"]


class AlarmCode(BaseModel):
    """An alarm as a code with its values; without a code it has no words but its own."""

    model_config = ConfigDict(frozen=True)

    code: str | None = None
    values: dict[str, str] | None = None


class RunKey(Key["Run"], pk="RUNS#{month}", sk="RUN#{id}"):
    """The key of a run; its id begins with its time."""

    month: Month
    id: str

    @classmethod
    def of(cls, run: str) -> RunKey:
        """The key of the run with this id."""
        return RunKey(month=f"{run[:4]}-{run[4:6]}", id=run)


class Run(RunKey, Entity, table=NewsWork, type="Run"):
    """One load of a list: when it was, and what became of it."""

    source: str
    name: str
    """Where the list came from, for people."""
    uploaded_at: Timestamp
    """The one clock reading of the run (X3-11)."""
    run_state: RunState
    total: int = 0
    inserted: int = 0
    duplicate: int = 0
    duplicate_in_batch: int = 0
    collision: int = 0
    invalid: int = 0
    failed: int = 0
    mended: int = 0
    """Links that the run stored and has not reported, and that a mend has counted for it."""
    alarms: list[str] = Field(default_factory=list, max_length=100)
    """What was unusual about the page, in English."""
    alarm_codes: list[AlarmCode] | None = Field(None, max_length=100)
    """The same as codes, one for each alarm; older runs have none."""
    finished_at: Timestamp | None = None
    stop_asked_at: Timestamp | None = None
    """When somebody asked for it to be stopped; its loader reads that before each part, in whichever process it is."""

    @pattern
    def of_month(cls, month: str) -> Query[Run]:
        """The runs of a month, the newest first."""
        return cls.query(Run.month == month).descending()


class RunSecondKey(Key["RunSecond"], pk="RUNS", sk="SECOND#{ms}"):
    """The key of a second in which a run was begun."""

    ms: int


class RunSecond(RunSecondKey, Entity, table=NewsWork, type="RunSecond"):
    """No two runs have the same time, so an item's time tells which run wrote it (X3-07)."""

    run: str


class LineOutcome(BaseModel):
    """What became of one line of the input."""

    model_config = ConfigDict(frozen=True)

    line: int
    outcome: Outcome
    pk: str = ""
    why: str = ""
    """Why it was not stored, in English."""
    code: str | None = None
    """The same as a code, by which its words are found; lines of older runs have none."""
    values: dict[str, str] | None = None


class RunPartKey(Key["RunPart"], pk="RUN#{run}", sk="PART#{number:08d}"):
    """The key of a part of a run's report."""

    run: str
    number: int


class RunPart(RunPartKey, Entity, table=NewsWork, type="RunPart"):
    """What became of some lines of a run, one after the other; a later revision tried the failed ones again."""

    lines: Annotated[list[LineOutcome], Field(max_length=1_000)]
    revision: int = 0

    @pattern
    def of_run(cls, run: str) -> Query[RunPart]:
        """The report of a run, in the order of its lines."""
        return cls.query(RunPart.run == run)


class CollisionKey(Key["Collision"], pk="COLLISIONS", sk="{at_ms:013d}#{digest}"):
    """The key of a link that another one kept out."""

    at_ms: int
    digest: str


class Collision(CollisionKey, Entity, table=NewsWork, type="Collision"):
    """A link whose key another link has: kept aside, because the list cannot take it (X3-06)."""

    run: str
    item_pk: str
    source: str
    title: str
    url: str
    tickers: list[str]
    kept_url: str

    @pattern
    def newest(cls) -> Query[Collision]:
        """All collisions, the newest first."""
        return cls.query().descending()


class MentionKey(Key["Mention"], pk="TICKER#{ticker}", sk="{uploaded_at_utc_ms:013d}#{item_pk}"):
    """The key of a mention."""

    ticker: str
    uploaded_at_utc_ms: int
    item_pk: str


class Mention(MentionKey, Entity, table=NewsWork, type="Mention"):
    """That a link names a ticker."""

    source: str
    title: str
    url: str
    tickers: list[str]

    @pattern
    def of_ticker(cls, ticker: str) -> Query[Mention]:
        """The links that name a ticker, the newest first."""
        return cls.query(Mention.ticker == ticker).descending()

    @pattern
    def of_ticker_between(cls, ticker: str, since_ms: int, until_ms: int) -> Query[Mention]:
        """The links that name a ticker and were uploaded in a span, the newest first."""
        span = attr(Mention.uploaded_at_utc_ms).between(since_ms, until_ms)
        return cls.query(Mention.ticker == ticker, span).descending()


class NewsDayKey(Key["NewsDay"], pk="DAYS", sk="DAY#{day}"):
    """The key of a day's counts."""

    day: date


class NewsDay(NewsDayKey, Entity, table=NewsWork, type="NewsDay"):
    """How many links a day of UTC brought, and how many of them are done with."""

    inserted: int = 0
    strays: int = 0
    """Those of them that no run has brought, as the last mend has counted them."""
    done: int = 0
    dead: int = 0

    @pattern
    def since(cls, day: date) -> Query[NewsDay]:
        """The days from one on that have links, in their order."""
        return cls.query(NewsDay.day >= day)

    @pattern
    def between(cls, since: date, until: date) -> Query[NewsDay]:
        """The days of a span that have links, both ends included."""
        return cls.query(attr(NewsDay.day).between(since, until))


class FrontierKey(Key["Frontier"], pk="FRONTIER", sk="MOMENT"):
    """The key of the frontier."""


class Frontier(FrontierKey, Entity, table=NewsWork, type="Frontier"):
    """The first moment of an upload that may still have articles to crawl."""

    since_ms: Milliseconds
    stays_until_ms: Milliseconds = 0
    """It does not move on before: links of that time may still come."""


class WorkKey(Key["Work"], pk="ARTICLE#{item}", sk="STATE"):
    """The key of an article's state; `item` is the link's key without its mark."""

    item: str

    @classmethod
    def of(cls, pk: str) -> WorkKey:
        """The state of the link with this key."""
        return WorkKey(item=pk.replace("#", "-"))


class Work(WorkKey, Entity, table=NewsWork, type="Work"):
    """How far the crawl of an article has come. An article without a state waits."""

    item_pk: str
    state: WorkState
    since_ms: Milliseconds
    attempts: int
    worker: str
    claim: str
    """Proves that whoever ends the work is the one who began it."""
    lease_until_ms: Milliseconds
    retry_at_ms: Milliseconds | None = None
    error: str | None = None
    dt_utc: date
    url: str
    title: str

    @pattern
    def in_state(cls, state: WorkState) -> Query[Work]:
        """The articles in a state, those longest in it first."""
        return cls.query(Work.state == state, index=NewsWork.by_state)


class BodyKey(Key["Body"], pk="ARTICLE#{item}", sk="BODY"):
    """The key of an article's text."""

    item: str


class Body(BodyKey, Entity, table=NewsWork, type="Body"):
    """The text of an article, compressed."""

    content_type: str
    compressed: bytes
    length: int
    fetched_at: Timestamp


TextForm = Literal["clean", "raw", "damaged"]


class ArticleTextKey(Key["ArticleText"], pk="ARTICLE#{item}", sk="TEXT"):
    """The key of an article's text as people read it."""

    item: str


class ArticleText(ArticleTextKey, Entity, table=NewsWork, type="Text"):
    """The text of an article as people read it, made once from its body (X3-09)."""

    form: TextForm
    """Without its markup; as it came, because it was too much to clean; or nothing, since its bytes are damaged."""
    is_cut: bool
    compressed: bytes
    content_type: str
    length: int
    """How many bytes the body has."""
    fetched_at: Timestamp


_AS_FOUND = "A link is kept as it was found; one whose item is too large is reported and left out (X3-23)."
ACCEPTED = {
    "NewsItem H202": "A day is what a later stage reads; a list has about 50 links, and 32 are written at a time (3-01).",
    "Run H202": "No two runs begin in one second (X3-07).",
    "Run.of_month H105": "The id of a run begins with its time, to the second, in a fixed width.",
    "RunSecond H201": "No two runs begin in one second (X3-07).",
    "Collision H201": "Two links with one key are expected once in many millions (X3-06).",
    "NewsDay H201": "One item a day, written once for 500 links loaded and once for each article done with.",
    "Work H201": "An article changes its state a few times, each time after it was fetched or given up.",
    "NewsItem H205": _AS_FOUND,
    "Collision H205": _AS_FOUND,
    "Mention H205": _AS_FOUND,
}
"""What the review finds and the design accepts, with the reason."""
