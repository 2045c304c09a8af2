"""Requests under an Idempotency-Key that were broken off or whose answer was lost: sent again, they are done once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import orjson
import pytest
from httpx2 import Response

from hansang.apps.catalog import APPLICATIONS
from hansang.backends.chaos import Chaos, Faults
from hansang.parts.permissions import PLATFORM
from tests.parts.faults import Meddler
from tests.surfaces.api.writing_routes import (
    Dying,
    Killed,
    Place,
    Sent,
    opened_place,
    requests_to,
    writing_routes,
)

pytestmark = pytest.mark.long

MOST_WRITES = 20
"""No request writes so often, by far."""
REFUSED = {"codex.Category.delete"}
"""What cannot be done with the examples: a category that posts come into is deleted by a route of its own."""
Requests = dict[str, Callable[[], Sent]]


@dataclass
class Area:
    """An application or the platform, and a request to each of its routes that writes."""

    name: str
    place: Place
    routes: set[str]
    requests: Requests


@pytest.fixture(scope="module", params=[*(each.name for each in APPLICATIONS), PLATFORM])
def area(request: pytest.FixtureRequest) -> Iterator[Area]:
    with opened_place(request.param) as (place, api):
        routes = writing_routes(api, request.param)
        found = {each.name: requests_to(place, each) for each in routes}
        requests = {name: make for name, make in found.items() if make is not None and name not in REFUSED}
        yield Area(request.param, place, {*found}, requests)


@pytest.fixture(autouse=True)
def _left_as_it_was(area: Area) -> Iterator[None]:
    yield
    area.place.on(area.place.plain)
    area.place.pass_lease()


def test_there_is_a_request_to_every_route_that_writes(area: Area) -> None:
    refused = {each for each in area.routes if each in REFUSED or is_of_application_alone(area, each)}
    assert set(area.requests) == area.routes - refused
    assert len(area.requests) > 5


def is_of_application_alone(area: Area, route: str) -> bool:
    """Whether nobody writes that by hand."""
    kind, application = route.split(".")[1], area.place.shell.applications[0]
    if kind == "partiql":
        return not any(application.write_rule(each).creates for each in application.entities.values())
    return kind in application.entities and not application.write_rule(application.entities[kind]).creates


def gained(before: Counter[str], after: Counter[str]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in before | after if after[name] != before[name]}


def effect(place: Place, make: Callable[[], Sent], key: str) -> dict[str, int]:
    """What a request leads to when nothing goes wrong."""
    place.forget_requests()
    sent, before = make(), place.effects()
    assert place.send(sent, key).status_code < 300
    return gained(before, place.effects())


def test_a_request_that_is_killed_after_any_write_is_done_once(area: Area) -> None:
    for name, make in area.requests.items():
        wanted = effect(area.place, make, f"{name} whole")
        assert wanted["Receipt"] == 1
        assert kills(area.place, name, make, wanted) >= 2


def kills(place: Place, name: str, make: Callable[[], Sent], wanted: dict[str, int]) -> int:
    """Kill a request after each of its writes, and send it again; how often it was killed."""
    dying = Dying(place.plain)
    for writes in range(1, MOST_WRITES):
        sent, key = make(), f"{name} killed after {writes}"
        before = place.effects()
        if not killed(place, dying, sent, key, writes):
            return writes - 1
        place.pass_lease()
        again = place.send(sent, key)
        assert again.status_code < 300, (key, again.text)
        assert told(place.send(sent, key)) == told(again), key
        assert gained(before, place.effects()) == wanted, key
    raise AssertionError(f"{name} writes more than {MOST_WRITES} times")


def killed(place: Place, dying: Dying, sent: Sent, key: str, writes: int) -> bool:
    """Whether a request was killed after so many writes; if not, it was done before."""
    place.on(dying)
    dying.kill_after(writes)
    with quiet_threads():
        try:
            place.send(sent, key)
        except Killed:
            return True
        finally:
            place.shell.jobs.stop()
            for thread in threading.enumerate():
                if thread.name == "aside":  # Notes when the key was used, and is killed with the rest.
                    thread.join()
            dying.restart()
            place.on(place.plain)
    return False


@contextmanager
def quiet_threads() -> Iterator[None]:
    """Let the threads of a process that is killed end with it."""
    before = threading.excepthook
    threading.excepthook = lambda args: None if args.exc_type is Killed else before(args)
    try:
        yield
    finally:
        threading.excepthook = before


def told(answer: Response) -> tuple[int, object, str | None]:
    """What is the same in every answer, without the secret that is told once."""
    body = orjson.loads(answer.content) if answer.content else None
    if isinstance(body, dict):
        body = {name: value for name, value in body.items() if name not in ("text", "url")}
    return answer.status_code, body, answer.headers.get("location")


def test_a_request_whose_answers_are_lost_is_done_once(area: Area) -> None:
    place, lost = area.place, 0
    for name, make in chosen(area.requests):
        wanted = effect(place, make, f"{name} found")
        sent, before = make(), place.effects()
        with Chaos(place.plain, Faults(lost=0.25), seed=len(name)) as chaos:
            place.on(chaos)
            answer = persistently(place, sent, f"{name} lost")
            place.shell.jobs.stop()
            place.on(place.plain)
            lost += chaos.counts["lost"]
        assert answer.status_code < 300, answer.text
        assert gained(before, place.effects()) == wanted, name
    assert lost > 0


def persistently(place: Place, sent: Sent, key: str) -> Response:
    """Send a request until it is answered, as a client does."""
    for _ in range(20):
        answer = place.send(sent, key)
        if answer.status_code < 500 and answer.status_code != 409:
            return answer
        place.pass_lease()
    return answer


def test_a_worker_that_comes_back_after_its_lease_does_nothing_and_answers_the_same(area: Area) -> None:
    place = area.place
    for name, make in chosen(area.requests):
        wanted = effect(place, make, f"{name} in time")
        sent, before, key = make(), place.effects(), f"{name} late"
        faster: list[Response] = []

        def overtake(sent: Sent = sent, key: str = key, faster: list[Response] = faster) -> None:
            place.pass_lease()
            faster.append(place.send_beside(sent, key))

        place.on(Meddler(place.plain, "TransactWriteItems", overtake))
        late = place.send(sent, key)
        place.shell.jobs.stop()
        place.on(place.plain)
        assert [told(each) for each in faster] == [told(late)], name
        assert late.headers.get("idempotency-replayed") == "true", name
        assert gained(before, place.effects()) == wanted, name


def chosen(requests: Requests) -> Iterator[tuple[str, Callable[[], Sent]]]:
    """One entity's routes, which are like those of all others, and every route of the application's own."""
    first = next(iter(requests)).rpartition(".")[0]
    verbs = ("create", "replace", "delete")
    for name, make in requests.items():
        if name.startswith(first) or name.rpartition(".")[2] not in verbs:
            yield name, make


def test_another_request_under_the_same_key_is_refused(area: Area) -> None:
    place, (first, *others) = area.place, area.requests.items()
    key = "one key"
    assert place.send(first[1](), key).status_code < 300
    for name, make in others:
        answer = place.send(make(), key)
        assert (answer.status_code, answer.json()["code"]) == (422, "idempotency-key-used"), name
