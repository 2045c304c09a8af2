"""The design document, in Korean and in English."""

from __future__ import annotations

import json
import re

import pytest

from hansang.blueprint.document import document
from hansang.blueprint.subject import Design
from hansang.blueprint.words import ENGLISH, KOREAN, LANGUAGES, DocumentWords
from tests.blueprint.designs import EXAMPLES, Faulty, Shop

DESIGN = Design([Shop, Faulty], EXAMPLES)


@pytest.mark.parametrize("words", LANGUAGES.values(), ids=list(LANGUAGES))
def test_every_entity_index_and_pattern_is_in_it(words: DocumentWords) -> None:
    text = document(DESIGN, words)
    for table in (Shop, Faulty):
        assert f"# {table.name}: {words.title}" in text
        assert all(f" {shape.cls.__name__}\n" in text for shape in table.shapes)
        assert all(f"| `{index.name}` |" in text for index in table.indexes)
    assert all(f"| {asked.label} |" in text for asked, _ in DESIGN.questions)


def test_keys_examples_requests_and_costs_are_in_it() -> None:
    text = document(DESIGN, KOREAN)
    assert "| `SK` | S | 예 | `ORDER#{day}#{number:06d}` |" in text
    assert '"PK": "CUSTOMER#u001"' in text
    assert "`PK = :v0 AND begins_with(SK, :v1)` | `CUSTOMER#u001` / `ORDER#`" in text
    assert "| Order | 113 | 0.5 RCU | 2 WCU | 2 / 3 WCU | 2 WCU | 1,000 (`Shop`) |" in text
    assert "**H103** Entry.of_person" in text


def test_every_block_of_code_is_json() -> None:
    blocks = re.findall(r"```json\n(.*?)```", document(DESIGN, ENGLISH), re.DOTALL)
    assert len(blocks) > 10
    assert all(isinstance(json.loads(block), dict) for block in blocks)


def test_every_row_of_a_table_is_as_wide_as_its_head() -> None:
    runs = re.findall(r"(?:^\|.*\n)+", document(DESIGN, ENGLISH), re.MULTILINE)
    for run in runs:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in run.splitlines()}) == 1


def test_the_korean_document_is_korean() -> None:
    headings = re.findall(r"^## \d\. (.+)$", document(Design([Shop]), KOREAN), re.MULTILINE)
    assert len(headings) == 6
    assert all(re.search("[가-힣]", heading) for heading in headings)
