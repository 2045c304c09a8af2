"""One kind of item: its key, its fields, and the index keys that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from hansang.blueprint.inference.drafts import (
    Corrections,
    DerivedDraft,
    EntityDraft,
    FieldDraft,
    PlaceDraft,
    TemplateDraft,
)
from hansang.blueprint.inference.facts import TableFacts
from hansang.blueprint.inference.grouping import KeyGroup
from hansang.blueprint.inference.guesses import (
    EXPIRY,
    IN_KEYS,
    TEXT,
    WHOLE,
    TypeGuess,
    guess,
    is_digits,
    is_moment,
    number_format,
)
from hansang.blueprint.inference.keys import KeyParts, says_number
from hansang.blueprint.inference.names import field_name, is_index_name, snake
from hansang.blueprint.inference.tokens import is_shouted, is_spoken, split_key
from hansang.design.codec import Value

_EXPIRY_NAMES = ("expir", "ttl", "timetolive", "purge")
_FUNCTIONS: dict[str, Callable[[str], str]] = {
    "str.lower": str.lower,
    "str.upper": str.upper,
    "str.casefold": str.casefold,
}
# Beside NULL a moment has no default that is none of its values, and a text or a number has.
_WITHOUT_NULL = {"Timestamp": TEXT, "TimestampMs": TEXT, "Expiry": WHOLE}
_FUNCTION_NAMES = ("lower", "upper", "fold", "norm", "search")


def entity_of(
    facts: TableFacts,
    type_attribute: str | None,
    group: KeyGroup,
    name: str,
    joint: Callable[[str, TypeGuess], TypeGuess],
    corrections: Corrections,
) -> EntityDraft:
    """The entity of a group of items; `joint` knows a type that several kinds share."""
    left_out = corrections.left_out_of(name)
    ignored = frozenset({type_attribute or "", *left_out})
    keys = KeyParts(facts, group, ignored)
    return _Building(facts, group, keys, ignored, joint, corrections.plain_of(name)).entity(name, left_out)


class _Building:
    """Works out what is not part of the key."""

    def __init__(
        self,
        facts: TableFacts,
        group: KeyGroup,
        keys: KeyParts,
        ignored: frozenset[str],
        joint: Callable[[str, TypeGuess], TypeGuess],
        plain: set[str],
    ) -> None:
        self.facts, self.group, self.keys, self.joint, self.plain = facts, group, keys, joint, plain
        self.items = group.items
        in_keys = {each.attribute for each in keys.fields}
        self.names = [
            name
            for name in dict.fromkeys(name for item in self.items for name in item)
            if name not in facts.keys and name not in ignored and name not in in_keys
        ]
        self.left_out: dict[str, str] = {}

    def entity(self, name: str, left_out: dict[str, str]) -> EntityDraft:
        composed = dict(self._composed())
        following = dict(self._derived(composed))
        sources = {
            part.attribute for parts in composed.values() for part in parts if isinstance(part, _Source)
        }
        taken = {each.name for each in self.keys.fields}
        fields: dict[str, FieldDraft] = {}
        for attribute in self.names:
            if attribute in composed or attribute in following:
                continue
            found = self._field(attribute, taken, in_key=attribute in sources)
            if found is not None:
                fields[attribute] = found
                taken.add(found.name)
        by_source = {**fields, **{each.attribute: each for each in self.keys.fields if each.attribute}}
        return EntityDraft(
            name=name,
            type_name=self.group.type_name,
            pk=self.keys.pk,
            sk=self.keys.sk,
            key_fields=list(self.keys.fields),
            fields=list(fields.values()),
            derived=self._named_derived(following, by_source, taken),
            composed={attribute: self._drafted(parts, by_source) for attribute, parts in composed.items()},
            items=self.items,
            left_out=left_out | self.left_out,
            mixed=dict(self._mixed(fields)),
        )

    # ── fields ────────────────────────────────────────────────────────────────────────────────────

    def _field(self, attribute: str, taken: set[str], *, in_key: bool) -> FieldDraft | None:
        values = [item[attribute] for item in self.items if attribute in item]
        found = self._type(attribute, values)
        is_always = len(values) == len(self.items)
        nulls = sum("NULL" in value for value in values)
        if nulls and (
            not is_always or nulls == len(values) or found.form in ("union", "Any", "model", "bytes")
        ):
            self.left_out[attribute] = f"NULL in {nulls:,} of {len(values):,} items"
            return None
        if nulls and found.form in _WITHOUT_NULL:
            found = replace(_WITHOUT_NULL[found.form], nullable=True)
        return FieldDraft(
            field_name(attribute, taken, in_key=in_key), attribute, found, optional=not is_always
        )

    def _type(self, attribute: str, values: Sequence[Value]) -> TypeGuess:
        found = self.joint(attribute, guess(values))
        if found.form != "int" or not all(is_moment(value["N"]) for value in values if "N" in value):
            return found
        plain = "".join(filter(str.isalpha, attribute)).lower()
        is_expiry = any(word in plain for word in _EXPIRY_NAMES)
        return EXPIRY if attribute == self.facts.expiry or (is_expiry and not self.facts.expiry) else found

    def _mixed(self, fields: Mapping[str, FieldDraft]) -> Iterator[tuple[str, Mapping[str, int]]]:
        for attribute in (*fields, *self.left_out):
            kinds = Counter(next(iter(item[attribute])) for item in self.items if attribute in item)
            if len(kinds) > 1:
                yield attribute, kinds

    # ── what follows from other attributes ────────────────────────────────────────────────────────

    def _derived(self, composed: Mapping[str, object]) -> Iterator[tuple[str, tuple[str, str]]]:
        """Attributes that are another one in lower or upper case, with that one and the function."""
        texts = [name for name in self.names if name not in composed and self._are_texts(name)]
        texts += [each.attribute for each in self.keys.fields if each.attribute and each.type.form == "str"]
        for attribute in texts:
            if attribute not in self.names or attribute in self.plain or not _is_function_name(attribute):
                continue
            for source in texts:
                if source == attribute or _is_function_name(source):
                    continue
                found = next((by for by in _FUNCTIONS if self._follows(attribute, source, by)), None)
                if found is not None:
                    yield attribute, (source, found)
                    break

    def _are_texts(self, name: str) -> bool:
        return all("S" in item[name] for item in self.items if name in item)

    def _follows(self, attribute: str, source: str, by: str) -> bool:
        for item in self.items:
            if (attribute in item) != (source in item):
                return False
            if attribute in item and item[attribute]["S"] != _FUNCTIONS[by](item[source]["S"]):
                return False
        return True

    def _named_derived(
        self, following: Mapping[str, tuple[str, str]], sources: Mapping[str, FieldDraft], taken: set[str]
    ) -> list[DerivedDraft]:
        found = []
        for attribute, (source, by) in following.items():
            name = field_name(attribute, taken)
            taken.add(name)
            found.append(DerivedDraft(name, attribute, sources[source].name, by))
        return found

    # ── index keys that are made of fields ────────────────────────────────────────────────────────

    def _composed(self) -> Iterator[tuple[str, list[str | _Source]]]:
        for attribute in self.facts.composable:
            if attribute not in self.names or attribute in self.plain:
                continue
            parts = self._parts(attribute)
            if parts is not None and self._is_exact(attribute, parts):
                yield attribute, parts

    def _parts(self, attribute: str) -> list[str | _Source] | None:
        """The constants and the sources that an index key is made of, None where it is a value by itself."""
        rows = [number for number, item in enumerate(self.items) if attribute in item]
        if self.facts.key_kinds[attribute] != "S":
            texts = [next(iter(self.items[row][attribute].values())) for row in rows]
            source = self._source(attribute, rows, texts)
            return None if source is None else [source]
        keys = [split_key(self.items[row][attribute]["S"]) for row in rows]
        if len({key.layout for key in keys}) > 1:
            return None
        parts: list[str | _Source] = []
        for at in range(len(keys[0].tokens)):
            texts = [key.tokens[at] for key in keys]
            found = self._token(attribute, rows, texts, is_alone=len(keys[0].tokens) == 1)
            if found is None:
                return None
            parts += [found] if at == 0 else [keys[0].delimiter, found]
        return parts

    def _token(
        self, attribute: str, rows: Sequence[int], texts: list[str], *, is_alone: bool
    ) -> str | _Source | None:
        is_constant = len({*texts}) == 1
        if is_constant and (is_shouted(texts[0]) or not texts[0]):
            return texts[0]
        source = self._source(attribute if is_alone else "", rows, texts)
        if source is None and is_constant and is_spoken(texts[0]) and (len(texts) > 1 or not is_alone):
            return texts[0]
        return source

    def _source(self, attribute: str, rows: Sequence[int], texts: list[str]) -> _Source | None:
        """The field that always says what stands here; of an attribute that is one, a copy is meant."""
        for each in self.keys.fields if not attribute or is_index_name(attribute) else ():
            known = self.keys.texts[each.name]
            if attribute and each.type.form == "int" and self.facts.key_kinds[attribute] == "S":
                continue  # A number by itself is a number in an index too.
            if known and each.attribute is None and [known[row] for row in rows] == texts:
                format_ = number_format(texts) or "" if each.type.form == "int" else ""
                return _Source(each.name, None, format_)
        attributes = [each.attribute for each in self.keys.fields if each.attribute]
        for name in (*attributes, *self.names):
            if (
                name == attribute
                or name in self.facts.index_keys
                or (attribute and not _is_copy(attribute, name))
            ):
                continue
            written = self._says(name, rows, texts, bare=bool(attribute))
            if written is not None:
                return _Source(None, name, written)
        return None

    def _says(self, name: str, rows: Sequence[int], texts: list[str], *, bare: bool) -> str | None:
        """In which format an attribute stands in an index key, None where it does not."""
        values = [self.items[row].get(name, {}) for row in rows]
        if all(value.get("S") == text for value, text in zip(values, texts, strict=True)):
            found = guess([item[name] for item in self.items if name in item])
            return "" if found.form in IN_KEYS and not found.nullable else None
        if bare:
            same = all(value.get("N") == text for value, text in zip(values, texts, strict=True))
            return "" if same else None
        is_number = all("N" in value for value in values) and all(map(is_digits, texts))
        pairs = zip(values, texts, strict=True)
        return number_format(texts) if is_number and all(says_number(*pair) for pair in pairs) else None

    def _is_exact(self, attribute: str, parts: Sequence[str | _Source]) -> bool:
        """Whether the items without the index key are those that lack a part of it."""
        sources = [part.attribute for part in parts if isinstance(part, _Source) and part.attribute]
        if not any(isinstance(part, _Source) for part in parts):
            return all(attribute in item for item in self.items)
        return all((attribute in item) == all(name in item for name in sources) for item in self.items)

    def _drafted(self, parts: Sequence[str | _Source], fields: Mapping[str, FieldDraft]) -> TemplateDraft:
        found: list[str | PlaceDraft] = []
        for part in parts:
            if isinstance(part, _Source):
                name = part.field or fields[part.attribute or ""].name
                found.append(PlaceDraft(name, part.format))
            elif part and found and isinstance(found[-1], str):
                found[-1] += part
            elif part:
                found.append(part)
        return TemplateDraft(tuple(found))


class _Source:
    """Where a part of an index key comes from: a field of the key, or an attribute."""

    def __init__(self, field: str | None, attribute: str | None, format_: str) -> None:
        self.field, self.attribute, self.format = field, attribute, format_


def _is_function_name(attribute: str) -> bool:
    return any(word in attribute.lower() for word in _FUNCTION_NAMES)


def _is_copy(attribute: str, other: str) -> bool:
    """Whether an index key by its name is a copy of another attribute."""
    return is_index_name(attribute) or snake(attribute) == snake(other)
