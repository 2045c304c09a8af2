"""A planted secret is told to nobody and planted personal data to owners alone, by whatever the product answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.apps.codex.application import APPLICATION as CODEX
from hansang.apps.codex.design import ContactInquiry, Credentials, FMWebApp
from hansang.apps.platform.accounts import accounts_of
from hansang.apps.rankings.service import Rankings
from hansang.apps.table_names import copied
from hansang.backends.embedded import Embedded
from hansang.blueprint.examples import with_examples
from hansang.design import Database, Entity, SecretField, visibility
from hansang.design.codec import Value
from hansang.design.kinds import recognised
from hansang.design.requests import shape_of
from hansang.errors import HansangError
from hansang.parts.history import Actor
from hansang.parts.jobs import Job
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words
from hansang.surfaces.api import writing
from hansang.surfaces.api.designs import valid_example
from hansang.surfaces.cli.main import app as commands
from hansang.surfaces.http.frame import Frame
from hansang.surfaces.http.logs import logging_to
from hansang.surfaces.server.workers import Worker
from hansang.surfaces.shell import Shell
from hansang.wiring import product
from tests.apps.rankings.imports import player
from tests.apps.rankings.players import DAY as RANKED_DAY
from tests.spoiling import put_item
from tests.storing import lasting, put_plainly
from tests.surfaces.console.browsers import Browser
from tests.surfaces.shells import PASSWORD, SETTINGS, SetClock, opened
from tests.surfaces.walking import Reply, Walk, get_routes

pytestmark = pytest.mark.long

SECRET, PERSONAL = "planted-secret-4711", "planted-person-0815"
ACTOR = Actor("server", "test", "a test")
PLANTED = ["codex", "/changes", "/platform", "/search"]
COPY = "second"
SERVED = tuple(
    replace(each, copies=lambda settings: (COPY,)) if each is CODEX else each for each in APPLICATIONS
)
"""The applications; the one that most is hidden of has its tables twice."""
JOBS = (Job(name="count", title=Words("세기", "Count"), run=lambda _: "", schedule=Schedule.every(3600)),)
TEXTS = ("name", "email", "company", "title", "subject", "message")
UNANSWERED = {
    "/api/assets/months/{ym}/{kind}/{part}",
    "/api/assets/months/{ym}/{kind}/{part}/{second}",
    "/api/assets/rename/{type}",
    "/api/assets/reports/search",
    "/api/codex/pictures/{name}",
    "/api/codex/posts/{id}/revisions/{revision}",
    "/api/codex/search",
    "/api/leaderboards/entities/RefusedPlay",  # it expires
    "/api/leaderboards/entities/UsedToken",
    "/api/leaderboards/players",
    "/api/leaderboards/weeks/{week}/rewards",
    "/site/preview/{token}",
    "/live",  # a stream of messages that jobs and loads publish
    "/live/state",
    "/api/docs/files/{name}",
    "/api/news/articles/{pk}/text",
    "/api/news/loads/{run}",
    "/api/news/loads/{run}/lines",
    "/api/news/queue/states/{state}",
    "/news/articles/{pk}/text",
    "/news/runs/{id}",
    "/once/{token}",
    "/sign-in/link/{token}",
    "/static/{version}/{name:path}",
}
"""Files, links not given out, and what only a load of news makes; no field of that is marked."""


def example(kind: type[Entity]) -> Any:
    """The entity that the OpenAPI document asks for in its examples."""
    found = valid_example(with_examples(CODEX.tables), kind)
    assert found is not None
    return found


def inquiry() -> ContactInquiry:
    found: ContactInquiry = example(ContactInquiry)
    return found.model_copy(update={name: personal(name) for name in TEXTS})


def personal(name: str) -> str:
    """A text that nobody without the role may see, in the format of its field."""
    return f"{PERSONAL}@example.com" if name == "email" else f"{PERSONAL} {name}"


def credentials() -> Credentials:
    found: Credentials = example(Credentials)
    return found.model_copy(update={"password_hash": SECRET})


def packed(text: str) -> Value:
    """A value that no text field can read."""
    return {"M": {"inner": {"S": text}}}


def plant(database: Database) -> None:
    """Items with what is hidden: as they should be, unreadable, of no kind at all, and with unknown attributes."""
    person, secret = shape_of(inquiry()).encode(inquiry()), shape_of(credentials()).encode(credentials())
    key = {"PK": {"S": "CONTACT#bad"}, "id": {"S": "bad"}}
    put_item(database, FMWebApp, secret)
    put_item(database, FMWebApp, person | {"resetToken": {"S": SECRET}})
    put_item(database, FMWebApp, person | key | {"email": packed(PERSONAL)})
    put_item(database, FMWebApp, person | key | {"PK": {"S": "CONTACT-lost"}})
    put_item(database, FMWebApp, secret | {"PK": {"S": "USER#bad"}, "passwordHash": packed(SECRET)})
    put_item(database, FMWebApp, secret | {"PK": {"S": "USER-lost"}, "SK": {"S": "?"}})
    put_item(
        database, FMWebApp, person | key | {"PK": {"S": "CATEGORY#lost"}, "Type": {"S": "ContactInquiry"}}
    )


def change(shell: Shell) -> None:
    """Create, replace and delete what is hidden, so that the history has it."""
    for made, changed in (
        (inquiry(), inquiry().model_copy(update={"email": f"{PERSONAL}@new.example.com"})),
        (credentials(), credentials().model_copy(update={"password_hash": f"{SECRET} new"})),
    ):
        edit: Any = shell.editing.create(made, ACTOR)
        edit = shell.editing.replace(changed, edit.etag, ACTOR)
        shell.editing.delete(changed, edit.etag, ACTOR)


@dataclass(frozen=True)
class Place:
    """The product with what is planted, and what it logs."""

    shell: Shell
    frame: Frame
    log: StringIO

    def walk(self, name: str) -> Walk:
        browser = Browser(self.frame, "en", raises=False)
        return Walk(self.frame, self.shell, browser.sign_in(name))

    @property
    def secrets(self) -> list[str]:
        """What is planted, and what the platform itself keeps of passwords, sessions and keys."""
        [table] = PLATFORM.tables
        name = self.shell.database.name(table)
        items = self.shell.database.call("Scan", {"TableName": name}, "")["Items"]
        shapes = [(recognised(table.shapes, item), item) for item in items]
        kept = [
            str(next(iter(item[slot.attribute].values())))
            for shape, item in shapes
            if shape is not None
            for slot in shape.slots.values()
            if isinstance(slot.mark, SecretField) and slot.attribute in item
        ]
        return [SECRET, *kept]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    log = StringIO()
    with (
        opened(SetClock(), replace(SETTINGS, rate=1_000_000), jobs=JOBS, applications=SERVED) as shell,
        redirect_stderr(log),
        logging_to("json", log),
        product(shell, Worker(1, "tests")) as frame,
    ):
        assert isinstance(frame, Frame)
        for role in ("owner", "editor", "viewer"):
            accounts_of(shell.identity).people.create(role, role.capitalize(), {"*": role}, PASSWORD)
        accounts_of(shell.identity).keys.create("a key", ["codex:read"], "owner")
        change(shell)
        for application in shell.applications:
            design = with_examples(application.tables)
            found = (valid_example(design, kind) for kind in application.entities.values())
            put_plainly(shell.database, (lasting(each) for each in found if each is not None))
        day = RANKED_DAY + timedelta(days=1)
        Rankings(shell.database, shell.clock).import_day(day, [player(1), player(2)])
        plant(shell.database)
        plant(shell.database.renamed(copied(COPY, CODEX.tables, shell.database.name)))
        yield Place(shell, frame, log)


Told = Callable[[str], list[Reply]]


@pytest.fixture(scope="module")
def told(place: Place) -> Told:
    """What each one is answered, asked for once: an owner everywhere, others where something is planted."""
    found: dict[str, list[Reply]] = {}

    def once(name: str) -> list[Reply]:
        if name not in found:
            found[name] = place.walk(name).replies(*([] if name == "owner" else PLANTED))
        return found[name]

    return once


def leaks(replies: list[Reply], *texts: str) -> list[str]:
    """Where one of the texts is told."""
    return [each.address for each in replies if each.tells(texts)]


@pytest.mark.parametrize("name", ["viewer", "editor", "owner"])
def test_no_answer_to_anybody_has_a_secret(place: Place, told: Told, name: str) -> None:
    assert len(place.secrets) > 6
    assert leaks(told(name), *place.secrets) == []


@pytest.mark.parametrize("name", ["viewer", "editor"])
def test_no_answer_has_personal_data_for_whoever_lacks_the_role(told: Told, name: str) -> None:
    assert leaks(told(name), PERSONAL) == []


def test_the_walk_asks_for_every_route(place: Place, told: Told) -> None:
    answered = [each.address.partition("?")[0] for each in told("owner") if each.status in (200, 303)]
    missed = {
        route.path
        for route in get_routes(place.frame)
        if not any(route.path_regex.fullmatch(path) for path in answered)
    }
    assert sorted(missed - UNANSWERED) == []
    assert len(answered) > 300


def test_nothing_fails_on_the_way_but_a_table_with_an_unreadable_item(told: Told) -> None:
    failed = [each.address for each in told("viewer") if each.status >= 500]
    assert failed == ["/api/codex/patterns/ContactInquiry.latest?format=csv"]


BELONGS = (
    "/api/codex/entities/ContactInquiry?",
    "/api/codex/patterns/ContactInquiry.latest",
    "/api/codex/patterns/ContactInquiry.latest?format=jsonl",
    "/api/codex/patterns/ContactInquiry.with_id?inquiry_id=inq001&format=csv",
    "/api/platform/changes/",
    "/api/platform/changes?format=csv",
    "/api/platform/changes?format=jsonl",
    "/changes/",
    "/data/codex/tables/FMWebAppTable?as=items",
    "/data/codex/tables/FMWebAppTable?as=entities",
    "/data/codex/tables/FMWebAppTable/item",
    "/data/codex/tables/FMWebAppTable/edit",
    "/data/codex/tables/FMWebAppTable/repair",
    "/data/codex/patterns/ContactInquiry.latest",
    "/data/codex/copies/second/tables/FMWebAppTable?as=items",
    "/data/codex/copies/second/tables/FMWebAppTable?as=entities",
    "/data/codex/copies/second/tables/FMWebAppTable/item",
    "/data/codex/copies/second/tables/FMWebAppTable/raw",
)
"""Where personal data is told to whoever may see it."""


def test_an_owner_is_told_personal_data_where_it_belongs(told: Told) -> None:
    found = leaks(told("owner"), PERSONAL)
    assert [part for part in BELONGS if not any(each.startswith(part) for each in found)] == []


def test_no_line_of_the_log_has_either(place: Place, told: Told) -> None:
    told("owner")
    told("viewer")
    assert "/api/codex/patterns/ContactInquiry.latest" in place.log.getvalue()
    for text in (*place.secrets, PERSONAL):
        assert text not in place.log.getvalue()


SURFACES = (
    "/api/codex/entities/",
    "/api/codex/patterns/",
    "/api/platform/changes",
    "/changes",
    "/data/codex/patterns/",
    "/data/codex/tables/",
    "/data/codex/copies/",
)


def test_the_walk_finds_what_is_not_hidden(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the marks the same walk finds leaks on every kind of surface, so it can fail."""
    caches = (visibility.hidden_fields, visibility.hidden_attributes, writing.form)
    monkeypatch.setattr(visibility, "shows", lambda mark, role: True)
    for each in caches:
        each.cache_clear()
    try:
        found, secret = (
            leaks(walk.replies(*SURFACES), text)
            for walk, text in ((place.walk("viewer"), PERSONAL), (place.walk("owner"), SECRET))
        )
    finally:
        monkeypatch.undo()
        for each in caches:
            each.cache_clear()
    parts = ("/api/codex/entities/", "/api/platform/changes", "/changes/")
    for part in (*parts, "/data/codex/tables/", "/data/codex/copies/"):
        assert any(each.startswith(part) for each in found), part
        assert any(each.startswith(part) for each in secret), part
    assert any(each.startswith("/api/codex/patterns/") for each in found)
    assert any(each.startswith("/data/codex/patterns/") for each in found)


# ── writing ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("given", [[SECRET], {"a": SECRET}, 4711])
def test_a_refused_secret_is_not_quoted(place: Place, given: Any) -> None:
    browser = Browser(place.frame, "en").sign_in("owner")
    csrf = browser.get("/account").csrf
    body = {"user_id": "u009", "password_hash": given}
    answer = browser.client.post("/api/codex/entities/Credentials", json=body, headers={"X-CSRF-Token": csrf})
    assert answer.status_code == 422
    assert SECRET not in answer.text


# ── commands ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "site.db"
    with Embedded.open(path) as backend:
        database = Database(backend)
        database.create_tables(FMWebApp, *PLATFORM.tables)
        plant(database)
    return str(path)


def run(*words: str) -> str:
    done = CliRunner().invoke(commands, [*words])
    said = str(done.exception) if isinstance(done.exception, HansangError) else ""
    return f"{done.output}{said}"


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_checking_a_table_tells_neither(data: str, more: tuple[str, ...]) -> None:
    said = run("tables", "check", "codex", "--data", data, *more)
    assert "CONTACT#bad" in said
    assert "USER#bad" in said
    assert SECRET not in said
    assert PERSONAL not in said


@pytest.mark.parametrize(
    ("key", "attribute"),
    [
        ({"PK": "CONTACT#bad", "SK": "METADATA"}, "email"),
        ({"PK": "USER#bad", "SK": "AUTH"}, "passwordHash"),
    ],
)
def test_repairing_an_item_tells_neither(data: str, key: dict[str, str], attribute: str) -> None:
    at = ("--data", data, "--key", json.dumps(key))
    refused = run("tables", "repair", "codex", *at)
    repaired = run(
        "tables", "repair", "codex", *at, "--set", f'{attribute}={{"S": "{PERSONAL}.{SECRET}@example.com"}}'
    )
    assert attribute in refused
    assert f"{attribute}\n  before:" in repaired
    for said in (refused, repaired):
        assert SECRET not in said
        assert PERSONAL not in said
