"""The news list through the API: loads, articles, tickers, the queue."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from io import BytesIO
from typing import Any
from urllib.parse import quote, unquote

import pytest
from fastapi import FastAPI
from httpx2 import Response
from starlette.exceptions import HTTPException

from hansang.apps.news.api import ROUTES
from hansang.apps.news.decoding import ListText
from hansang.apps.news.design import NewsKey, RunKey, RunPart
from hansang.apps.news.inputs import read_links
from hansang.apps.news.rules import link_of, pk_of
from hansang.apps.news.service import News
from hansang.surfaces.api.routes import Routes, http_problem
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell
from tests.apps.news.lists import link, links
from tests.clauses import clause
from tests.parts.faults import Meddler, Waiting
from tests.spoiling import spoil
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With
from tests.surfaces.shells import SetClock, new_key

LOADS = "/api/news/loads"
QUEUE = "/api/news/queue"


@pytest.fixture
def news_api(shell: Shell) -> FastAPI:
    """The routes of this application alone, which are made quickly."""
    app, gate = FastAPI(exception_handlers={HTTPException: http_problem}), Gate(shell)
    app.router.routes.append(Routes(route for each in ROUTES for route in each(shell, gate).all()))
    return app


@pytest.fixture
def calling(news_api: FastAPI, shell: Shell) -> With:
    """Makes a caller with a key of these scopes."""
    return lambda *scopes: Caller(news_api, new_key(shell, *scopes))


@pytest.fixture
def loader(calling: With) -> Caller:
    """A caller who may load."""
    return calling("news:write")


def pk(number: int) -> str:
    return quote(pk_of(link(number)["url"]), safe="")


@clause("3-01", "X3-23")
def test_a_list_is_loaded_and_its_report_kept(loader: Caller) -> None:
    answer = loader.post(LOADS, [link(1), link(1), {"title": "x"}, link(2, "NVDA")], params={"source": "s"})
    run = answer.json()
    assert answer.status_code == 201
    assert (run["inserted"], run["duplicate_in_batch"], run["invalid"], run["total"]) == (2, 1, 1, 4)
    assert loader.get(answer.headers["Location"]).json() == run
    assert [each["id"] for each in loader.get(LOADS).json()["items"]] == [run["id"]]
    lines = loader.get(f"{LOADS}/{run['id']}/lines").json()["items"]
    assert [line["outcome"] for line in lines] == ["inserted", "duplicate_in_batch", "invalid", "inserted"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("\n".join(json.dumps(each) for each in links(2)), "application/x-ndjson"),
        ("title,url,tickers\nA,https://a.example/1,\nB,https://a.example/2,NVDA AMD\n", "text/csv"),
        (json.dumps(links(2)), "application/json"),
        (json.dumps(links(2)), "text/plain"),
    ],
)
def test_a_list_may_have_any_of_its_forms(loader: Caller, content: str, kind: str) -> None:
    answer = loader.send("POST", LOADS, content=content, headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["inserted"]) == (201, 2)


@pytest.mark.parametrize(
    ("content", "status"), [('{"a": 1}', 422), ("[", 422), ("[{}", 422), ("a,b\n1,2", 422), ("", 422)]
)
def test_what_is_no_list_is_refused(loader: Caller, content: str, status: int) -> None:
    answer = loader.send("POST", LOADS, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert answer.json()["remedy"]


def test_a_load_under_a_key_is_done_once(loader: Caller) -> None:
    first = loader.post(LOADS, links(2), headers={"Idempotency-Key": "k"})
    again = loader.post(LOADS, links(2), headers={"Idempotency-Key": "k"})
    assert (first.json(), again.json()["inserted"]) == (again.json(), 2)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(loader.get(LOADS).json()["items"]) == 1
    other = loader.post(LOADS, links(3), headers={"Idempotency-Key": "k"})
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-key-used")


def test_a_long_load_keeps_its_lease_while_it_goes_on(
    loader: Caller, shell: Shell, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hansang.apps.news.loading.PART", 2)
    again = {"Idempotency-Key": "k"}
    meanwhile: list[Response] = []

    def pass_time() -> None:
        clock.advance(12)
        meanwhile.append(loader.post(LOADS, links(10), headers=again))

    plain = shell.database.backend
    shell.database._runner.backend = Waiting(plain, "TransactWriteItems", pass_time)
    done = loader.post(LOADS, links(10), headers=again)
    shell.database._runner.backend = plain
    assert (done.status_code, done.json()["inserted"]) == (201, 10)
    assert [each.status_code for each in meanwhile] == [409] * 6  # For each part, and for the end of the run.
    assert all(0 < int(each.headers["Retry-After"]) <= 30 for each in meanwhile)


def test_a_load_that_failed_on_our_side_goes_on_as_the_same_run(loader: Caller, shell: Shell) -> None:
    again, plain = {"Idempotency-Key": "k"}, shell.database.backend
    shell.database._runner.backend = Meddler(plain, "TransactWriteItems", broken)
    assert loader.post(LOADS, links(3), headers=again).status_code == 500
    shell.database._runner.backend = plain
    [begun] = loader.get(LOADS).json()["items"]
    assert begun["run_state"] == "stopped"
    second = loader.post(LOADS, links(3), headers=again)
    assert (second.status_code, second.json()["inserted"]) == (201, 3)
    assert loader.get(LOADS).json()["items"] == [second.json()]
    assert second.json()["id"] == begun["id"]


def broken() -> None:
    raise RuntimeError("broken off")


def test_a_list_that_is_refused_is_mended_under_its_key(loader: Caller) -> None:
    again = {"Idempotency-Key": "k", "Content-Type": "application/json"}
    assert loader.send("POST", LOADS, content="[{}", headers=again).status_code == 422
    mended = loader.post(LOADS, links(2), headers={"Idempotency-Key": "k"})
    assert (mended.status_code, mended.json()["inserted"]) == (201, 2)


def test_a_report_is_exported_whole_and_by_outcome(loader: Caller) -> None:
    run = loader.post(LOADS, [*links(600), link(0)]).json()["id"]
    lines = loader.get(f"{LOADS}/{run}/lines", params={"format": "jsonl"}).text.splitlines()
    assert len(lines) == 601
    table = loader.get(f"{LOADS}/{run}/lines", params={"format": "csv", "outcome": "duplicate_in_batch"})
    assert len(table.text.splitlines()) == 2
    first = loader.get(f"{LOADS}/{run}/lines").json()
    rest = loader.get(f"{LOADS}/{run}/lines", params={"cursor": first["cursor"]}).json()
    assert len(first["items"]) + len(rest["items"]) == 601


@pytest.mark.parametrize(
    "path", [f"{LOADS}/20261115T093012Z-abcdef", f"{LOADS}/x", "/api/news/articles/id%23x"]
)
def test_what_is_not_there_is_not_found(loader: Caller, path: str) -> None:
    assert loader.get(path).status_code == 404


def test_articles_are_read_by_day_ticker_source_and_text(loader: Caller, clock: SetClock) -> None:
    given = [link(1, "NVDA", title="Chips"), link(2, title="Rain")]
    loader.post(LOADS, given, params={"source": "a"})
    clock.advance(1)
    loader.post(LOADS, [link(3, "NVDA", "AMD", title="More chips")], params={"source": "b"})

    def titles(**asked: str) -> list[str]:
        return sorted(
            each["title"] for each in loader.get("/api/news/articles", params=asked).json()["items"]
        )

    assert titles() == titles(zone="est") == ["Chips", "More chips", "Rain"]
    assert titles(ticker="nvda") == ["Chips", "More chips"]
    assert titles(source="b") == ["More chips"]
    assert titles(text="CHIPS") == ["Chips", "More chips"]
    assert titles(since="2001-01-01", until="2001-01-02") == []
    one = loader.get(f"/api/news/articles/{pk(1)}").json()
    assert (one["title"], one["source"]) == ("Chips", "a")


def test_articles_come_page_by_page_and_as_a_file(loader: Caller) -> None:
    loader.post(LOADS, links(25))
    seen: list[str] = []
    cursor = None
    while True:
        asked = {"limit": "10"} | ({"cursor": cursor} if cursor else {})
        page = loader.get("/api/news/articles", params=asked).json()
        seen += [each["pk"] for each in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 25
    table = loader.get("/api/news/articles", headers={"Accept": "text/csv"})
    assert len(table.text.splitlines()) == 26
    assert table.headers["Content-Disposition"] == 'attachment; filename="news-articles.csv"'


@pytest.mark.parametrize(
    "asked",
    [{"since": "x"}, {"zone": "pst"}, {"since": "2026-01-02", "until": "2026-01-01"}, {"nothing": "1"}],
)
def test_a_question_that_makes_no_sense_is_refused(loader: Caller, asked: dict[str, str]) -> None:
    assert loader.get("/api/news/articles", params=asked).status_code == 422


def test_tickers_are_counted_alone_and_together(loader: Caller) -> None:
    loader.post(LOADS, [link(1, "NVDA", "AMD"), link(2, "NVDA")])
    found = loader.get("/api/news/tickers").json()
    assert found["counts"][0] == {"ticker": "NVDA", "articles": 2}
    assert found["pairs"] == [{"tickers": ["AMD", "NVDA"], "articles": 1}]
    one = loader.get("/api/news/tickers/nvda").json()
    assert (one["ticker"], one["total"], one["together"]) == ("NVDA", 2, [{"ticker": "AMD", "articles": 1}])


@clause("X3-08")
def test_an_article_goes_through_the_queue(loader: Caller, clock: SetClock) -> None:
    loader.post(LOADS, links(2))
    waiting = loader.get("/api/news/queue").json()["items"]
    assert len(waiting) == 2
    taken = loader.post(f"/api/news/queue/{pk(0)}/claim", {"worker": "w1"}).json()
    assert loader.post(f"/api/news/queue/{pk(0)}/claim", {"worker": "w2"}).status_code == 409
    longer = loader.post(f"/api/news/queue/{pk(0)}/extend", {"claim": taken["claim"], "lease_seconds": 900})
    assert longer.json()["lease_until_ms"] > taken["lease_until_ms"]
    body = b64encode("본문".encode()).decode()
    done = loader.post(f"/api/news/queue/{pk(0)}/done", {"claim": taken["claim"], "body_base64": body})
    assert done.json()["state"] == "done"
    [other] = loader.post("/api/news/queue/take", {"worker": "w2", "limit": 5}).json()["items"]
    failed = loader.post(f"/api/news/queue/{pk(1)}/fail", {"claim": other["claim"], "error": "404"})
    assert failed.json()["state"] == "failed"
    assert loader.get("/api/news/queue/counts").json() == {
        "waiting": 0,
        "claimed": 0,
        "failed": 1,
        "done": 1,
        "dead": 0,
    }
    assert loader.post(f"/api/news/queue/{pk(1)}/retry").status_code == 200
    assert len(loader.get("/api/news/queue").json()["items"]) == 1


def every_page(caller: Caller, path: str, **asked: str) -> list[list[Any]]:
    pages = [caller.get(path, params=asked).json()]
    while pages[-1]["cursor"] is not None:
        pages.append(caller.get(path, params=asked | {"cursor": pages[-1]["cursor"]}).json())
    return [page["items"] for page in pages]


def test_what_waits_comes_page_by_page_and_as_a_file(loader: Caller, clock: SetClock) -> None:
    loader.post(LOADS, links(12))
    clock.advance(86_400)
    loader.post(LOADS, [link(each) for each in range(12, 20)])
    loader.post(f"/api/news/queue/{pk(3)}/claim", {"worker": "w"})
    pages = every_page(loader, "/api/news/queue", limit="5")
    seen = [each["pk"] for page in pages for each in page]
    assert all(len(page) <= 5 for page in pages)
    assert len(seen) == len(set(seen)) == 19
    assert unquote(pk(3)) not in seen
    lines = loader.get("/api/news/queue", params={"format": "jsonl"}).text.splitlines()
    assert [json.loads(line)["pk"] for line in lines] == seen


@pytest.mark.parametrize("cursor", ["x", "2026-11-15.x", "2026-11-15", "2026-13-01.", "", "."])
def test_a_made_up_place_in_the_queue_is_refused_or_finds_nothing(loader: Caller, cursor: str) -> None:
    loader.post(LOADS, links(3))
    answer = loader.get("/api/news/queue", params={"cursor": cursor})
    assert answer.status_code in (200, 400)
    assert answer.status_code == 200 or answer.json()["code"] == "invalid-cursor"


def test_articles_taken_again_under_one_key_are_the_same(loader: Caller) -> None:
    loader.post(LOADS, links(4))
    again = {"Idempotency-Key": "one"}
    first, second = (
        loader.post("/api/news/queue/take", {"worker": "w", "limit": 2}, headers=again) for _ in range(2)
    )
    assert first.json() == second.json()
    assert loader.get("/api/news/queue/counts").json()["claimed"] == 2


def test_a_report_comes_in_pages_as_long_as_they_are_asked_for(loader: Caller) -> None:
    run = loader.post(LOADS, [*links(600), *links(600)[::100], {"title": "x"}]).json()["id"]
    path = f"{LOADS}/{run}/lines"
    pages = every_page(loader, path, limit="250")
    assert [len(page) for page in pages] == [250, 250, 107]
    assert [line["line"] for page in pages for line in page] == [*range(1, 608)]
    [found] = [page for page in every_page(loader, path, limit="250", outcome="invalid") if page]
    assert [line["outcome"] for line in found] == ["invalid"]
    assert loader.get(path, params={"cursor": "7"}).json()["code"] == "invalid-cursor"
    assert loader.get(path, params={"cursor": "0.x"}).json()["code"] == "invalid-cursor"


@pytest.mark.parametrize("path", [LOADS, "/api/news/collisions"])
def test_runs_and_collisions_come_as_files(loader: Caller, path: str) -> None:
    loader.post(LOADS, links(1))
    table = loader.get(path, params={"format": "csv"})
    assert table.headers["content-type"].startswith("text/csv")
    assert len(table.text.splitlines()) == 1 + len(loader.get(path).json()["items"])


@pytest.mark.parametrize(
    "given", [{}, {"claim": "x"}, {"claim": "x", "body_base64": "not base64!"}, {"claim": "x", "more": 1}]
)
def test_a_wrong_end_is_refused(loader: Caller, given: dict[str, str]) -> None:
    loader.post(LOADS, links(1))
    loader.post(f"/api/news/queue/{pk(0)}/claim", {"worker": "w"})
    assert loader.post(f"/api/news/queue/{pk(0)}/done", given).status_code in (409, 422)


def test_whoever_may_only_read_loads_nothing_and_takes_nothing(calling: With) -> None:
    reader = calling("news:read")
    assert reader.get("/api/news/articles").status_code == 200
    assert reader.post(LOADS, links(1)).status_code == 403
    assert reader.post("/api/news/queue/take", {"worker": "w"}).status_code == 403
    assert calling("codex:read").get("/api/news/articles").status_code == 403


@clause("3-12", "X3-09")
def test_an_article_cannot_be_changed_by_any_route(loader: Caller, owner: Caller) -> None:
    loader.post(LOADS, links(1))
    path = f"/api/news/entities/NewsItem?pk={pk(0)}"
    read = owner.get(path)
    tag = {"If-Match": read.headers["ETag"]}
    assert (
        owner.put(path, {**read.json(), "title": "Other"}, headers=tag).json()["code"] == "application-only"
    )
    assert owner.delete(path, headers=tag).json()["code"] == "application-only"
    assert owner.get(path).json() == read.json()


@pytest.mark.parametrize("path", ["/api/news/articles", "/api/news/queue"])
def test_an_article_that_cannot_be_read_is_named_beside_the_others(
    loader: Caller, shell: Shell, path: str
) -> None:
    loader.post(LOADS, links(2))
    bad, good = (pk_of(each["url"]) for each in links(2))
    spoil(shell.database, NewsKey(pk=bad), title=None)
    page = loader.get(path).json()
    assert [each["pk"] for each in page["items"]] == [good]
    assert [(each["kind"], each["key"]) for each in page["unreadable"]] == [("NewsItem", {"pk": {"S": bad}})]
    lines = loader.get(path, params={"format": "jsonl"}).text.splitlines()
    assert sorted("unreadable" in json.loads(line) for line in lines) == [False, True]


def test_a_part_of_a_report_that_cannot_be_read_is_named_beside_the_others(
    loader: Caller, shell: Shell
) -> None:
    path = f"{LOADS}/{loader.post(LOADS, links(600)).json()['id']}/lines"
    whole = len(loader.get(path, params={"limit": "1000"}).json()["items"])
    part = shell.database.all(RunPart.of_run(path.split("/")[-2]))[0]
    spoil(shell.database, part, lines={"S": "all"})
    page = loader.get(path, params={"limit": "1000"}).json()
    assert (len(page["items"]), len(page["unreadable"])) == (whole - len(part.lines), 1)
    lines = loader.get(path, params={"format": "jsonl"}).text.splitlines()
    assert len(lines) == whole - len(part.lines) + 1
    assert loader.get(path, params={"format": "csv"}).json()["code"] == "unexpected-item"


def test_a_run_is_marked_to_be_stopped(calling: With, shell: Shell) -> None:
    writer = calling("news:write")
    run = writer.post(LOADS, json=links(2)).json()["id"]
    finished = writer.post(f"{LOADS}/{run}/stop")
    assert (finished.status_code, finished.json()["code"]) == (409, "conflict")
    stored = shell.database.get(RunKey.of(run))
    shell.database.put(stored.model_copy(update={"run_state": "running", "finished_at": None}))
    assert calling("news:read").post(f"{LOADS}/{run}/stop").status_code == 403
    marked = writer.post(f"{LOADS}/{run}/stop")
    assert (marked.status_code, marked.json()["stop_asked_at"] is None) == (202, False)
    assert [each.verb for each in shell.history.page("news", 1)] == ["stop"]


# ── in the background ─────────────────────────────────────────────────────────────────────────────


def test_a_list_is_loaded_in_the_background_when_that_is_preferred_or_it_is_long(
    loader: Caller, shell: Shell, clock: SetClock
) -> None:
    news = News(shell.database, shell.clock)
    preferred = loader.post(LOADS, links(2), headers={"Prefer": "respond-async"})
    assert (preferred.status_code, preferred.json()["run_state"]) == (202, "waiting")
    clock.advance(60)
    long = loader.post(LOADS, [each | {"title": "x" * 600} for each in links(1000)])
    assert long.status_code == 202
    for answer, count in ((preferred, 2), (long, 998)):
        assert answer.headers["location"] == f"{LOADS}/{answer.json()['id']}"
        news.background.load_next(threading.Event())
        run = loader.get(answer.headers["location"]).json()
        assert (run["run_state"], run["inserted"]) == ("finished", count)


def test_a_list_in_the_background_is_accepted_once_under_its_key(loader: Caller, shell: Shell) -> None:
    news, headers = News(shell.database, shell.clock), {"Prefer": "respond-async", "Idempotency-Key": "k1"}
    first = loader.post(LOADS, links(3), headers=headers)
    news.background.load_next(threading.Event())
    again = loader.post(LOADS, links(3), headers=headers)
    assert (again.status_code, again.json()) == (202, first.json())
    assert again.headers["idempotency-replayed"] == "true"
    assert news.background.is_wanted() is False
    assert len(loader.get(LOADS).json()["items"]) == 1
    assert loader.post(LOADS, links(4), headers=headers).status_code == 422


def test_a_run_is_resumed_with_the_list_that_is_kept(loader: Caller, shell: Shell) -> None:
    news = News(shell.database, shell.clock)
    run = loader.post(LOADS, links(3), headers={"Prefer": "respond-async"}).json()["id"]
    assert loader.post(f"{LOADS}/{run}/stop").status_code == 202
    news.background.load_next(threading.Event())
    assert loader.get(f"{LOADS}/{run}").json()["run_state"] == "stopped"
    assert loader.post(f"{LOADS}/{run}/resume").json()["run_state"] == "waiting"
    news.background.load_next(threading.Event())
    assert loader.get(f"{LOADS}/{run}").json()["inserted"] == 3
    assert loader.post(f"{LOADS}/{run}/resume").status_code == 409


def test_a_dry_run_is_answered_and_nothing_is_written(loader: Caller) -> None:
    loader.post(LOADS, [link(1)])
    found = loader.post(f"{LOADS}/dry-run", [link(1), link(2), link(2), {"title": "", "url": "u"}]).json()
    counts = [found[name] for name in ("lines", "inserted", "duplicate", "duplicate_in_batch", "invalid")]
    assert (counts, found["is_whole"]) == ([4, 1, 1, 1, 1], True)
    assert [(each["line"], each["code"]) for each in found["problems"]] == [(4, "news.no-title")]
    assert loader.get(f"/api/news/articles/{pk(2)}").status_code == 404
    assert len(loader.get(LOADS).json()["items"]) == 1


def test_one_article_and_its_text_are_read(loader: Caller, shell: Shell) -> None:
    loader.post(LOADS, [link(1, "NVDA")])
    assert loader.get(f"/api/news/articles/{pk(1)}/text").status_code == 404
    news = News(shell.database, shell.clock, sandbox=shell.sandbox)
    [work] = news.queue.take("w")
    news.queue.done(work.item_pk, work.claim, b"<h1>Chips</h1><script>x</script>", "text/html")
    found = loader.get(f"/api/news/articles/{pk(1)}/text").json()
    assert (found["text"].strip(), found["form"], found["is_cut"]) == ("Chips", "clean", False)


def test_near_duplicates_are_told_as_the_page_tells_them(loader: Caller) -> None:
    near = [link(1), link(1) | {"url": f"{link(1)['url']}?utm_source=x"}, link(2)]
    loader.post(LOADS, near)
    page = loader.get("/api/news/articles").json()
    [group] = page["near_duplicates"]
    assert sorted([group["pk"], *group["others"]]) == sorted(pk_of(each["url"]) for each in near[:2])
    day = loader.get("/api/news/day").json()
    assert (day["articles"], day["near_duplicates"], sum(day["hours"]), day["is_whole"]) == (3, 1, 3, True)


def test_an_export_has_every_field_and_loads_as_the_same_links(loader: Caller) -> None:
    hostile = [link(1, "BRK B", "A,B", "[X]", title="=1+1"), link(2, title="'=2")]
    loader.post(LOADS, hostile)
    given = loader.get("/api/news/articles", params={"format": "csv"}).content
    assert b"uploaded_at_kst_iso" in given.splitlines()[0]
    found = [link_of(each) for each in read_links(ListText(BytesIO(given)), "csv")]
    wanted = [link_of(each) for each in hostile]
    assert sorted(found, key=lambda each: each.url) == wanted


def test_the_queue_is_listed_by_state_released_and_retried(loader: Caller) -> None:
    loader.post(LOADS, links(3))
    first, second = loader.post(f"{QUEUE}/take", {"worker": "w", "limit": 2}).json()["items"]
    loader.post(f"{QUEUE}/{quote(first['item_pk'], safe='')}/fail", {"claim": first["claim"], "error": "x"})
    assert [each["item_pk"] for each in loader.get(f"{QUEUE}/states/claimed").json()["items"]] == [
        second["item_pk"]
    ]
    released = loader.post(f"{QUEUE}/{quote(second['item_pk'], safe='')}/release")
    assert (released.status_code, released.json()["state"]) == (200, "waiting")
    assert loader.post(f"{QUEUE}/retry", {"state": "failed"}).json() == {"retried": 1}
    assert loader.get(f"{QUEUE}/counts").json()["waiting"] == 3
