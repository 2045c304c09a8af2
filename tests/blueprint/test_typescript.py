"""Key builders in TypeScript: the same keys as Python's, by the same vectors."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hansang.blueprint.subject import Design
from hansang.blueprint.typescript import builders_of, typescript, vectors, vectors_file
from tests.blueprint.designs import EXAMPLES, Faulty, Shop

DESIGN = Design([Shop, Faulty], EXAMPLES)
TYPES = re.compile(r"(?<=[\w)]): (?:string|number \| bigint|number)(?=[,)]| \{)")
CHECK = """
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { buildKeys } from './keys.mjs';
for (const { builder, arguments: given, key, refused } of JSON.parse(readFileSync('vectors.json', 'utf8'))) {
  if (refused) assert.throws(() => buildKeys[builder](...given), RangeError);
  else assert.deepEqual(buildKeys[builder](...given), key);
}
"""


@pytest.mark.clause("4-23", "X4-07")
def test_a_builder_is_written_as_the_document_writes_it() -> None:
    text = typescript(DESIGN)
    assert "export const buildKeys = {" in text
    assert "  customer: (id: string) => ({ PK: `CUSTOMER#${$text('id', id, '#')}`, SK: 'METADATA' })," in text


def test_every_kind_of_item_has_a_builder_of_its_own() -> None:
    found = builders_of(DESIGN)
    assert list(found) == ["customer", "order", "entry", "post", "board", "mixed"]
    assert set(found.values()) == {*Shop.shapes, *Faulty.shapes}


def test_two_kinds_with_one_word_get_two_names() -> None:
    assert list(builders_of(Design([Shop, Shop]))) == ["customer", "order", "shopCustomer", "shopOrder"]


def test_vectors_have_keys_and_refusals() -> None:
    found = vectors(DESIGN)
    assert {
        "builder": "order",
        "arguments": ["u001", "2026-02-21", 7],
        "key": {"PK": "CUSTOMER#u001", "SK": "ORDER#2026-02-21#000007"},
    } in found
    assert {"builder": "customer", "arguments": ["a#b"], "refused": True} in found
    assert {"builder": "customer", "arguments": [""], "refused": True} in found


def test_composed_and_decomposed_hangul_make_one_key() -> None:
    keys = [each["key"]["PK"] for each in vectors(DESIGN) if "key" in each and each["builder"] == "customer"]
    assert "CUSTOMER#한월" in keys


def node() -> str:
    """Where Node.js is; without it the test is skipped, but not in CI."""
    found = shutil.which("node")
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("Node.js is not installed.")
    if found is None:
        pytest.skip("Node.js is not installed. Install it to run this: apt install nodejs")
    return found


@pytest.mark.clause("4-50", "X4-07")
def test_node_makes_the_same_keys(tmp_path: Path) -> None:
    (tmp_path / "keys.mjs").write_text(TYPES.sub("", typescript(DESIGN)), encoding="utf-8")
    (tmp_path / "vectors.json").write_text(vectors_file(DESIGN), encoding="utf-8")
    (tmp_path / "check.mjs").write_text(CHECK, encoding="utf-8")
    command = [node(), "check.mjs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(vectors_file(DESIGN))) > 20
