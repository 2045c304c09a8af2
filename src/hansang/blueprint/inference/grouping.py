"""Which items are of one kind: by a type attribute where there is one, and by the form of their keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeVar

from hansang.blueprint.inference.facts import TableFacts
from hansang.blueprint.inference.signatures import Signature, alike
from hansang.blueprint.inference.tokens import SplitKey, is_shouted, is_spoken, split_key
from hansang.design.shape import Item

K = TypeVar("K")

Position = tuple[int, int]
"""Which key, 0 or 1, and which of its parts."""

_MOST_CONSTANTS = 40
_MOST_TYPES = 60
_FEW = 2
_CODE = 3
_TYPE_NAMES = frozenset(
    {
        "type", "kind", "entity", "entitytype", "entityname", "itemtype", "recordtype", "objecttype", "doctype",
        "documenttype", "typename", "et", "model", "modelname", "class", "discriminator",
    }
)  # fmt: skip


@dataclass(frozen=True)
class KeyedItem:
    """An item with its keys taken apart; a key that is a number or bytes is in one piece."""

    item: Item
    keys: tuple[SplitKey | None, ...]

    def token(self, at: Position) -> str:
        found = self.keys[at[0]]
        assert found is not None, "only texts have parts"
        return found.tokens[at[1]]


@dataclass
class KeyGroup:
    """Items whose keys have one form."""

    rows: list[KeyedItem]
    type_name: str | None = None
    constants: dict[Position, str] = field(default_factory=dict)
    whole: frozenset[int] = frozenset()
    """Keys that are one field as a whole, whatever is in them."""

    @property
    def items(self) -> list[Item]:
        return [row.item for row in self.rows]

    def positions(self, key: int) -> list[Position]:
        """The parts of a key; none where it is a number, bytes, or a field as a whole."""
        found = self.rows[0].keys[key]
        return [] if found is None or key in self.whole else [(key, at) for at in range(len(found.tokens))]


def keyed(facts: TableFacts, item: Item) -> KeyedItem:
    """An item with its keys taken apart."""
    return KeyedItem(
        item, tuple(split_key(item[key]["S"]) if "S" in item[key] else None for key in facts.keys)
    )


def groups_of(facts: TableFacts, type_attribute: str | None) -> list[KeyGroup]:
    """The kinds of items of a table, the most frequent first."""
    by_type: dict[str | None, list[KeyedItem]] = defaultdict(list)
    for item in facts.items:
        said = None if type_attribute is None else item.get(type_attribute, {}).get("S")
        by_type[said].append(keyed(facts, item))
    found: list[KeyGroup] = []
    for said, rows in by_type.items():
        found += _Grouping(facts, type_attribute).groups(rows, said)
    return sorted(found, key=lambda group: -len(group.rows))


def type_attribute_of(facts: TableFacts) -> str | None:
    """The attribute that names the kind of an item, if there is one."""
    names = {name for item in facts.items for name in item if _is_type_name(name)}
    return next((name for name in sorted(names) if name not in facts.keys and _is_type(facts, name)), None)


def _is_type_name(name: str) -> bool:
    return "".join(filter(str.isalpha, name)).lower() in _TYPE_NAMES


def _is_type(facts: TableFacts, name: str) -> bool:
    """Whether the items of different values differ in their keys or in what they have."""
    values: dict[str, list[KeyedItem]] = defaultdict(list)
    for item in facts.items:
        said = item.get(name, {"S": ""})
        if "S" not in said:
            return False
        if said["S"]:
            values[said["S"]].append(keyed(facts, item))
    if not values or len(values) > _MOST_TYPES or sum(map(len, values.values())) * 2 < len(facts.items):
        return False
    pairs = list(combinations(values.values(), 2))
    apart = [pair for pair in pairs if _differ(facts, name, *pair)]
    return len(apart) * 5 >= len(pairs) * 4


def _differ(facts: TableFacts, name: str, one: list[KeyedItem], other: list[KeyedItem]) -> bool:
    if {_outline(row) for row in one}.isdisjoint({_outline(row) for row in other}):
        return True
    ignored = {*facts.keys, name}
    return not alike(_signature(one, ignored), _signature(other, ignored))


def _outline(row: KeyedItem) -> tuple[object, ...]:
    """The form of an item's keys with the words that look like constants."""
    return tuple(
        None if key is None else (key.layout, tuple(token for token in key.tokens if is_shouted(token)))
        for key in row.keys
    )


def _signature(rows: Iterable[KeyedItem], ignored: Iterable[str]) -> Signature:
    return Signature.of((row.item for row in rows), ignored)


class _Grouping:
    """Takes items apart by the constants in their keys."""

    def __init__(self, facts: TableFacts, type_attribute: str | None) -> None:
        self.facts = facts
        self.ignored = {*facts.keys, type_attribute or ""}

    def groups(self, rows: Sequence[KeyedItem], type_name: str | None) -> list[KeyGroup]:
        found: list[KeyGroup] = []
        for alike_rows in _by(rows, lambda row: tuple(key and key.layout for key in row.keys)).values():
            found += self._split(KeyGroup(alike_rows, type_name), self._waiting(alike_rows[0]))
        return self._joined(found)

    def _waiting(self, row: KeyedItem) -> list[Position]:
        """The parts of keys in the order of how likely they are constants: the first ones, then the others."""
        places = [
            (key, at)
            for key, found in enumerate(row.keys)
            if found is not None
            for at in range(len(found.tokens))
        ]
        return sorted(places, key=lambda place: (place[1] > 0, place))

    def _split(self, group: KeyGroup, waiting: list[Position]) -> Iterator[KeyGroup]:
        if not waiting:
            yield group
            return
        at, *rest = waiting
        for constant, rows in self._decide(group, at):
            constants = group.constants if constant is None else {**group.constants, at: constant}
            yield from self._split(replace(group, rows=rows, constants=constants), rest)

    def _decide(self, group: KeyGroup, at: Position) -> list[tuple[str | None, list[KeyedItem]]]:
        """The constants that stand in a place, each with its items, and the items for which it varies."""
        rows = group.rows
        values = _by(rows, lambda row: row.token(at))
        if list(values) == [""]:
            return [("", rows)]
        shouted = [value for value in values if is_shouted(value)]
        is_alone = len(group.positions(at[0])) == 1
        if at[1] == 0 and not is_alone:
            return self._first(group, at, values, shouted)
        if self._is_attribute(rows, at) and (len(values) > 1 or not shouted):
            return [(None, rows)]
        if not shouted:
            constant = next(iter(values)) if len(values) == 1 and self._is_fixed(group, at) else None
            return [(constant, rows)]
        return self._few(values, shouted)

    def _is_fixed(self, group: KeyGroup, at: Position) -> bool:
        """Whether a plain word that is always the same is a constant: it follows a value, or partitions share it."""
        value = group.rows[0].token(at)
        if not is_spoken(value) or len(group.rows) < _FEW:
            return False
        if at[1] > 0:
            return (at[0], at[1] - 1) not in group.constants
        return at[0] == 1 and len({str(row.item[self.facts.pk]) for row in group.rows}) > 1

    def _first(
        self, group: KeyGroup, at: Position, values: Mapping[str, list[KeyedItem]], shouted: list[str]
    ) -> list[tuple[str | None, list[KeyedItem]]]:
        """A part with more behind it, which mostly names what the key is of."""
        if not shouted and self._is_attribute(group.rows, at):
            return [(None, group.rows)]
        if self._are_values(group, values, shouted):
            return [(None, group.rows)]
        words = list(shouted)
        others = [value for value in values if value not in words]
        spoken = [value for value in others if is_spoken(value)]
        if spoken == others and self._are_constants(values, spoken, len(group.rows)):
            words, others = [*words, *spoken], []
        return [*((word, values[word]) for word in words), *_varying(values, others)]

    def _are_values(self, group: KeyGroup, values: Mapping[str, list[KeyedItem]], shouted: list[str]) -> bool:
        """Whether words in capitals are values: very many, or of one kind and codes such as KR and USD."""
        if len(shouted) < _FEW or len(shouted) > _MOST_CONSTANTS:
            return len(shouted) > _MOST_CONSTANTS
        are_codes = len(shouted) > _FEW and all(len(word) <= _CODE for word in shouted)
        is_one_kind = group.type_name is not None or are_codes
        return is_one_kind and len(self._classes(values, shouted)) == 1

    def _are_constants(self, values: Mapping[str, list[KeyedItem]], spoken: list[str], count: int) -> bool:
        if len(spoken) > _MOST_CONSTANTS or (len(spoken) > 1 and len(spoken) * 3 > count):
            return False
        return len(spoken) <= _FEW or len(self._classes(values, spoken)) > 1

    def _few(
        self, values: Mapping[str, list[KeyedItem]], shouted: list[str]
    ) -> list[tuple[str | None, list[KeyedItem]]]:
        """A part where constants and values may stand: constants are few, and have items of their own form."""
        if len(values) == 1:
            return [(shouted[0], values[shouted[0]])]
        varying = [value for value in values if value not in shouted]
        constants: list[str] = []
        common = _signature((row for value in varying for row in values[value]), self.ignored)
        for members in self._classes(values, shouted):
            is_other = varying and alike(common, self._of(values, members))
            if is_other or len(members) > _FEW or (not varying and len(members) == len(values)):
                varying += members
            else:
                constants += members
        return [*((each, values[each]) for each in constants), *_varying(values, varying)]

    def _classes(self, values: Mapping[str, list[KeyedItem]], some: list[str]) -> list[list[str]]:
        """The values, those with like items together."""
        found: list[tuple[Signature, list[str]]] = []
        for value in sorted(some, key=lambda each: -len(values[each])):
            own = self._of(values, [value])
            place = next((at for at, (other, _) in enumerate(found) if alike(own, other)), None)
            if place is None:
                found.append((own, [value]))
            else:
                found[place] = (found[place][0] | own, [*found[place][1], value])
        return [members for _, members in found]

    def _of(self, values: Mapping[str, list[KeyedItem]], members: list[str]) -> Signature:
        return _signature((row for member in members for row in values[member]), self.ignored)

    def _is_attribute(self, rows: Sequence[KeyedItem], at: Position) -> bool:
        """Whether an attribute always says what stands in this part of the key."""
        names = {name for name in rows[0].item if name not in self.ignored}
        for row in rows:
            token = row.token(at)
            names = {name for name in names if row.item.get(name) in ({"S": token}, {"N": token})}
        return bool(names)

    # ── one kind after all ────────────────────────────────────────────────────────────────────────

    def _joined(self, groups: list[KeyGroup]) -> list[KeyGroup]:
        """Groups that differ in nothing but the form of values without any constant, or in a table of one kind."""
        if len(groups) > 1 and self.facts.sk is None and self._are_alike(groups):
            return [_whole(groups, {0})]
        found: list[KeyGroup] = []
        for group in groups:
            place = next((at for at, other in enumerate(found) if self._is_same(group, other)), None)
            if place is None:
                found.append(group)
            else:
                found[place] = _whole([found[place], group], _different(found[place], group))
        return found

    def _are_alike(self, groups: list[KeyGroup]) -> bool:
        first, *rest = (_signature(group.rows, self.ignored) for group in groups)
        return all(alike(first, other) for other in rest)

    def _is_same(self, one: KeyGroup, other: KeyGroup) -> bool:
        """Whether two groups differ only in keys that have no constants."""
        for key in _different(one, other):
            if any(at[0] == key for at in (*one.constants, *other.constants)):
                return False
        return bool(_different(one, other)) and self._are_alike([one, other])


def _different(one: KeyGroup, other: KeyGroup) -> set[int]:
    """The keys of which two groups have different forms."""
    return {key for key in range(len(one.rows[0].keys)) if _form(one, key) != _form(other, key)}


def _form(group: KeyGroup, key: int) -> object:
    found = group.rows[0].keys[key]
    if key in group.whole or found is None:
        return key in group.whole
    return found.layout, tuple(group.constants.get(at) for at in group.positions(key))


def _whole(groups: Sequence[KeyGroup], keys: set[int]) -> KeyGroup:
    first = groups[0]
    return KeyGroup(
        [row for group in groups for row in group.rows],
        first.type_name,
        {at: value for at, value in first.constants.items() if at[0] not in keys},
        first.whole | keys,
    )


def _varying(
    values: Mapping[str, list[KeyedItem]], some: Sequence[str]
) -> Iterator[tuple[str | None, list[KeyedItem]]]:
    if some:
        yield None, [row for value in some for row in values[value]]


def _by(rows: Sequence[KeyedItem], key: Callable[[KeyedItem], K]) -> dict[K, list[KeyedItem]]:
    found: dict[K, list[KeyedItem]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return found
