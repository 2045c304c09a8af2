"""DescribeTimeToLive: which attribute says when an item expires."""

from __future__ import annotations

from hansang.engine import Engine
from tests.engine.control import Request, create, fault, faults, invalid, refusal


def described(engine: Engine) -> Request:
    answer: Request = engine.call("DescribeTimeToLive", {"TableName": "rice"})
    return answer


def switch(engine: Engine, on: bool) -> None:
    expiry = {"Enabled": on, "AttributeName": "until"}
    engine.call("UpdateTimeToLive", {"TableName": "rice", "TimeToLiveSpecification": expiry})


def test_a_table_without_expiry_says_so(engine: Engine) -> None:
    create(engine)
    assert described(engine) == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}


def test_expiry_is_on_at_once(engine: Engine) -> None:
    create(engine)
    switch(engine, on=True)
    assert described(engine) == {
        "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"}
    }


def test_an_attribute_is_forgotten_when_expiry_goes_off(engine: Engine) -> None:
    create(engine)
    switch(engine, on=True)
    switch(engine, on=False)
    assert described(engine) == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}


def test_a_table_that_is_not_there_is_named(engine: Engine) -> None:
    expected = ("ResourceNotFoundException", "Requested resource not found: Table: rice not found")
    assert refusal(engine, "DescribeTimeToLive", {"TableName": "rice"}) == expected


def test_a_table_must_be_named(engine: Engine) -> None:
    expected = [fault("null", "tableName", "Member must not be null")]
    assert faults(invalid(engine, "DescribeTimeToLive", {})) == expected
