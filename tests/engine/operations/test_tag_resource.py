"""TagResource, UntagResource and ListTagsOfResource: the tags of a table."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from tests.engine.control import INVALID, Request, create, invalid, refusal

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/rice"


def tags(**pairs: str) -> list[Request]:
    return [{"Key": key, "Value": value} for key, value in pairs.items()]


def tag(engine: Engine, given: list[Request], arn: str = ARN) -> None:
    assert engine.call("TagResource", {"ResourceArn": arn, "Tags": given}) == {}


def untag(engine: Engine, *keys: str) -> None:
    assert engine.call("UntagResource", {"ResourceArn": ARN, "TagKeys": list(keys)}) == {}


def listed(engine: Engine) -> dict[str, str]:
    answer = engine.call("ListTagsOfResource", {"ResourceArn": ARN})
    assert answer.keys() == {"Tags"}
    return {each["Key"]: each["Value"] for each in answer["Tags"]}


@pytest.fixture
def tagged(engine: Engine) -> Engine:
    create(engine)
    return engine


# ── what tags do ──────────────────────────────────────────────────────────────────────────────────


def test_a_table_without_tags_has_an_empty_list(tagged: Engine) -> None:
    assert tagged.call("ListTagsOfResource", {"ResourceArn": ARN}) == {"Tags": []}


def test_tags_are_added_and_written_over(tagged: Engine) -> None:
    tag(tagged, tags(crop="rice", field="1"))
    tag(tagged, tags(field="2", year="2026"))
    assert listed(tagged) == {"crop": "rice", "field": "2", "year": "2026"}


def test_tags_are_taken_away_and_those_that_are_not_there_too(tagged: Engine) -> None:
    tag(tagged, tags(crop="rice", field="1"))
    untag(tagged, "field", "never")
    assert listed(tagged) == {"crop": "rice"}


def test_a_key_has_its_case_and_a_value_may_be_empty(tagged: Engine) -> None:
    tag(tagged, tags(Env="", env="x"))
    assert listed(tagged) == {"Env": "", "env": "x"}


def test_any_letters_and_a_few_marks_are_allowed(tagged: Engine) -> None:
    given = {"밭 이름": "a+b-c=d.e_f:g/h@i", "myaws:x": "café ключ 表"}
    tag(tagged, tags(**given))
    assert listed(tagged) == given


def test_fifty_tags_come_in_one_list(tagged: Engine) -> None:
    given = {f"k{number:02d}": str(number) for number in range(50)}
    tag(tagged, tags(**given))
    assert listed(tagged) == given
    tag(tagged, tags(**dict.fromkeys(given, "new")))
    assert set(listed(tagged).values()) == {"new"}


def test_the_longest_key_and_value_are_kept(tagged: Engine) -> None:
    tag(tagged, tags(**{"k" * 128: "v" * 256}))
    assert listed(tagged) == {"k" * 128: "v" * 256}


def test_tags_do_not_change_the_table(tagged: Engine) -> None:
    before = tagged.call("DescribeTable", {"TableName": "rice"})
    tag(tagged, tags(crop="rice"))
    assert tagged.call("DescribeTable", {"TableName": "rice"}) == before


# ── what is refused ───────────────────────────────────────────────────────────────────────────────

TOO_MANY = "Number of Tags exceed the current limit for the provided ResourceArn"
WRONG_TAGS: dict[str, tuple[list[Request], str]] = {
    "no tags": ([], "Atleast one Tag needs to be provided as Input."),
    "an empty key": (tags(**{"": "x"}), "The Tag Key provided is invalid, Key: "),
    "no key": ([{"Value": "x"}], "The Tag Key provided is invalid, Key: null"),
    "no value": ([{"Key": "x"}], "The Tag Value provided is invalid, Value: null"),
    "a long key": (tags(**{"k" * 129: ""}), f"The Tag Key provided is invalid, Key: {'k' * 129}"),
    "a long value": (tags(k="v" * 257), f"The Tag Value provided is invalid, Value: {'v' * 257}"),
    "another mark in a key": (tags(**{"a#b": ""}), "The Tag Key provided is invalid, Key: a#b"),
    "another mark in a value": (tags(a="100%"), "The Tag Value provided is invalid, Value: 100%"),
    "a picture": (tags(a="🍚"), "The Tag Value provided is invalid, Value: 🍚"),
    "aws's prefix": (tags(**{"aws:x": ""}), "Tag Key cannot be prefixed with aws:, Key: aws:x"),
    "aws's prefix in capitals": (tags(**{"AWS:x": ""}), "Tag Key cannot be prefixed with aws:, Key: AWS:x"),
    "a key twice": (
        [*tags(dup="1"), *tags(dup="2")],
        "Duplicate Tag Keys provided as input: Duplicate Tag Key found dup",
    ),
    "fifty-one": (tags(**{f"k{number}": "" for number in range(51)}), TOO_MANY),
}


@pytest.mark.parametrize("case", WRONG_TAGS)
def test_a_wrong_tag_spoils_the_whole_request(tagged: Engine, case: str) -> None:
    given, message = WRONG_TAGS[case]
    good = tags(good="x") if given else []
    request = {"ResourceArn": ARN, "Tags": [*good, *given]}
    assert invalid(tagged, "TagResource", request) == message
    assert listed(tagged) == {}


def test_a_table_has_fifty_tags_and_no_more(tagged: Engine) -> None:
    given = {f"k{number:02d}": "" for number in range(50)}
    tag(tagged, tags(**given))
    request = {"ResourceArn": ARN, "Tags": tags(k00="new", k50="new")}
    assert invalid(tagged, "TagResource", request) == TOO_MANY
    assert listed(tagged) == given


WRONG_KEYS = {
    "none": ([], "Atleast one Tag Key needs to be provided as Input."),
    "an empty one": ([""], "The Tag Key provided is invalid, Key: "),
    "a long one": (["k" * 129], f"The Tag Key provided is invalid, Key: {'k' * 129}"),
    "aws's own": (["aws:x"], "Tag Key cannot be prefixed with aws:, Key: aws:x"),
    "fifty-one": ([f"k{number}" for number in range(51)], TOO_MANY),
}


@pytest.mark.parametrize("case", WRONG_KEYS)
def test_a_wrong_key_is_not_taken_away(tagged: Engine, case: str) -> None:
    keys, message = WRONG_KEYS[case]
    tag(tagged, tags(k0="stays"))
    assert invalid(tagged, "UntagResource", {"ResourceArn": ARN, "TagKeys": keys}) == message
    assert listed(tagged) == {"k0": "stays"}


# ── which resource ────────────────────────────────────────────────────────────────────────────────

OPERATIONS: dict[str, dict[str, Any]] = {
    "TagResource": {"Tags": tags(a="b")},
    "UntagResource": {"TagKeys": ["a"]},
    "ListTagsOfResource": {},
}
WRONG_ARNS = {
    "no arn": ("rice", INVALID + "ARNs must start with 'arn:': rice"),
    "an arn of something else": (
        "arn:aws:s3:::rice",
        INVALID + "Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::rice",
    ),
    "an index": (
        f"{ARN}/index/by-colour",
        INVALID + "Invalid resource arn provided, only table or stream is accepted. "
        f"Provided resource arn: {ARN}/index/by-colour",
    ),
    "a backup": (
        f"{ARN}/backup/01489602797149-73d8d5bc",
        INVALID + f"Provided Arn is not a DynamoDB resource arn: {ARN}/backup/01489602797149-73d8d5bc",
    ),
    "another region": (
        ARN.replace("us-east-1", "eu-west-1"),
        f"Invalid TableArn: Invalid ResourceArn provided as input {ARN.replace('us-east-1', 'eu-west-1')}",
    ),
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("case", WRONG_ARNS)
def test_an_arn_that_is_no_table_of_the_region_is_refused(tagged: Engine, operation: str, case: str) -> None:
    arn, message = WRONG_ARNS[case]
    assert invalid(tagged, operation, {"ResourceArn": arn, **OPERATIONS[operation]}) == message


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_table_of_another_account_is_none_of_ours(tagged: Engine, operation: str) -> None:
    theirs = ARN.replace("123456789012", "999999999999")
    code, message = refusal(tagged, operation, {"ResourceArn": theirs, **OPERATIONS[operation]})
    assert code == "AccessDeniedException"
    assert message.endswith(f"is not authorized to perform: dynamodb:{operation} on resource: {theirs}")


@pytest.mark.parametrize("operation", ["TagResource", "ListTagsOfResource"])
def test_a_table_that_is_not_there_is_named(engine: Engine, operation: str) -> None:
    assert refusal(engine, operation, {"ResourceArn": ARN, **OPERATIONS[operation]}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: ResourceArn: {ARN} not found",
    )


def test_nothing_is_taken_from_a_table_that_is_not_there(engine: Engine) -> None:
    code, _ = refusal(engine, "UntagResource", {"ResourceArn": ARN, "TagKeys": ["a"]})
    assert code == "ResourceNotFoundException"


@pytest.mark.parametrize(("operation", "member"), [("TagResource", "tags"), ("UntagResource", "tagKeys")])
def test_a_list_must_be_given(tagged: Engine, operation: str, member: str) -> None:
    message = invalid(tagged, operation, {"ResourceArn": ARN})
    assert message == (
        f"1 validation error detected: Value null at '{member}' failed to satisfy constraint: "
        "Member must not be null"
    )
