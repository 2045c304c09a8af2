"""Requests counted and summed."""

from __future__ import annotations

from hansang.surfaces.http.counts import BOUNDS, MOST_ROUTES, Counter, RequestCounts, Times


def counted(*requests: tuple[str, str, int, float]) -> RequestCounts:
    counts = RequestCounts()
    for request in requests:
        counts.add(*request)
    return counts


def test_answers_are_counted_by_method_route_and_status() -> None:
    counts = counted(("GET", "/a", 200, 0.1), ("GET", "/a", 200, 0.2), ("GET", "/a", 404, 0.1))
    assert counts.answers == {("GET", "/a", 200): 2, ("GET", "/a", 404): 1}


def test_routes_that_someone_makes_up_are_counted_as_one() -> None:
    counts = counted(*(("GET", f"/{number}", 405, 0.1) for number in range(MOST_ROUTES + 500)))
    assert counts.answers["GET", "(other)", 405] == 500
    assert len(counts.times) == MOST_ROUTES + 1


def test_a_time_belongs_to_the_first_class_that_it_fits() -> None:
    times = Times()
    for seconds in (0.0, BOUNDS[0], BOUNDS[0] + 0.0001, 99.0):
        times.add(seconds)
    assert times.classes == [2, 1, *[0] * (len(BOUNDS) - 2), 1]


def test_counts_are_merged_without_loss() -> None:
    one, other = (
        counted(("GET", "/a", 200, 0.1)),
        counted(("GET", "/a", 200, 0.3), ("POST", "/b", 201, 1.0)),
    )
    one.merge(other)
    assert one.answers == {("GET", "/a", 200): 2, ("POST", "/b", 201): 1}
    assert one.times["GET", "/a"].total == 0.4
    assert sum(one.times["GET", "/a"].classes) == 2
    assert other.answers[("GET", "/a", 200)] == 1


def test_counts_survive_being_written() -> None:
    counts = counted(("GET", "/a", 200, 0.1), ("POST", "/b", 500, 3.0))
    assert RequestCounts.read(counts.document()) == counts


def test_what_is_being_worked_on_is_known() -> None:
    counter = Counter()
    counter.begin()
    counter.begin()
    counter.end("GET", "/a", 200, 0.1)
    counts, running = counter.snapshot()
    assert (counts.answers, running) == ({("GET", "/a", 200): 1}, 1)


def test_methods_that_nobody_knows_are_one() -> None:
    counter = Counter()
    for method in ("BREW", "WHEN"):
        counter.begin()
        counter.end(method, "/a", 405, 0.1)
    assert counter.snapshot()[0].answers == {("other", "/a", 405): 2}


def test_a_snapshot_does_not_change_any_more() -> None:
    counter = Counter()
    before, _ = counter.snapshot()
    counter.begin()
    counter.end("GET", "/a", 200, 0.1)
    assert before.answers == {}
