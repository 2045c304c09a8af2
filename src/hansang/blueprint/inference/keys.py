"""Key templates from keys: which parts are constant, and which field every other part is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hansang.blueprint.inference.drafts import FieldDraft, PlaceDraft, TemplateDraft
from hansang.blueprint.inference.facts import TableFacts
from hansang.blueprint.inference.grouping import KeyGroup, Position
from hansang.blueprint.inference.guesses import IN_KEYS, TypeGuess, guess, is_digits, key_part, number_format
from hansang.blueprint.inference.names import field_name, is_index_name, singular, snake
from hansang.blueprint.inference.tokens import is_spoken

_SURE_LENGTH = 3
_SURE_NUMBERS = 4
_MONTH = re.compile(r"(?:19|20)[0-9]{2}[-./]?(?:0[1-9]|1[0-2])")


@dataclass(frozen=True)
class _Part:
    """A part of a key that varies: what it is, and the attribute that says the same."""

    type: TypeGuess
    format: str
    attribute: str | None


class KeyParts:
    """The templates of a group's keys, and the fields that stand in them."""

    def __init__(self, facts: TableFacts, group: KeyGroup, ignored: frozenset[str]) -> None:
        self.facts, self.group = facts, group
        of_indexes = {name for name in facts.index_keys if is_index_name(name)}
        self._always = _always_there(group, {*facts.keys, *ignored, *of_indexes})
        self.fields: list[FieldDraft] = []
        self.texts: dict[str, list[str]] = {}
        """The text of every field as it stands in the key, item by item."""
        self.pk = self._template(0)
        self.sk = None if facts.sk is None else self._template(1)
        self._name_spans()

    def _template(self, key: int) -> TemplateDraft:
        positions = self.group.positions(key)
        if not positions or (len(positions) == 1 and positions[0] not in self.group.constants):
            return TemplateDraft((self._bare(key),))
        first = self.group.rows[0].keys[key]
        assert first is not None
        parts: list[str | PlaceDraft] = []
        used: set[str] = set()
        for at in positions:
            constant = self.group.constants.get(at)
            if at[1] > 0:
                parts.append(first.delimiter)
            if constant is None:
                parts.append(self._place(at, parts, used))
            else:
                parts.append(constant)
        return TemplateDraft(_merged(parts))

    # ── a key that is one field ───────────────────────────────────────────────────────────────────

    def _bare(self, key: int) -> PlaceDraft:
        name = self.facts.keys[key]
        values = [item[name] for item in self.group.items]
        if "S" in values[0]:
            texts = [value["S"] for value in values]
            found = self._same_as(texts, snake(name), set()) or self._known(texts, snake(name), set())
            if found is not None:
                return found
        else:
            texts = []
        return self._new(FieldDraft(self._free(name), name, guess(values)), texts, "")

    # ── a part of a key ───────────────────────────────────────────────────────────────────────────

    def _place(self, at: Position, before: Sequence[str | PlaceDraft], used: set[str]) -> PlaceDraft:
        texts = [row.token(at) for row in self.group.rows]
        hint = _hint(before)
        found = self._same_as(texts, hint, used) or self._known(texts, hint, used)
        if found is None:
            type_, format_ = key_part(texts)
            name = self._free(_named(hint, type_, format_, texts) or _part_name(self.facts.keys[at[0]]))
            found = self._new(FieldDraft(name, None, type_), texts, format_)
        used.add(found.field)
        return found

    def _known(self, texts: list[str], hint: str, used: set[str]) -> PlaceDraft | None:
        """A field of the other key that always says the same; numbers may do so by chance."""
        if len({*texts}) < 2:
            return None
        are_numbers = all(map(is_digits, texts))
        for each in self.fields:
            if are_numbers and not _closeness(each.name, hint):
                continue
            if self.texts[each.name] == texts and each.name not in used:
                return PlaceDraft(each.name, "" if each.type.form != "int" else number_format(texts) or "")
        return None

    def _same_as(self, texts: list[str], hint: str, used: set[str]) -> PlaceDraft | None:
        """The attribute that always says the same, of several the one whose name fits best."""
        fitting = [
            (name, part)
            for name, values in self._always.items()
            if (part := _part(name, values, texts, hint))
        ]
        fitting.sort(key=lambda each: -_closeness(each[0], hint))
        for name, part in fitting:
            known = next((each for each in self.fields if each.attribute == name), None)
            if known is not None and known.name in used:
                continue
            if known is not None:
                return PlaceDraft(known.name, part.format)
            return self._new(FieldDraft(self._free(name), name, part.type), texts, part.format)
        return None

    def _new(self, field: FieldDraft, texts: list[str], format_: str) -> PlaceDraft:
        self.fields.append(field)
        self.texts[field.name] = texts
        return PlaceDraft(field.name, format_)

    def _free(self, name: str) -> str:
        """A name that is neither another key field's, nor what an attribute of the items would be called."""
        attributes = {snake(each) for item in self.group.items for each in item if each != name}
        found = field_name(name, {each.name for each in self.fields}, in_key=True)
        if found in attributes and name not in self._always and name not in self.facts.keys:
            return field_name(f"key_{found}", {each.name for each in self.fields}, in_key=True)
        return found

    def _name_spans(self) -> None:
        """Two days side by side, the first never behind the second, are where a span starts and ends."""
        days = [each for each in self.fields if each.type.form == "date" and each.attribute is None]
        taken = {each.name for each in self.fields} | {
            snake(name) for item in self.group.items for name in item
        }
        if len(days) != 2 or {"start", "end"} & taken:
            return
        first, second = days
        pairs = zip(self.texts[first.name], self.texts[second.name], strict=True)
        if all(start <= end for start, end in pairs):
            self._rename({first.name: "start", second.name: "end"})

    def _rename(self, names: Mapping[str, str]) -> None:
        self.fields = [replace(each, name=names.get(each.name, each.name)) for each in self.fields]
        self.texts = {names.get(name, name): texts for name, texts in self.texts.items()}
        self.pk = _renamed(self.pk, names)
        self.sk = None if self.sk is None else _renamed(self.sk, names)


def _renamed(key: TemplateDraft, names: Mapping[str, str]) -> TemplateDraft:
    return TemplateDraft(
        tuple(
            part if isinstance(part, str) else replace(part, field=names.get(part.field, part.field))
            for part in key.parts
        )
    )


def _always_there(group: KeyGroup, ignored: set[str]) -> dict[str, list[dict[str, str]]]:
    """The texts and numbers that every item of a group has."""
    names = [name for name in group.items[0] if name not in ignored]
    found = {name: [item[name] for item in group.items if name in item] for name in names}
    return {
        name: values
        for name, values in found.items()
        if len(values) == len(group.items) and all("S" in each or "N" in each for each in values)
    }


def _part(name: str, values: Sequence[Mapping[str, str]], texts: Sequence[str], hint: str) -> _Part | None:
    """What an attribute is as a part of a key, None where it does not always say what the key says."""
    if not all(_says(value, text) for value, text in zip(values, texts, strict=True)):
        return None
    is_number = "N" in values[0]
    if not _closeness(name, hint) and _is_chance(texts, is_number=is_number):
        return None
    found = guess([dict(value) for value in values])
    if found.form not in IN_KEYS:
        return None
    format_ = number_format(texts) if is_number else ""
    return None if format_ is None else _Part(found, format_, name)


def _is_chance(texts: Sequence[str], *, is_number: bool) -> bool:
    """Whether a few values may well be the same by chance: small numbers, or one short text."""
    several = len({*texts})
    return several < _SURE_NUMBERS if is_number else several < 2 and len(texts[0]) < _SURE_LENGTH


def _says(value: Mapping[str, str], text: str) -> bool:
    return value["S"] == text if "S" in value else says_number(value, text)


def says_number(value: Mapping[str, str], text: str) -> bool:
    """Whether a number is the one that digits in a key say, with or without zeros before it."""
    return is_digits(text) and value.get("N") == (text.lstrip("0") or "0")


def _closeness(name: str, hint: str) -> int:
    """How well the name of an attribute fits the constant before it."""
    plain, word = snake(name), singular(hint)
    if not word:
        return 0
    if plain in (word, f"{word}_id", hint):
        return 3
    return 2 if word in plain.split("_") else 1 if plain == "id" else 0


def _hint(before: Sequence[str | PlaceDraft]) -> str:
    """The nearest constant before a place, as a name."""
    for part in reversed(before):
        if isinstance(part, str) and re.search(r"[A-Za-z]", part):
            return snake(part)
        if not isinstance(part, str):
            return ""
    return ""


def _named(hint: str, type_: TypeGuess, format_: str, texts: Sequence[str]) -> str:
    """What a part is called that no attribute names, by its type and the constant before it."""
    word = singular(hint)
    if type_.form == "date":
        return "day" if word in ("", "day", "date") else f"{word}_day"
    if type_.form in ("Timestamp", "TimestampMs"):
        return f"{word}_at" if word else "at"
    if format_ in ("010d", "013d"):
        unit = "ms" if format_ == "013d" else "s"
        return f"{word}_{unit}" if word else f"at_{unit}"
    if all(_MONTH.fullmatch(text) for text in texts):
        return "month" if word in ("", "month") else f"{word}_month"
    if not word or word.endswith("id") or all(map(is_spoken, texts)):
        return word
    return f"{word}_number" if format_ else f"{word}_id"


def _part_name(key: str) -> str:
    """What a part is called of which nothing is known."""
    return "part" if snake(key) in ("pk", "sk", "hash", "range", "key", "id") else key


def _merged(parts: Sequence[str | PlaceDraft]) -> tuple[str | PlaceDraft, ...]:
    found: list[str | PlaceDraft] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return tuple(found)
