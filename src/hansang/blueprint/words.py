"""The words of a design document, in Korean and in English, as `words.toml` has them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """Headings and labels in one language."""

    title: str
    purpose: str
    table: str
    item: str
    value: str
    meaning: str
    partition: str
    sort: str
    billing: str
    stream: str
    expiry: str
    kind: str
    off: str
    none: str
    entities: str
    attribute: str
    type: str
    needed: str
    yes: str
    no: str
    hidden: str
    personal: str
    derived: str
    kind_value: str
    example: str
    indexes: str
    primary: str
    projection: str
    used_by: str
    patterns: str
    pattern: str
    asks: str
    condition: str
    values: str
    order: str
    ascending: str
    descending: str
    cost: str
    cost_note: str
    request: str
    writes: str
    size: str
    get: str
    put: str
    update: str
    delete: str
    update_note: str
    ceiling: str
    review: str
    no_findings: str
    accepted: str


def _read(language: str) -> DocumentWords:
    texts = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
    return DocumentWords(**{name: text[language] for name, text in texts.items()})


ENGLISH, KOREAN = _read("en"), _read("ko")
LANGUAGES = {"en": ENGLISH, "ko": KOREAN}
