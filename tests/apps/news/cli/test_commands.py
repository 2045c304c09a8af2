"""The commands of the news list, run in the process as the command line runs them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from hansang.apps.news.cli import commands as commands
from hansang.apps.news.cli import place
from hansang.apps.news.cli.commands import group
from hansang.apps.news.cli.queue import group as queue_group
from hansang.apps.news.design import NewsItem, NewsItems, NewsKey, NewsWork, Run, RunKey
from hansang.apps.news.rules import MOST_ATTEMPTS, pk_of
from hansang.apps.news.service import News
from hansang.backends.embedded import Embedded
from hansang.clock import Clock, system_clock
from hansang.design import Database
from hansang.errors import Conflict, HansangError, InvalidInput, NotFound, RequestStopped, Unavailable
from hansang.parts import exports
from hansang.parts.exports import Exports
from hansang.surfaces.cli.exit_codes import exit_code
from tests.apps.news.lists import link, links
from tests.apps.news.sites import answering
from tests.clauses import clause
from tests.spoiling import spoil


class Commands:
    """The command with one data file."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder, self.place, self.clock = folder, folder / "news.db", clock

    def run(self, *words: str, input: str | bytes | None = None) -> Result:  # noqa: A002 - the runner's own word
        done = CliRunner().invoke(group, [*words, "--data", str(self.place)], input=input)
        if isinstance(done.exception, HansangError):
            raise done.exception
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done

    def json(self, *words: str) -> Any:
        done = self.run(*words, "--json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    def file(self, name: str, text: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def load(self, given: list[Any], *words: str) -> Any:
        return self.json("load", self.file("list.jsonl", "\n".join(map(json.dumps, given))), *words)

    @contextmanager
    def opened(self) -> Iterator[tuple[Database, News]]:
        with Embedded.open(self.place) as backend:
            database = Database(backend)
            database.create_tables(NewsItems, NewsWork)
            yield database, News(database, self.clock)


@pytest.fixture
def news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("HANSANG_NEWS_FETCH_PRIVATE", "127.0.0.1")
    clock = since_noon()
    monkeypatch.setattr(place, "system_clock", clock)
    return Commands(tmp_path, clock)


def since_noon() -> Clock:
    """A clock that was set to noon of today: no day and no month ends while a test goes on."""
    day = 86_400
    noon, began = system_clock() // day * day + day / 2, time.monotonic()
    return lambda: noon + time.monotonic() - began


def pk(number: int) -> str:
    return pk_of(link(number)["url"])


# ── loading ───────────────────────────────────────────────────────────────────────────────────────

LINES = "\n".join(map(json.dumps, links(3)))
ARRAY = json.dumps(links(3))
TABLE = "title,url,tickers\n" + "\n".join(f"{each['title']},{each['url']},NVDA;AMD" for each in links(3))


@clause("3-01", "X3-23")
@pytest.mark.parametrize(
    ("name", "text", "more"),
    [
        ("list.json", ARRAY, ()),
        ("list.jsonl", LINES, ()),
        ("list.ndjson", LINES, ()),
        ("list.csv", TABLE, ()),
        ("list", ARRAY, ()),
        ("list", LINES, ()),
        ("list", TABLE, ()),
        ("list.txt", ARRAY, ("--form", "json")),
        ("list.json", LINES, ("--form", "jsonl")),
    ],
)
def test_a_file_of_any_form_is_loaded(news: Commands, name: str, text: str, more: tuple[str, ...]) -> None:
    run = news.json("load", news.file(name, text), *more)
    assert (run["inserted"], run["total"], run["run_state"], run["name"]) == (3, 3, "finished", name)
    assert news.json("queue", "counts")["waiting"] == 3


@pytest.mark.parametrize("text", [ARRAY, LINES, TABLE])
def test_the_standard_input_is_loaded(news: Commands, text: str) -> None:
    done = news.run("load", "-", "--json", "--source", "pipe", input=text)
    run = json.loads(done.stdout)
    assert (done.exit_code, run["inserted"], run["name"], run["source"]) == (0, 3, "-", "pipe")


@clause("X3-23")
def test_duplicates_and_what_is_invalid_or_collides_are_no_failure(news: Commands) -> None:
    with news.opened() as (database, _):
        other = NewsItem.uploaded(datetime(2026, 1, 1, tzinfo=UTC), **link(9))
        database.create(other.model_copy(update={"pk": pk(1)}))
    given = [*map(json.dumps, [link(0), link(0), link(1)]), "{", '{"title": 1}']
    news.load([link(5)])
    done = news.run("load", news.file("a.jsonl", "\n".join([*given, json.dumps(link(5))])))
    rows = dict(line.split() for line in done.stdout.splitlines()[2:9])
    assert done.exit_code == 0
    assert rows == {
        "inserted": "1",
        "duplicate": "1",
        "duplicate_in_batch": "1",
        "collision": "1",
        "invalid": "2",
        "failed": "0",
        "total": "6",
    }
    assert "COLLISION: 1 links were kept aside. See: hansang news collisions" in done.stderr


@clause("X3-23")
@pytest.mark.parametrize(
    ("ended", "code"),
    [
        ({}, None),
        ({"duplicate": 3, "duplicate_in_batch": 1, "collision": 1, "invalid": 2}, None),
        ({"failed": 1}, 1),
        ({"run_state": "stopped"}, 1),
    ],
)
def test_the_exit_code_is_one_only_when_links_failed_or_the_run_was_stopped(
    news: Commands, ended: dict[str, Any], code: int | None
) -> None:
    news.load(links(1))
    with news.opened() as (database, opened):
        [run] = database.all(Run.of_month(f"{opened.today:%Y-%m}"))
    found = None
    try:
        commands.print_run(run.model_copy(update=ended), as_json=False)
    except typer.Exit as end:
        found = end.exit_code
    assert found == code


def test_bytes_that_are_no_text_spoil_their_own_line_alone(news: Commands) -> None:
    broken = json.dumps(link(1)).replace("Headline", "Head\\u0000line").encode() + b"\n"
    latin = '{"title": "caf\u00e9", "url": "https://a.example"}'.encode("latin-1") + b"\n"
    content = broken + latin + json.dumps(link(2)).encode()
    assert news.run("load", "-", "--json", input=content).exit_code == 0
    [run] = news.json("runs")
    assert (run["inserted"], run["invalid"]) == (2, 1)
    lines = news.run("report", run["id"], "--outcome", "invalid").stdout
    assert (
        lines
        == "2\tinvalid\t\tThe characters of the url and the title are not valid UTF-8. Save the file as UTF-8.\n"
    )


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("cut.json", ARRAY[:-5], "cut off"),
        ("two.json", ARRAY + ARRAY, "Behind the array"),
        ("lines.json", LINES, "has to be an array"),
        ("bad.csv", "a,b\n1,2\n", "title,url,tickers"),
    ],
)
def test_a_file_that_is_no_list_is_refused_and_leaves_no_run(
    news: Commands, name: str, text: str, why: str
) -> None:
    with pytest.raises(InvalidInput, match=why) as refused:
        news.run("load", news.file(name, text))
    assert exit_code(refused.value) == 2
    assert news.json("runs") == []


def test_a_file_that_is_not_there_is_refused_and_no_data_file_is_made(news: Commands) -> None:
    with pytest.raises(InvalidInput, match="nothing cannot be read: No such file"):
        news.run("load", str(news.folder / "nothing"))
    assert not news.place.exists()


def test_an_empty_list_is_a_run_of_none(news: Commands) -> None:
    for text in ("", "[]", "title,url\n"):
        run = json.loads(news.run("load", "-", "--json", input=text).stdout)
        assert (run["total"], run["run_state"]) == (0, "finished")


@clause("X3-23")
def test_a_run_goes_on_with_its_id_and_is_not_done_twice(news: Commands) -> None:
    file = news.file("list.jsonl", "\n".join(map(json.dumps, links(700))))
    with news.opened() as (_, opened):
        stop = threading.Event()
        left = opened.loader.load(links(700), stop=stop, progress=lambda _: stop.set())
    [shown] = news.json("runs")
    assert (shown["run_state"], shown["inserted"], shown["id"]) == ("stopped", 500, left.id)
    run = news.json("load", file, "--run", left.id)
    assert (run["id"], run["run_state"], run["inserted"]) == (left.id, "finished", 700)
    with pytest.raises(Conflict, match="finished") as refused:
        news.run("load", file, "--run", left.id)
    assert exit_code(refused.value) == 5


@pytest.mark.parametrize(
    ("run", "error", "code"), [("x", InvalidInput, 2), ("20260101T000000Z-abcdef", NotFound, 4)]
)
def test_a_run_that_is_none_is_refused(
    news: Commands, run: str, error: type[HansangError], code: int
) -> None:
    with pytest.raises(error) as refused:
        news.run("load", news.file("a.json", ARRAY), "--run", run)
    assert exit_code(refused.value) == code


# ── fetching ──────────────────────────────────────────────────────────────────────────────────────

STORY = '<li><a href="/news/story-{0:09d}.html"><h3>Headline {0}</h3></a><a href="/quote/NVDA">NVDA</a></li>'


def page(count: int) -> str:
    return f"<!DOCTYPE html><html><ul>{''.join(STORY.format(each) for each in range(count))}</ul></html>"


@contextmanager
def site(content: str) -> Iterator[str]:
    """A server that has one page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = content.encode()
            self.send_response(200 if self.path == "/latest" else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own word
            """Say nothing."""

    with answering(Handler) as address:
        yield address


def test_a_page_is_fetched_as_lines_that_can_be_loaded(news: Commands) -> None:
    with site(page(6)) as address:
        done = news.run("fetch", f"{address}/latest")
    assert (done.exit_code, done.stderr) == (0, "")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found[2] == {
        "title": "Headline 2",
        "url": f"{address}/news/story-000000002.html",
        "tickers": ["NVDA"],
    }
    assert not news.place.exists()
    assert json.loads(news.run("load", "-", "--json", input=done.stdout).stdout)["inserted"] == 6


def test_a_page_is_fetched_and_loaded(news: Commands) -> None:
    with site(page(6)) as address:
        run = news.json("fetch", f"{address}/latest", "--load", "--source", "example")
        again = news.json("fetch", f"{address}/latest", "--load")
    assert (run["inserted"], run["source"], run["name"]) == (6, "example", f"{address}/latest")
    assert (again["duplicate"], again["inserted"]) == (6, 0)


def test_a_page_that_has_changed_is_an_alarm_that_is_kept_with_the_run(news: Commands) -> None:
    with site("<html><body>Please sign in</body></html>") as address:
        printed = news.run("fetch", f"{address}/latest")
        loaded = news.run("fetch", f"{address}/latest", "--load", "--json")
    assert (printed.exit_code, loaded.exit_code) == (1, 1)
    assert "ALARM: The page has no links" in printed.stderr
    assert "ALARM: The page has no links" in loaded.stderr
    assert json.loads(loaded.stdout)["alarms"] == news.json("runs")[0]["alarms"] != []


def test_a_saved_page_needs_the_address_that_it_came_from(news: Commands) -> None:
    saved = news.file("saved.html", page(6))
    without = news.run("fetch", saved)
    assert (without.exit_code, without.stdout) == (1, "")
    assert "A saved page needs its address" in without.stderr
    done = news.run("fetch", saved, "--address", "https://finance.example/latest")
    assert (
        json.loads(done.stdout.splitlines()[0])["url"] == "https://finance.example/news/story-000000000.html"
    )
    assert done.exit_code == 0


def test_the_own_machine_is_not_fetched_from_unless_it_is_named(
    news: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HANSANG_NEWS_FETCH_PRIVATE")
    with site(page(6)) as address, pytest.raises(InvalidInput, match="HANSANG_NEWS_FETCH_PRIVATE"):
        news.run("fetch", f"{address}/latest")


def test_a_feed_of_a_named_form_is_fetched(news: Commands) -> None:
    feed = "<rss><channel><item><title>One</title><link>https://a.example/1</link></item></channel></rss>"
    assert news.run("fetch", news.file("feed", feed), "--adapter", "rss").exit_code == 0
    assert news.run("fetch", news.file("feed", feed), "--adapter", "atom").exit_code == 1


@pytest.mark.parametrize(
    ("name", "content", "adapter"),
    [
        (
            "feed.xml",
            "<rss><channel><item><title>하나</title><link>https://a.example/1</link>"
            '<category domain="tickers">NVDA</category></item></channel></rss>',
            "rss",
        ),
        (
            "atom.xml",
            '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>하나</title>'
            '<link href="https://a.example/1"/><category scheme="tickers" term="NVDA"/></entry></feed>',
            "atom",
        ),
    ],
)
def test_saved_feeds_are_told_by_their_first_characters_and_loaded(
    news: Commands, name: str, content: str, adapter: str
) -> None:
    file = news.file(name, content)
    assert news.run("fetch", file).stdout == news.run("fetch", file, "--adapter", adapter).stdout
    assert news.json("fetch", file, "--load")["inserted"] == 1
    [found] = [json.loads(line) for line in news.run("list", "--json").stdout.splitlines()]
    assert (found["title"], found["url"], found["tickers"]) == ("하나", "https://a.example/1", ["NVDA"])


def test_a_page_that_cannot_be_had_is_told_and_nothing_is_loaded(news: Commands) -> None:
    with site(page(6)) as address, pytest.raises(Unavailable, match="answered 404") as refused:
        news.run("fetch", f"{address}/nothing", "--load")
    assert exit_code(refused.value) == 7
    with pytest.raises(InvalidInput, match="neither RSS, nor Atom"):
        news.run("fetch", news.file("a.json", "[]"), "--load")
    with pytest.raises(InvalidInput, match="cannot be read"):
        news.run("fetch", str(news.folder / "nothing.html"))
    assert not news.place.exists()


# ── runs ──────────────────────────────────────────────────────────────────────────────────────────

NO_REASON = {"why": "", "code": None, "values": None}
NO_URL = {"why": "The url is empty or not a text.", "code": "news.no-url", "values": None}
RUN = {
    "id",
    "month",
    "source",
    "stop_asked_at",
    "name",
    "uploaded_at",
    "run_state",
    "total",
    "inserted",
    "duplicate",
    "duplicate_in_batch",
    "collision",
    "invalid",
    "failed",
    "mended",
    "alarms",
    "alarm_codes",
    "finished_at",
}


@pytest.mark.parametrize("command", ["list", "report"])
def test_a_list_as_json_is_an_export_that_an_operator_can_stop(
    news: Commands, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    run = news.load(links(3))
    words = ["list"] if command == "list" else ["report", run["id"]]
    told = {"list": "news.jsonl", "report": f"{run['id']}.jsonl"}
    monkeypatch.setattr(exports, "PAUSE", 0.0)
    printed: list[str] = []

    def stop(line: str) -> None:
        printed.append(line)
        with Embedded.open(news.place) as backend:
            found = Exports(Database(backend), system_clock)
            [seen] = found.running()
            assert (seen.what, seen.who.partition(":")[0]) == (told[command], "operator")
            found.stop(seen.id)

    monkeypatch.setattr("typer.echo", stop)
    with pytest.raises(RequestStopped, match="stopped by an operator"):
        news.run(*words, "--json")
    assert len(printed) == 1


def test_runs_are_listed_by_month(news: Commands) -> None:
    run = news.load(links(2))
    assert set(run) == RUN
    assert news.json("runs") == [run] == news.json("runs", "--month", run["month"])
    assert news.json("runs", "--month", "2020-01") == []
    assert run["id"] in news.run("runs").stdout
    assert news.run("runs", "--limit", "1").stderr == ""
    with pytest.raises(InvalidInput, match="2026-11"):
        news.run("runs", "--month", "november")


def test_runs_are_summed_up_for_people_with_their_alarms(news: Commands) -> None:
    with site("<html><body>Please sign in</body></html>") as address:
        news.run("fetch", f"{address}/latest", "--load")
    news.load([link(1), link(1), {"title": 5}, link(2)], "--source", "desk")
    done = news.run("runs")
    [first, second] = [line.split()[1:] for line in done.stdout.splitlines()[2:]]
    assert first == ["finished", "2", "1", "1", "desk"]
    assert second == ["finished", "0", "0", "0", "yf_latest"]
    alarmed = news.json("runs")[1]
    assert done.stderr == f"ALARM of {alarmed['id']}: {alarmed['alarms'][0]}\n"


@clause("X3-08", "X3-23")
def test_a_report_has_what_became_of_each_line(news: Commands) -> None:
    run = news.load([link(1), {"title": 5}, link(1)])
    lines = [json.loads(line) for line in news.run("report", run["id"], "--json").stdout.splitlines()]
    assert lines == [
        {"line": 1, "outcome": "inserted", "pk": pk(1)} | NO_REASON,
        {"line": 2, "outcome": "invalid", "pk": ""} | NO_URL,
        {"line": 3, "outcome": "duplicate_in_batch", "pk": pk(1)} | NO_REASON,
    ]
    assert news.run("report", run["id"], "--outcome", "inserted").stdout == f"1\tinserted\t{pk(1)}\t\n"
    with pytest.raises(NotFound):
        news.run("report", "20260101T000000Z-abcdef")


@clause("X3-06")
def test_collisions_are_listed(news: Commands) -> None:
    assert news.json("collisions") == []
    with news.opened() as (database, _):
        other = NewsItem.uploaded(datetime(2026, 1, 1, tzinfo=UTC), **link(9))
        database.create(other.model_copy(update={"pk": pk(1)}))
    news.load([link(1)])
    [kept] = news.json("collisions")
    assert (kept["url"], kept["kept_url"]) == (link(1)["url"], link(9)["url"])
    assert link(9)["url"] in news.run("collisions").stdout


def test_days_are_mended(news: Commands) -> None:
    news.load(links(3))
    today = datetime.fromtimestamp(news.clock(), UTC).date()
    assert f"{today}: 3 links" in news.run("mend").stdout
    done = news.run("mend", "--since", "2026-01-01", "--until", "2026-01-03")
    assert done.stdout == "".join(f"2026-01-0{day}: 0 links\n" for day in (1, 2, 3))
    with pytest.raises(InvalidInput, match="before the first"):
        news.run("mend", "--since", "2026-01-02", "--until", "2026-01-01")


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def test_links_are_listed_by_ticker_source_and_text(news: Commands) -> None:
    news.load([link(1, "NVDA", title="Chips rise"), link(2, title="Rain")], "--source", "a")

    def titles(*words: str) -> list[str]:
        found = news.run("list", "--json", *words).stdout.splitlines()
        return sorted(json.loads(line)["title"] for line in found)

    assert titles() == ["Chips rise", "Rain"]
    assert titles("--ticker", "nvda") == titles("--text", "CHIPS") == ["Chips rise"]
    assert titles("--source", "b") == titles("--since", "2020-01-01", "--until", "2020-01-02") == []
    assert len(titles("--limit", "1")) == 1
    shown = news.run("list", "--ticker", "NVDA").stdout
    assert "Chips rise" in shown
    assert link(1)["url"] in shown


def test_links_are_listed_between_tabs_for_programs_that_cut_lines(news: Commands) -> None:
    news.load([link(1, "NVDA", "AMD", title="Tab\there"), link(2)])
    rows = sorted(line.split("\t")[1:] for line in news.run("list").stdout.splitlines())
    assert rows == [
        ["Headline 2", "", link(2)["url"]],
        ["Tab\N{REPLACEMENT CHARACTER}here", "NVDA AMD", link(1)["url"]],
    ]


def test_an_empty_answer_says_which_days_were_looked_at(news: Commands) -> None:
    done = news.run("list", "--since", "2020-01-01", "--until", "2020-01-02")
    assert (done.stdout, done.exit_code) == ("", 0)
    assert "No links from 2020-01-01 to 2020-01-02 fit." in done.stderr


@clause("X3-12", "X3-17")
@pytest.mark.parametrize(
    ("zone", "day", "shown"),
    [
        ("utc", "2026-03-01", "2026-03-01 03:00"),
        ("est", "2026-02-28", "2026-02-28 22:00"),
        ("kst", "2026-03-01", "2026-03-01 12:00"),
    ],
)
def test_days_are_those_of_the_zone(news: Commands, zone: str, day: str, shown: str) -> None:
    with news.opened() as (database, _):
        database.create(NewsItem.uploaded(datetime(2026, 3, 1, 3, tzinfo=UTC), **link(1)))
    found = news.run("list", "--since", day, "--until", day, "--zone", zone).stdout
    assert found.startswith(f"{shown}\tHeadline 1\t")
    other = "2026-02-28" if day == "2026-03-01" else "2026-03-01"
    assert news.run("list", "--since", other, "--until", other, "--zone", zone).stdout == ""


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--zone", "mars"),
        ("list", "--since", "yesterday"),
        ("list", "--limit", "0"),
        ("load", "x.json", "--form", "xml"),
        ("queue", "take", "w1", "--lease", "0"),
        ("report", "x", "--outcome", "lost"),
        ("fetch", "x", "--adapter", "pdf"),
    ],
)
def test_options_that_mean_nothing_are_refused(news: Commands, words: tuple[str, ...]) -> None:
    assert news.run(*words).exit_code == 2


@clause("X3-12")
@pytest.mark.parametrize("zone", ["utc", "est", "kst"])
def test_what_has_just_been_loaded_is_listed_in_every_zone(news: Commands, zone: str) -> None:
    news.load([link(1)])
    assert len(news.run("list", "--json", "--zone", zone).stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (None, None, (date(2026, 11, 15), date(2026, 11, 16))),
        (datetime(2026, 11, 1), None, (date(2026, 11, 1), date(2026, 11, 16))),  # noqa: DTZ001 - as typer reads it
        (None, datetime(2026, 11, 10), (date(2026, 11, 10), date(2026, 11, 10))),  # noqa: DTZ001
        (datetime(2026, 12, 24), None, (date(2026, 12, 24), date(2026, 12, 24))),  # noqa: DTZ001
    ],
)
def test_days_that_are_not_named_are_those_of_the_zone(
    since: datetime | None, until: datetime | None, expected: tuple[date, date]
) -> None:
    """At 20:00 of UTC it is tomorrow in Seoul."""
    now = datetime(2026, 11, 15, 20, tzinfo=UTC).timestamp()
    with Embedded.open(":memory:") as backend:
        news = News(Database(backend), lambda: now)
        assert commands.days_of(news, since, until, "kst") == expected


# ── the queue ─────────────────────────────────────────────────────────────────────────────────────


@clause("X3-08")
def test_articles_are_taken_and_ended(news: Commands) -> None:
    news.load([link(1, "NVDA"), link(2)])
    waiting = news.json("queue", "list")
    assert {each["pk"] for each in waiting} == {pk(1), pk(2)}
    assert {"pk", "url", "title", "source", "tickers", "dt_utc", "uploaded_at_utc_ms", "attempts"} == set(
        waiting[0]
    )
    assert "Headline 1" in news.run("queue", "list").stdout
    first, second = news.json("queue", "take", "w1", "--limit", "5")
    assert news.json("queue", "take", "w2") == []
    body = news.file("a.html", "<p>text</p>")
    done = news.run("queue", "done", first["item_pk"], "--claim", first["claim"], "--body", body)
    assert done.stdout == f"{first['item_pk']}: done\n"
    failed = news.run("queue", "fail", second["item_pk"], "--claim", second["claim"], "--error", "404")
    assert failed.stdout == f"{second['item_pk']}: failed\n"
    assert news.json("queue", "counts") == {"waiting": 0, "claimed": 0, "failed": 1, "done": 1, "dead": 0}
    assert news.run("queue", "retry", second["item_pk"]).stdout == f"{second['item_pk']}: waits again\n"
    assert [each["pk"] for each in news.json("queue", "list")] == [second["item_pk"]]
    with news.opened() as (_, opened):
        assert opened.queue.body(first["item_pk"])[1] == b"<p>text</p>"


def test_counts_and_takings_are_shown_to_people_too(news: Commands) -> None:
    news.load(links(1))
    assert "waiting" in news.run("queue", "counts").stdout
    assert link(0)["url"] in news.run("queue", "take", "w1").stdout


def test_an_article_of_another_claim_is_not_ended(news: Commands) -> None:
    news.load(links(1))
    with pytest.raises(NotFound, match="Claim it first") as refused:
        news.run("queue", "done", pk(0), "--claim", "x")
    assert exit_code(refused.value) == 4
    news.json("queue", "take", "w1")
    with pytest.raises(Conflict) as other:
        news.run("queue", "fail", pk(0), "--claim", "x", "--error", "404")
    assert exit_code(other.value) == 5


def test_an_article_that_was_given_up_comes_back_when_it_is_asked_for(news: Commands) -> None:
    news.load(links(1))
    with pytest.raises(Conflict, match="Only an article that failed") as refused:
        news.run("queue", "retry", pk(0))
    assert exit_code(refused.value) == 5
    for _ in range(MOST_ATTEMPTS):
        [taken] = news.json("queue", "take", "w1")
        assert news.run("queue", "fail", pk(0), "--claim", taken["claim"], "--error", "410").exit_code == 0
        with news.opened() as (database, opened):
            resting = opened.queue.find(pk(0))
            assert resting is not None
            database.put(resting.model_copy(update={"retry_at_ms": 0}))
    assert news.json("queue", "counts")["dead"] == 1
    assert news.json("queue", "take", "w1") == []
    news.run("queue", "retry", pk(0))
    assert news.json("queue", "counts")["dead"] == 0
    assert [each["pk"] for each in news.json("queue", "list")] == [pk(0)]


def test_every_command_has_help_with_examples() -> None:
    for commands_, words in ((group, "hansang news"), (queue_group, "hansang news queue")):
        for command in commands_.registered_commands:
            assert words in (command.epilog or ""), command
            assert command.callback is not None
            assert command.callback.__doc__, command


@pytest.mark.parametrize("words", [("list",), ("list", "--json"), ("queue", "list")])
def test_a_link_that_cannot_be_read_is_named_and_hides_no_other(
    news: Commands, words: tuple[str, ...]
) -> None:
    news.load([link(1), link(2)])
    with news.opened() as (database, _):
        spoil(database, NewsKey(pk=pk(1)), title=None)
    done = news.run(*words)
    assert (done.exit_code, "Headline 2" in done.stdout, "Headline 1" in done.stdout) == (1, True, False)
    assert "hansang tables repair news --table news_items" in done.stderr


def test_a_run_is_marked_to_be_stopped(news: Commands) -> None:
    run = news.load(links(2))["id"]
    with news.opened() as (database, _):
        stored = database.get(RunKey.of(run))
        database.put(stored.model_copy(update={"run_state": "running", "finished_at": None}))
    assert news.run("stop", run).stdout == f"run {run} stops before its next part.\n"
    with news.opened() as (database, _):
        assert database.get(RunKey.of(run)).stop_asked_at is not None
