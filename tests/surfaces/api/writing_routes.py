"""Every route that writes, found in the route table, with a request to it that has an effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from io import BytesIO
from itertools import count
from typing import Any
from urllib.parse import quote

import orjson
from fastapi import FastAPI
from httpx2 import Client, Response

from hansang.apps.assets.codes import REMEMBERED_SECONDS
from hansang.apps.assets.design import AssetManager
from hansang.apps.catalog import APPLICATIONS
from hansang.apps.codex.design import User
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.work import Suspect
from hansang.apps.news.design import NewsDay, Run, Work
from hansang.apps.news.rules import pk_of
from hansang.apps.news.runs import Runs
from hansang.apps.news.service import News
from hansang.apps.platform.api_keys import ApiKey
from hansang.apps.platform.person import Person
from hansang.backends.base import Backend
from hansang.backends.batches import WRITES
from hansang.blueprint.examples import with_examples
from hansang.design import Entity, Table
from hansang.design.kinds import recognised
from hansang.design.shape import Item, Shape
from hansang.parts.exports import KEPT, Exports, RunningExport
from hansang.parts.jobs import Job
from hansang.parts.journal import Journal
from hansang.parts.permissions import PLATFORM
from hansang.parts.platform import Platform
from hansang.parts.receipts import LEASE
from hansang.parts.schedules import Schedule
from hansang.parts.timestamps import iso_timestamp, to_whole_second
from hansang.parts.words import Words
from hansang.surfaces.api.app import create_api
from hansang.surfaces.api.designs import valid_example
from hansang.surfaces.api.entities import EntityRoutes
from hansang.surfaces.api.routes import ApiRoute, Routes
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.writing import whole_form
from hansang.surfaces.shell import Shell
from tests.apps.news.lists import link
from tests.surfaces.asking import Asking
from tests.surfaces.shells import SETTINGS, SetClock, new_key, opened

_BASE = "http://hansang.test"
_ANY_TAG = {"If-Match": "*"}
_BESIDES = {
    "CategoryGate",  # made with the first post of a category alone
    "TopicMessage",
    "UsageCount",
    "UsagePeriod",
    "RoutePeriod",
    "UsageBeginning",
    "ChangeMonth",
    "NewsDay",
    "Frontier",
    "ImportPart",
    "Calendar",
}
"""Kinds that are no effect of a request."""


_KEPT_OF_REQUESTS = {
    "Change",
    "ChangeMonth",
    "Receipt",
    "RoutePeriod",
    "TopicMessage",
    "UsageBeginning",
    "UsageCount",
    "UsagePeriod",
}
"""What the platform keeps of every request."""
_IN_A_BATCH = 25
_ALONE = ("news", "leaderboards")
"""Applications that write every item themselves."""
_TELLING = {"NewsDay", "Work", "Run", "ApiKey", "Person"}
"""Kinds of which more counts than how many there are."""


class Killed(SystemExit):
    """The process is gone: nothing that would come after this is done, no cleaning up either."""


class Dying:
    """A backend under a process that is killed when it has written so often."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._left: int | None = None
        self.is_dead = False

    def kill_after(self, writes: int) -> None:
        self._left = writes

    def restart(self) -> None:
        self._left, self.is_dead = None, False

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if self.is_dead:
            raise Killed
        answer = self._backend.call(operation, request)
        if self._left is not None and operation in WRITES:
            self._left -= 1
            self.is_dead = self._left <= 0
        if self.is_dead:
            raise Killed
        return answer


@dataclass(frozen=True)
class Sent:
    """A request that can be sent again."""

    method: str
    path: str
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Place:
    """The product, and somebody who may do everything."""

    def __init__(self, shell: Shell, clock: SetClock, api: FastAPI) -> None:
        self.shell, self.clock, self._api = shell, clock, api
        self._headers = {"Authorization": f"Bearer {new_key(shell, '*:admin')}", "Accept-Language": "en"}
        self._client = self._new_client()
        self.plain = shell.database.backend
        self.numbers = count(1)
        self._examples: dict[str, dict[str, Entity]] = {}

    def on(self, backend: Backend) -> None:
        """Let everything go to this backend from now on."""
        self.shell.database._runner.backend = backend

    def send(self, sent: Sent, key: str | None = None) -> Response:
        headers = dict(sent.headers) if key is None else {**sent.headers, "Idempotency-Key": key}
        return self._client.request(sent.method, sent.path, json=sent.json, headers=headers)

    def send_beside(self, sent: Sent, key: str) -> Response:
        """The same from a thread that answers another request."""
        own = {**sent.headers, "Idempotency-Key": key}
        return self._new_client().request(sent.method, sent.path, json=sent.json, headers=own)

    def _new_client(self) -> Client:
        return Client(transport=Asking(self._api), base_url=_BASE, headers=self._headers, trust_env=False)

    def made(self, sent: Sent) -> Any:
        """What a request has led to, which has to work."""
        answer = self.send(sent)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def pass_lease(self) -> None:
        """Wait until nobody waits for a worker that is gone."""
        self.clock.advance(LEASE.total_seconds() + 2)

    def effects(self) -> Counter[str]:
        """How many items of each kind there are, and what is counted in them."""
        self.shell.jobs.stop()
        found: Counter[str] = Counter()
        for table in self._tables():
            for item in self._items(table):
                kind = item["Type"]["S"] if table is Platform else _shape(table, item).cls.__name__
                found[kind] += kind not in _BESIDES
                if kind in _TELLING:
                    found.update(_facts(_shape(table, item).decode(item)))
        return found

    def forget_requests(self) -> None:
        """Throw away what is kept of requests that are over, so that counting the rest takes no longer each time."""
        name = self.shell.database.name(Platform)
        kept = [each for each in self._items(Platform) if each["Type"]["S"] in _KEPT_OF_REQUESTS]
        deletes = [{"DeleteRequest": {"Key": {"PK": each["PK"], "SK": each["SK"]}}} for each in kept]
        for first in range(0, len(deletes), _IN_A_BATCH):
            batch = {name: deletes[first : first + _IN_A_BATCH]}
            answer = self.plain.call("BatchWriteItem", {"RequestItems": batch})
            assert not answer["UnprocessedItems"]

    def _items(self, table: type[Table]) -> Iterator[Item]:
        """Everything in a table, however many pages that are."""
        request: dict[str, Any] = {"TableName": self.shell.database.name(table)}
        while True:
            found = self.plain.call("Scan", request)
            yield from found["Items"]
            if "LastEvaluatedKey" not in found:
                return
            request["ExclusiveStartKey"] = found["LastEvaluatedKey"]

    def examples(self, area: str) -> dict[str, Entity]:
        """The entities that the document of an application shows."""
        if area not in self._examples:
            application = self.shell.application(area)
            design = with_examples(application.tables)
            found = {name: valid_example(design, kind) for name, kind in application.entities.items()}
            self._examples[area] = {name: each for name, each in found.items() if each is not None}
        return self._examples[area]

    def _tables(self) -> Iterator[type[Table]]:
        return (table for each in self.shell.plugged for table in each.tables)


def _shape(table: type[Table], item: Item) -> Shape:
    found = recognised(table.shapes, item)
    assert found is not None
    return found


def _facts(entity: Any) -> Iterator[str]:
    """What the fields of an item tell, beside that it is there."""
    if isinstance(entity, NewsDay):
        yield from ["day done"] * entity.done + ["day dead"] * entity.dead + ["day link"] * entity.inserted
    elif isinstance(entity, Work):
        yield from [f"work {entity.state}"] + ["work attempt"] * entity.attempts
    elif isinstance(entity, Run):
        yield f"run {entity.run_state}"
    elif isinstance(entity, ApiKey):
        yield "key" if entity.revoked_at is None else "key revoked"
    elif isinstance(entity, Person):
        yield from [f"person {entity.disabled}", f"roles {entity.roles}"]


@contextmanager
def opened_place(area: str) -> Iterator[tuple[Place, FastAPI]]:
    """The product with one application, or for the platform with one that it can be about."""
    clock, served = SetClock(), replace(SETTINGS, apps=(("codex" if area == PLATFORM else area),))
    jobs = tuple(
        Job(name=name, title=Words("종", "Bell"), run=lambda _: "rang", schedule=Schedule.every(3600))
        for name in ("bell", "chime")
    )
    with opened(clock, served, jobs) as shell:
        api = create_api(shell)
        place = Place(shell, clock, api)
        try:
            yield place, api
        finally:
            place.on(place.plain)


WRITE_NOTHING = {
    "news.loads.dry_run",
    "leaderboards.scores.token",
    "leaderboards.weeks.rehearse",
    "rankings.discord",
    "codex.pictures.upload",
    *(f"{each.name}.partiql.ask" for each in APPLICATIONS),
}
"""What has to be sent a body, and writes no item: it is for reading, or a file under its own digest."""


def writing_routes(api: FastAPI, area: str) -> list[ApiRoute]:
    """The routes of an area that are not for reading alone, as the route table has them."""
    found = (each for outer in api.routes if isinstance(outer, Routes) for each in outer.routes)
    listed = (each for each in found if isinstance(each, ApiRoute) and each.include_in_schema)
    writing = (each for each in listed if (each.methods or set()) - {"GET"})
    return [each for each in writing if each.name.startswith(f"{area}.") and each.name not in WRITE_NOTHING]


# ── the routes of entities ────────────────────────────────────────────────────────────────────────


def entity_requests(place: Place, route: ApiRoute) -> Callable[[], Sent] | None:
    """Makes requests to a route of an entity, of the example of its document; None if that is refused by hand."""
    area, name, verb = route.name.split(".")
    application, example = place.shell.application(area), place.examples(area)[name]
    location = EntityRoutes(place.shell, application, type(example), Gate(place.shell)).location(example)
    body = orjson.loads(whole_form(type(example)).json(example))
    stored: list[Any] = [] if verb == "create" else [example]
    missing: list[Any] = [example] if verb == "create" else []
    if verb == "create":
        sent = [Sent("POST", route.path, body)]
    elif verb == "delete":
        sent = [Sent("DELETE", location, headers=_ANY_TAG)]
    else:
        sent = [Sent("PUT", location, each, _ANY_TAG) for each in _changed(body)]

    def prepare() -> None:
        _write_examples(place, area)
        if area not in _ALONE:
            place.shell.database.batch_write(stored, missing)

    if not application.write_rule(type(example)).creates:
        return None
    prepare()
    working = next((each for each in sent if place.send(each).status_code < 300), None)
    return None if working is None else _after(prepare, working)


def _write_examples(place: Place, area: str) -> None:
    """Store what others may refer to: what is written by hand, and users."""
    application = place.shell.application(area)
    found = place.examples(area).values()
    place.shell.database.batch_write(
        [each for each in found if application.write_rule(type(each)).creates or isinstance(each, User)]
    )


def _after(prepare: Callable[[], object], sent: Sent) -> Callable[[], Sent]:
    def request() -> Sent:
        prepare()
        return sent

    return request


def _changed(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Bodies that differ in one field each."""
    for name, value in body.items():
        if isinstance(value, bool):
            yield {**body, name: not value}
        elif isinstance(value, int):
            yield {**body, name: value + 1}
        elif isinstance(value, str):
            yield {**body, name: f"{value}x"}
        elif isinstance(value, list):
            yield {**body, name: value[:-1]}
        elif isinstance(value, dict):
            yield {**body, name: dict([*value.items()][:-1])}


_REFERRED_TO = {"Category"}
"""What posts come into, so that it cannot be deleted by itself."""


def statement_requests(place: Place, route: ApiRoute) -> Callable[[], Sent] | None:
    """Makes requests that delete an example by a statement; None if none is written by hand."""
    area = route.name.partition(".")[0]
    application = place.shell.application(area)
    for example in place.examples(area).values():
        shape: Any = type(example).__shape__
        key, name = shape.key(example.__dict__), place.shell.database.name(shape.table)
        at = " AND ".join(f'"{each}" = ?' for each in key)
        given = {"statement": f'DELETE FROM "{name}" WHERE {at}', "parameters": [*key.values()]}
        sent = Sent("POST", route.path, given, _ANY_TAG)
        prepare = partial(_prepare, place, area, example)
        is_open = application.write_rule(type(example)).creates and area not in _ALONE
        if not is_open or type(example).__name__ in _REFERRED_TO:
            continue
        prepare()
        if place.send(sent).status_code < 300:
            return _after(prepare, sent)
    return None


def _prepare(place: Place, area: str, example: Entity) -> None:
    _write_examples(place, area)
    place.shell.database.batch_write([example])


# ── the others ────────────────────────────────────────────────────────────────────────────────────

_PEOPLE, _KEYS, _QUEUE = "/api/platform/people", "/api/platform/keys", "/api/news/queue"


def _new_person(place: Place) -> str:
    drafted = {"name": f"person-{next(place.numbers)}", "shown_name": "Minji", "roles": {"codex": "viewer"}}
    return str(place.made(Sent("POST", _PEOPLE, drafted))["name"])


def _new_key(place: Place) -> str:
    return str(place.made(Sent("POST", _KEYS, {"label": "k", "scopes": ["codex:read"]}))["id"])


def _new_article(place: Place) -> str:
    """An article that waits."""
    place.clock.advance(2)
    found = link(next(place.numbers))
    place.made(Sent("POST", "/api/news/loads", [found]))
    return quote(pk_of(found["url"]), safe="")


def _claimed(place: Place) -> tuple[str, str]:
    pk = _new_article(place)
    return pk, str(place.made(Sent("POST", f"{_QUEUE}/{pk}/claim", {"worker": "w"}))["claim"])


def _failed(place: Place) -> str:
    pk, claim = _claimed(place)
    place.made(Sent("POST", f"{_QUEUE}/{pk}/fail", {"claim": claim, "error": "gone"}))
    return pk


def _done(place: Place) -> Sent:
    pk, claim = _claimed(place)
    return Sent("POST", f"{_QUEUE}/{pk}/done", {"claim": claim, "body": "<p>"})


def _fail(place: Place) -> Sent:
    pk, claim = _claimed(place)
    return Sent("POST", f"{_QUEUE}/{pk}/fail", {"claim": claim, "error": "gone"})


def _extend(place: Place) -> Sent:
    pk, claim = _claimed(place)
    return Sent("POST", f"{_QUEUE}/{pk}/extend", {"claim": claim, "lease_seconds": 3600})


def _take(place: Place) -> Sent:
    """Two of three articles that are new; all others are with somebody, for long."""
    place.clock.advance(2 * 3600)
    queue = News(place.shell.database, place.clock).queue
    for each in queue.page("failed", 100):
        queue.retry(each.item_pk)
    while queue.take("before", 100, 86_400):
        pass
    for _ in range(3):
        _new_article(place)
    return Sent("POST", f"{_QUEUE}/take", {"worker": "w", "limit": 2})


def _retry_all(place: Place) -> Sent:
    """Two articles that failed, and no other."""
    queue = News(place.shell.database, place.clock).queue
    queue.retry_all("failed")
    for _ in range(2):
        _failed(place)
    return Sent("POST", f"{_QUEUE}/retry", {"state": "failed"})


def _resume_load(place: Place) -> Sent:
    """A run whose list is kept, and which nobody goes on with."""
    place.clock.advance(2)
    lists = News(place.shell.database, place.clock).lists
    run = lists.accept(BytesIO(orjson.dumps([link(next(place.numbers))])), source="by hand").id
    sent = lists.find(run)
    assert sent is not None
    lists.leave(sent)
    return Sent("POST", f"/api/news/loads/{run}/resume")


def _load(place: Place) -> Sent:
    place.clock.advance(2)
    return Sent("POST", "/api/news/loads", [link(next(place.numbers), "NVDA") for _ in range(3)])


def _undo(place: Place) -> Sent:
    body = {"id": f"c{next(place.numbers)}", "title": "t", "desc": ""}
    times = dict.fromkeys(("created_at", "updated_at"), "2026-11-15T09:30:00Z")
    made = place.send(Sent("POST", "/api/codex/entities/Category", body | times))
    return Sent("POST", f"/api/platform/changes/{made.headers['x-change-id']}/undo")


def _enable(place: Place) -> Sent:
    name = _new_person(place)
    place.made(Sent("POST", f"{_PEOPLE}/{name}/disable"))
    return Sent("POST", f"{_PEOPLE}/{name}/enable")


def _run(place: Place) -> Sent:
    place.clock.advance(100)
    return Sent("POST", "/api/platform/jobs/bell/run")


def _stop_job(place: Place) -> Sent:
    """A run that another process is at."""
    place.clock.advance(100)
    journal = Journal(place.shell.database, place.clock, "elsewhere", lease=timedelta(days=1))
    assert journal.claim("chime", iso_timestamp(journal.now)) is not None
    return Sent("POST", "/api/platform/jobs/chime/stop")


def _stop_export(place: Place) -> Sent:
    """An export that another process is at."""
    exports, now = Exports(place.shell.database, place.clock), to_whole_second(place.clock())
    begun = RunningExport(
        id=f"e{next(place.numbers)}",
        what="all.csv",
        who="person:minji",
        shown_name="Minji",
        begun_at=now,
        told_at=now,
        rows=7,
        expires_at=now + KEPT,
    )
    place.shell.database.put(begun)
    assert begun in exports.running()
    return Sent("POST", f"/api/platform/exports/{begun.id}/stop")


def _stop_load(place: Place) -> Sent:
    """A run that was broken off by something else before."""
    place.clock.advance(2)
    runs = Runs(place.shell.database, place.clock, lambda _: None, lambda: f"{next(place.numbers):08d}")
    return Sent("POST", f"/api/news/loads/{runs.begin('by hand', '', []).id}/stop")


def _create_person(place: Place) -> Sent:
    drafted = {"name": f"person-{next(place.numbers)}", "shown_name": "Minji", "roles": {"codex": "viewer"}}
    return Sent("POST", _PEOPLE, drafted)


_RANKINGS = "/api/rankings"


def _part(place: Place) -> Sent:
    """Two players of a day that nobody else has."""
    day = date(2030, 1, 1) + timedelta(days=next(place.numbers))
    players = [
        {"uuid": f"A{next(place.numbers)}", "name": "n", "level": level, "power": 9} for level in (5, 7)
    ]
    return Sent("POST", f"{_RANKINGS}/days/{day}/parts", {"players": players})


def _written_day(place: Place) -> str:
    sent = _part(place)
    place.made(sent)
    return sent.path.removesuffix("/parts")


def _finished_day(place: Place) -> str:
    path = _written_day(place)
    place.made(Sent("POST", f"{path}/finish"))
    return path


def _erase(place: Place) -> Sent:
    sent = _part(place)
    place.made(sent)
    place.made(Sent("POST", sent.path.replace("/parts", "/finish")))
    return Sent("POST", f"{_RANKINGS}/players/{sent.json['players'][0]['uuid']}/erase")


def _show(place: Place) -> Sent:
    path = f"{_RANKINGS}/players/A{next(place.numbers)}"
    place.made(Sent("POST", f"{path}/hide"))
    return Sent("POST", f"{path}/show")


# ── the company site ──────────────────────────────────────────────────────────────────────────────

_CODEX = "/api/codex"
_ITEMS: dict[str, dict[str, Any]] = {
    "users": {"displayName": "김대연", "role": "editor"},
    "categories": {"title": "회사 소식", "desc": ""},
    "banners": {"title": "봄", "desc": "", "imgUri": "/b.png", "btn1Text": "", "btn2Text": ""},
    "drafts": {"title": "초안"},
}


def _new_of(place: Place, plural: str) -> str:
    return f"{_CODEX}/{plural}/{place.made(Sent('POST', f'{_CODEX}/{plural}', _given(place, plural)))['id']}"


def _given(place: Place, plural: str) -> dict[str, Any]:
    """A new item of the site; a post refers to what the examples have."""
    if plural != "posts":
        return _ITEMS[plural]
    _write_examples(place, "codex")
    number = next(place.numbers)
    return {"categoryId": "c001", "authorId": "u001", "title": f"글 {number}", "contents": "…"}


def _of_site(plural: str, verb: str) -> Callable[[Place], Sent]:
    def make(place: Place) -> Sent:
        if verb == "POST":
            return Sent(verb, f"{_CODEX}/{plural}", _given(place, plural))
        path = _new_of(place, plural)
        changed = _given(place, plural) | {"title": "고침"} if plural != "users" else _given(place, plural)
        place.clock.advance(1)
        return Sent(verb, path, changed if verb == "PUT" else None, _ANY_TAG)

    return make


def _emptied_category(place: Place) -> Sent:
    """A category with a post, which goes to the trash."""
    path = _new_of(place, "categories")
    given = _given(place, "posts") | {"categoryId": path.rpartition("/")[2]}
    place.made(Sent("POST", f"{_CODEX}/posts", given))
    return Sent("DELETE", f"{path}?cascade=true", headers=_ANY_TAG)


def _whole_draft(place: Place) -> str:
    """The id of a draft that can be published."""
    return str(place.made(Sent("POST", f"{_CODEX}/drafts", _given(place, "posts")))["id"])


def _trashed(place: Place) -> Sent:
    path = _new_of(place, "posts")
    assert place.send(Sent("DELETE", path, headers=_ANY_TAG)).status_code == 204
    return Sent("POST", f"{path}/restore")


def _revised(place: Place) -> Sent:
    """A post that was changed once."""
    path = _new_of(place, "posts")
    place.made(Sent("PUT", path, _given(place, "posts"), _ANY_TAG))
    revision = place.send(Sent("GET", f"{path}/revisions")).json()["items"][0]["revision"]
    return Sent("POST", f"{path}/revisions/{revision}/restore")


_ASKED = {"name": "홍길동", "email": "user@example.com", "subject": "문의", "message": "…", "consent": True}


def _asked(place: Place) -> Sent:
    place.clock.advance(60)  # A minute has few inquiries.
    return Sent("POST", f"{_CODEX}/inquiries", _ASKED)


def _inquiry(verb: str) -> Callable[[Place], Sent]:
    def make(place: Place) -> Sent:
        path = f"{_CODEX}/inquiries/{place.made(_asked(place))['id']}"
        body = place.send(Sent("GET", path)).json() | {"memo": "전화함"} if verb == "PUT" else None
        return Sent(verb, path, body, _ANY_TAG)

    return make


def _company(place: Place) -> Sent:
    _write_examples(place, "codex")
    told = {"name": f"회사 {next(place.numbers)}", "address": "", "email": "", "fax": "", "corpNum": ""}
    return Sent("PUT", f"{_CODEX}/corp-info", told, _ANY_TAG)


def _erase_asked(place: Place) -> Sent:
    """An inquiry of a person who has sent no other."""
    place.clock.advance(60)
    email = f"v{next(place.numbers)}@mail.example"
    place.made(Sent("POST", f"{_CODEX}/inquiries", _ASKED | {"email": email}))
    return Sent("POST", f"{_CODEX}/inquiries/erase", {"email": email})


_SITE: dict[str, Callable[[Place], Sent]] = {
    **{
        f"codex.{plural}.{name}": _of_site(plural, verb)
        for plural in ("users", "categories", "banners", "posts", "drafts")
        for name, verb in {"create": "POST", "replace": "PUT", "delete": "DELETE"}.items()
        if (plural, name) not in (("categories", "delete"), ("drafts", "replace"))
    },
    "codex.drafts.save": _of_site("drafts", "PUT"),
    "codex.categories.delete_with": _emptied_category,
    "codex.posts.publish": lambda place: Sent("POST", f"{_CODEX}/posts/{_whole_draft(place)}/publish"),
    "codex.posts.schedule": lambda place: Sent(
        "POST", f"{_CODEX}/posts/{_whole_draft(place)}/schedule", {"publishAt": "2999-01-01T00:00:00Z"}
    ),
    "codex.posts.restore": _trashed,
    "codex.posts.take_down": lambda place: Sent(
        "POST", f"{_new_of(place, 'posts')}/take-down", headers=_ANY_TAG
    ),
    "codex.posts.restore_revision": _revised,
    "codex.corp-info.store": _company,
    "codex.inquiries.send": _asked,
    "codex.inquiries.replace": _inquiry("PUT"),
    "codex.inquiries.delete": _inquiry("DELETE"),
    "codex.inquiries.answer": lambda place: Sent(
        "POST", f"{_inquiry('DELETE')(place).path}/answer", {"text": "네"}, _ANY_TAG
    ),
    "codex.inquiries.erase": _erase_asked,
}


_ASSETS = "/api/assets"


def _fresh_household(place: Place) -> None:
    """A household with one entry, and nothing else."""
    database = place.shell.database
    name = database.name(AssetManager)
    for item in place.plain.call("Scan", {"TableName": name})["Items"]:
        place.plain.call("DeleteItem", {"TableName": name, "Key": {key: item[key] for key in ("PK", "SK")}})
    place.clock.advance(REMEMBERED_SECONDS)
    opening = {"month": "2024.12", "cash": 5, "investment": 6}
    place.made(Sent("PUT", f"{_ASSETS}/opening", opening))
    place.made(Sent("PUT", f"{_ASSETS}/months/2025.01/living-expense/{quote('식비')}", {"amount": 100}))
    place.made(Sent("PUT", f"{_ASSETS}/months/2025.03/income/{quote('배우자1/월급')}", {"amount": 100}))


def _to_household(method: str, path: str, body: Any = None) -> Callable[[Place], Sent]:
    def sent(place: Place) -> Sent:
        _fresh_household(place)
        return Sent(method, f"{_ASSETS}/{quote(path)}", body)

    return sent


def _undone_entry(place: Place) -> Sent:
    _fresh_household(place)
    path = f"{_ASSETS}/months/2025.01/living-expense/{quote('식비')}"
    done = place.made(Sent("PUT", path, {"amount": 7}))
    return Sent("POST", f"{_ASSETS}/undo/{done['change']}")


def _new_household(place: Place) -> Sent:
    return Sent("POST", f"{_ASSETS}/households", {"id": f"house-{next(_HOUSES)}", "title": "부모님"})


def _new_members(place: Place) -> Sent:
    made = place.made(_new_household(place))
    body = {"title": "댁", "members": {"seoyeon": "owner"}}
    return Sent("POST", f"{_ASSETS}/households/{made['id']}/members", body)


def _new_pocket(place: Place) -> Sent:
    made = place.made(_new_household(place))
    return Sent("POST", f"{_ASSETS}/pockets?household={made['id']}", {"title": "주머니"})


_HOUSES = count(1)
_BOARDS = "/api/leaderboards"


def _new_player(place: Place) -> int:
    """A player who has played."""
    player = next(place.numbers)
    place.made(Sent("POST", f"{_BOARDS}/scores", {"id": player, "name": "n", "score": 5}))
    return player


def _player_request(verb: str, body: Any = None, *before: str) -> Callable[[Place], Sent]:
    """Something that is done to a player who has played, after something else if need be."""

    def request(place: Place) -> Sent:
        path = f"{_BOARDS}/players/{_new_player(place)}"
        for each in before:
            place.made(Sent("POST", f"{path}/{each}", {"reason": "cheating"}))
        return Sent("POST", f"{path}/{verb}", body)

    return request


def _hide_many(place: Place) -> Sent:
    ids = [_new_player(place), _new_player(place)]
    return Sent("POST", f"{_BOARDS}/players/hide", {"ids": ids, "reason": "cheating"})


def _restore_many(place: Place) -> Sent:
    hiding = _hide_many(place)
    place.made(hiding)
    return Sent("POST", f"{_BOARDS}/players/restore", {"ids": hiding.json["ids"]})


def _friends(place: Place) -> str:
    return f"{_BOARDS}/players/{_new_player(place)}/friends/{_new_player(place)}"


def _unfriend(place: Place) -> Sent:
    path = _friends(place)
    place.made(Sent("PUT", path))
    return Sent("DELETE", path)


def _judge(place: Place) -> Sent:
    boards, player = Leaderboards(place.shell.database, place.clock), _new_player(place)
    place.shell.database.put(
        Suspect(
            start=boards.weeks.current.start,
            id=player,
            why="jump",
            name="n",
            score=5,
            at=to_whole_second(place.clock()),
        )
    )
    return Sent("POST", f"{_BOARDS}/players/{player}/judge", {"state": "cleared"})


def _undo_hiding(place: Place) -> Sent:
    player = _new_player(place)
    place.clock.advance(1)
    place.made(Sent("POST", f"{_BOARDS}/players/{player}/hide", {"reason": "cheating"}))
    [change, *_] = place.shell.history.of_subject(str(player))
    return Sent("POST", f"{_BOARDS}/changes/{change.id}/undo")


def _close(place: Place) -> Sent:
    """A week of the past in which two have played and nobody else."""
    then = place.clock() - 7 * 86_400 * next(place.numbers)
    boards = Leaderboards(place.shell.database, lambda: then)
    for _ in range(2):
        boards.submitter.submit(GivenPlay(next(place.numbers), "n", 5))
    path = f"{_BOARDS}/weeks/{boards.weeks.current.start}/close"
    return Sent("POST", path, {"tiers": [{"name": "gold", "rank": 1}]})


def _deliver(place: Place) -> Sent:
    sent = _close(place)
    place.made(sent)
    return Sent("POST", sent.path.replace("/close", "/rewards/1/deliver"), {"receipt": "r"})


def _plays(place: Place) -> Sent:
    plays = [{"id": next(place.numbers), "name": "n", "score": score} for score in (5, 7)]
    return Sent("POST", f"{_BOARDS}/scores/batch", {"plays": plays})


OTHERS: dict[str, Callable[[Place], Sent]] = {
    **_SITE,
    "platform.keys.create": lambda _: Sent("POST", _KEYS, {"label": "k", "scopes": ["codex:read"]}),
    "platform.keys.revoke": lambda place: Sent("POST", f"{_KEYS}/{_new_key(place)}/revoke"),
    "platform.people.create": _create_person,
    "platform.people.set_roles": lambda place: Sent(
        "PUT", f"{_PEOPLE}/{_new_person(place)}/roles", {"roles": {"codex": "editor"}}, {"If-Match": "*"}
    ),
    "platform.people.disable": lambda place: Sent("POST", f"{_PEOPLE}/{_new_person(place)}/disable"),
    "platform.people.enable": _enable,
    "platform.people.link": lambda place: Sent("POST", f"{_PEOPLE}/{_new_person(place)}/link"),
    "platform.jobs.run": _run,
    "platform.jobs.stop": _stop_job,
    "platform.exports.stop": _stop_export,
    "platform.changes.undo": _undo,
    "news.loads.load": _load,
    "news.loads.stop": _stop_load,
    "news.loads.resume": _resume_load,
    "news.queue.take": _take,
    "news.queue.claim": lambda place: Sent("POST", f"{_QUEUE}/{_new_article(place)}/claim", {"worker": "w"}),
    "news.queue.extend": _extend,
    "news.queue.done": _done,
    "news.queue.fail": _fail,
    "news.queue.release": lambda place: Sent("POST", f"{_QUEUE}/{_claimed(place)[0]}/release"),
    "news.queue.retry_all": _retry_all,
    "rankings.days.add": _part,
    "rankings.days.finish": lambda place: Sent("POST", f"{_written_day(place)}/finish"),
    "rankings.days.reopen": lambda place: Sent("POST", f"{_finished_day(place)}/reopen"),
    "rankings.days.roll_back": lambda place: Sent("POST", f"{_finished_day(place)}/roll-back"),
    "rankings.players.store": lambda place: Sent(
        "POST", f"{_RANKINGS}/players/A{next(place.numbers)}", {"name": "n", "level": 1, "power": 2}
    ),
    "rankings.players.hide": lambda place: Sent("POST", f"{_RANKINGS}/players/A{next(place.numbers)}/hide"),
    "rankings.players.show": _show,
    "rankings.players.erase": _erase,
    "assets.months.enter": _to_household("PUT", "months/2025.01/living-expense/교통비", {"add": 7}),
    "assets.months.enter_pair": _to_household("PUT", "months/2025.01/income/배우자1/월급", {"amount": 7}),
    "assets.months.enter_all": _to_household(
        "POST",
        "months/2025.01/entries",
        {"entries": [{"kind": "savings", "parts": [name], "amount": 1} for name in ("적금1", "적금2")]},
    ),
    "assets.months.clear": _to_household("DELETE", "months/2025.01/living-expense/식비"),
    "assets.months.clear_pair": _to_household("DELETE", "months/2025.03/income/배우자1/월급"),
    "assets.open": _to_household("PUT", "opening", {"month": "2024.11", "cash": 1, "investment": 2}),
    "assets.value": _to_household("PUT", "valuations/2025.01", {"worth": {"주식": 7}}),
    "assets.close": _to_household("POST", "close/2025.01"),
    "assets.copy": _to_household("POST", "copy/2025.02", {"kinds": ["living-expense"]}),
    "assets.paste": _to_household("POST", "paste/2025.02", {"text": "식비\t5\n대출\t7"}),
    "assets.set_rules": _to_household("POST", "rules", {"month_starts_on": 25}),
    "assets.undo": _undone_entry,
    "assets.households.create": _new_household,
    "assets.households.members": _new_members,
    "assets.create_pocket": _new_pocket,
    "assets.take_in": _to_household(
        "POST",
        "import",
        {
            "text": "이용일자,가맹점명,이용금액\n2025-02-03,마트,7\n2025-03-03,책,8",
            "to": "living-expense/식비",
        },
    ),
    "assets.rename": _to_household("POST", "rename/LIVING_EXPENSE_CATEGORY", {"old": "식비", "new": "밥"}),
    "assets.codes.put": _to_household("PUT", "codes/NAME", {"codes": ["서연", "준호"]}),
    "leaderboards.scores.submit": lambda place: Sent(
        "POST", f"{_BOARDS}/scores", {"id": next(place.numbers), "name": "n", "score": 5}
    ),
    "leaderboards.scores.submit_batch": _plays,
    "leaderboards.friends.befriend": lambda place: Sent("PUT", _friends(place)),
    "leaderboards.friends.unfriend": _unfriend,
    "leaderboards.players.rename": _player_request("rename", {"name": "m"}),
    "leaderboards.players.hide": _player_request("hide", {"reason": "cheating"}),
    "leaderboards.players.restore": _player_request("restore", None, "hide"),
    "leaderboards.players.hide_many": _hide_many,
    "leaderboards.players.restore_many": _restore_many,
    "leaderboards.players.erase": _player_request("erase"),
    "leaderboards.players.judge": _judge,
    "leaderboards.players.undo": _undo_hiding,
    "leaderboards.weeks.close": _close,
    "leaderboards.weeks.deliver": _deliver,
    "leaderboards.players.correct": _player_request("correct", {"score": 3, "note": "miscounted"}),
    "news.queue.retry": lambda place: Sent("POST", f"{_QUEUE}/{_failed(place)}/retry"),
}
"""A request to each route that is not one of an entity."""


def requests_to(place: Place, route: ApiRoute) -> Callable[[], Sent] | None:
    """Makes requests to a route, each of which has the same effect; None if nobody writes that by hand."""
    if "/entities/" in route.path:
        return entity_requests(place, route)
    if route.path.endswith("/partiql/run"):
        return statement_requests(place, route)
    make = OTHERS[route.name]
    return lambda: make(place)
