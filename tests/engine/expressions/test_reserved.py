"""Every reserved word must be aliased, in any case and in every expression."""

from __future__ import annotations

from hashlib import sha256

import pytest

from hansang.engine.expressions.reserved import RESERVED, is_reserved
from tests.clauses import clause
from tests.engine.expressions.asking import fault, holds

FORMS = {
    "ConditionExpression": "attribute_exists({})",
    "FilterExpression": "x.{} = :v",
    "KeyConditionExpression": "{} = :v",
    "ProjectionExpression": "x, {}",
    "UpdateExpression": "SET {} = :v",
}


def mixed(word: str) -> str:
    return "".join(letter.lower() if place % 2 else letter for place, letter in enumerate(word))


def test_the_list_is_that_of_the_573_words_that_aws_publishes() -> None:
    assert len(RESERVED) == 573
    digest = sha256("\n".join(sorted(RESERVED)).encode()).hexdigest()
    assert digest == "2269c45be257f14faa7d264a5cad5641164bd21173cfecd0e4f670a599d06347"


# The keywords of the grammar itself are read as such where they stand bare.
GRAMMAR = {"AND", "OR", "NOT", "IN", "BETWEEN", "SET", "ADD", "DELETE"}


@clause("R2")
def test_every_reserved_word_is_refused_in_any_case() -> None:
    forms = [form for word in RESERVED - GRAMMAR for form in (word, word.lower(), mixed(word))]
    said = {form: fault("ConditionExpression", f"attribute_exists({form})") for form in sorted(forms)}
    refused = "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: "
    assert {form: text for form, text in said.items() if text != refused + form} == {}


@clause("R2")
@pytest.mark.parametrize("label", FORMS)
@pytest.mark.parametrize("word", ["name", "Status", "TTL"])
def test_a_reserved_word_is_refused_in_every_expression(label: str, word: str) -> None:
    text = FORMS[label].format(word)
    message = f"Invalid {label}: Attribute name is a reserved keyword; reserved keyword: {word}"
    assert fault(label, text, {":v": {"S": "x"}} if ":v" in text else None) == message


@pytest.mark.parametrize("word", sorted(GRAMMAR))
def test_a_keyword_of_the_grammar_may_not_be_a_bare_name(word: str) -> None:
    assert is_reserved(word)
    assert fault("ProjectionExpression", word).endswith(f"reserved keyword: {word}")


@clause("R2")
@pytest.mark.parametrize("word", ["name", "and", "URL"])
def test_an_aliased_reserved_word_is_a_name_like_any_other(word: str) -> None:
    assert holds("attribute_exists(#n)", {word: {"S": "x"}}, names={"#n": word})


@pytest.mark.parametrize("word", ["names2", "statuses", "myname", "name_"])
def test_a_word_that_only_contains_a_reserved_one_is_free(word: str) -> None:
    assert holds(f"attribute_exists({word})", {word: {"S": "x"}})
