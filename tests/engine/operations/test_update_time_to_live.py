"""UpdateTimeToLive: on once, off once, and on one attribute."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from tests.clauses import clause
from tests.engine.control import (
    NOW,
    ManualClock,
    Request,
    attributes,
    create,
    definition,
    fault,
    faults,
    invalid,
    names,
    put,
    refusal,
    scanned,
)


def request(enabled: bool = True, attribute: str = "until") -> Request:
    expiry = {"Enabled": enabled, "AttributeName": attribute}
    return {"TableName": "rice", "TimeToLiveSpecification": expiry}


def test_the_answer_is_what_was_asked_for(engine: Engine) -> None:
    create(engine)
    asked = request()
    answer = engine.call("UpdateTimeToLive", asked)
    assert answer == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}}


STEPS: dict[str, tuple[list[Request], Request, str]] = {
    "on twice": ([request()], request(), "TimeToLive is already enabled"),
    "on with another attribute": (
        [request()],
        request(attribute="other"),
        "TimeToLive is active on a different AttributeName: current AttributeName is until",
    ),
    "off with another attribute": (
        [request()],
        request(enabled=False, attribute="other"),
        "TimeToLive is active on a different AttributeName: current AttributeName is until",
    ),
    "off when it never was on": ([], request(enabled=False), "TimeToLive is already disabled"),
    "off twice": (
        [request(), request(enabled=False)],
        request(enabled=False),
        "TimeToLive is already disabled",
    ),
}


@clause("E11")
@pytest.mark.parametrize("case", STEPS)
def test_a_change_that_is_none_is_refused(engine: Engine, case: str) -> None:
    before, asked, message = STEPS[case]
    create(engine)
    for step in before:
        engine.call("UpdateTimeToLive", step)
    assert invalid(engine, "UpdateTimeToLive", asked) == message


def test_expiry_may_move_to_another_attribute_by_way_of_off(clocked: Engine, clock: ManualClock) -> None:
    create(clocked)
    put(clocked, "old", until={"N": str(int(NOW) - 1)})
    put(clocked, "new", other={"N": str(int(NOW) - 1)})
    for step in (request(), request(enabled=False), request(attribute="other")):
        clocked.call("UpdateTimeToLive", step)
    clocked.sweep()
    assert names(scanned(clocked)) == ["old"]


def test_a_key_may_say_when_an_item_expires(clocked: Engine) -> None:
    create(clocked, definition(AttributeDefinitions=attributes(pk="N")))
    for seconds in (NOW - 60, NOW + 3600):
        clocked.call("PutItem", {"TableName": "rice", "Item": {"pk": {"N": str(int(seconds))}}})
    clocked.call("UpdateTimeToLive", request(attribute="pk"))
    clocked.sweep()
    assert scanned(clocked) == [{"pk": {"N": str(int(NOW) + 3600)}}]


SHAPES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no specification": (
        {"TableName": "rice"},
        [fault("null", "timeToLiveSpecification", "Member must not be null")],
    ),
    "an empty specification": (
        {"TableName": "rice", "TimeToLiveSpecification": {}},
        [
            fault("null", "timeToLiveSpecification.attributeName", "Member must not be null"),
            fault("null", "timeToLiveSpecification.enabled", "Member must not be null"),
        ],
    ),
    "an empty attribute": (
        request(attribute=""),
        [
            fault(
                "",
                "timeToLiveSpecification.attributeName",
                "Member must have length greater than or equal to 1",
            )
        ],
    ),
    "a long attribute": (
        request(attribute="a" * 256),
        [
            fault(
                "a" * 256,
                "timeToLiveSpecification.attributeName",
                "Member must have length less than or equal to 255",
            )
        ],
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_a_parameter_out_of_shape_is_refused(engine: Engine, case: str) -> None:
    asked, expected = SHAPES[case]
    assert faults(invalid(engine, "UpdateTimeToLive", asked)) == expected


def test_a_table_that_is_not_there_is_named(engine: Engine) -> None:
    expected = ("ResourceNotFoundException", "Requested resource not found: Table: rice not found")
    assert refusal(engine, "UpdateTimeToLive", request()) == expected
