"""Random designs: tables, keys, entities, indexes and views, written as source and made into classes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any

from annotated_types import Ge, Le
from hypothesis import HealthCheck, Phase, assume, event, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from hansang import design as language
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import DesignError
from tests.design import random_fields as fields
from tests.design.random_fields import ALONE, IN_TEXT, VALUES, Sort

# As in tests/engine: briefly and always the same, or with HYPOTHESIS_PROFILE=long, at length.
IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
SHORT_SEARCH = (Phase.explicit, Phase.generate)


def searched(short: int, long: int) -> settings:
    """How many designs are tried."""
    return settings(
        max_examples=long if IS_LONG else short,
        deadline=None,
        derandomize=not IS_LONG,
        phases=tuple(Phase) if IS_LONG else SHORT_SEARCH,
        suppress_health_check=list(HealthCheck),
        print_blob=IS_LONG,
        database=None,
    )


SCOPE: dict[str, Any] = {
    **{name: getattr(language, name) for name in language.__all__},
    **{name: getattr(fields, name) for name in ("UserId", "Rank", "Size", "Step")},
    **{name: getattr(fields, name) for name in ("Color", "Mood", "Level", "Inner")},
    **{each.__name__: each for each in (Decimal, date, datetime, Ge, Le)},
    "Annotated": Annotated,
    "UTC": UTC,
    "__name__": "random_design",
}
VERSION = Sort("Version", (0,), ("",), default="0", kind="N")
TOUCHED = Sort("UpdatedAt", (), ("", "%Y%m%d%H%M%S"), default="AT_WRITE")
KEPT_UP = (VERSION, TOUCHED)

PREFIXES = ("", "A#", "B#", "A#B#", "P-", "K_", "한#", "A")
SEPARATORS = ("#", "#", "#", "#", ", ", "-", "_", "#X#", ":")


@dataclass(frozen=True)
class Field:
    """A field of a random entity."""

    name: str
    sort: Sort
    attribute: str | None = None
    default: str = ""
    is_optional: bool = False

    @property
    def source(self) -> str:
        kind = f"{self.sort.annotation} | None" if self.is_optional else self.sort.annotation
        named = f"Annotated[{kind}, Attr({self.attribute!r})]" if self.attribute else kind
        return f"{self.name}: {named}" + (f" = {self.default}" if self.default else "")

    @property
    def stored(self) -> str:
        return self.attribute or self.name

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of its pool, with None among them where it can be."""
        return (*self.sort.values, None, None) if self.is_optional else self.sort.values


@dataclass(frozen=True)
class KeyText:
    """A template, and the fields in it by their order."""

    text: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class IndexPlan:
    """An index of the table: by attributes of their own, or by composed keys."""

    label: str
    pk: str
    sk: str | None
    project: str
    is_composed: bool = False
    pk_sort: Sort | None = None
    sk_sort: Sort | None = None
    is_local: bool = False

    @property
    def source(self) -> str:
        name, project = f"Index_{self.label}", self.project
        if self.is_local:
            return f"{self.label} = LSI({name!r}, sk={self.sk!r}, project={project})"
        return f"{self.label} = GSI({name!r}, pk={self.pk!r}, sk={self.sk!r}, project={project})"


@dataclass(frozen=True)
class Plan:
    """One entity of a random design."""

    name: str
    pk: KeyText
    sk: KeyText | None
    fields: tuple[Field, ...]
    """Those beside the key's."""
    type_name: str | None = None
    index_keys: dict[str, tuple[KeyText, KeyText | None]] = field(default_factory=dict)
    derived: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """Names, with the attribute, the field that it is of, and the function."""

    @property
    def key_fields(self) -> tuple[Field, ...]:
        found = {each.name: each for each in (*self.pk.fields, *(self.sk.fields if self.sk else ()))}
        return tuple(found.values())

    @property
    def all_fields(self) -> tuple[Field, ...]:
        return (*self.key_fields, *self.fields)

    def named(self, name: str) -> Field:
        return next(each for each in self.all_fields if each.name == name)

    @property
    def key_source(self) -> str:
        sk = "" if self.sk is None else f", sk={self.sk.text!r}"
        head = f'class {self.name}Key(Key["{self.name}"], pk={self.pk.text!r}{sk}):'
        return _block(head, [each.source for each in self.key_fields])

    @property
    def source(self) -> str:
        keys = ", ".join(
            f"T.{label}: ({pk.text!r}, {None if sk is None else sk.text!r})"
            for label, (pk, sk) in self.index_keys.items()
        )
        head = f"class {self.name}({self.name}Key, Entity, table=T"
        head += "" if self.type_name is None else f", type={self.type_name!r}"
        head += f", index_keys={{{keys}}}):" if keys else "):"
        lines = [each.source for each in self.fields]
        lines += [
            f"{name} = derived({attribute!r}, of={of!r}, by={by})"
            for name, (attribute, of, by) in self.derived.items()
        ]
        return _block(head, lines)


def _block(head: str, lines: list[str]) -> str:
    return "\n    ".join([head, *(lines or ["pass"])])


# ── fields and templates ──────────────────────────────────────────────────────────────────────────


@st.composite
def key_texts(
    draw: DrawFn, names: str, most: int, prefix: str | None = None, alone_in: tuple[Sort, ...] = ALONE
) -> KeyText:
    """A template with new fields: constant, one field by itself, or several."""
    form = draw(st.sampled_from(("composed",) * 6 + ("alone", "alone", "constant")))
    if form == "constant":
        return KeyText(
            draw(st.sampled_from(("INFO", "A#", "한#INFO", "A"))) if prefix is None else prefix, ()
        )
    if form == "alone":
        alone = Field(names[0], draw(st.sampled_from(alone_in)))
        return KeyText(f"{{{alone.name}}}", (alone,))
    count = draw(st.integers(1, most))
    drawn = [_key_field(draw, name) for name in names[:count]]
    lead = draw(st.sampled_from(PREFIXES)) if prefix is None else prefix
    return KeyText(_template(draw, lead, drawn), tuple(each for each, _ in drawn))


def _key_field(draw: DrawFn, name: str) -> tuple[Field, str]:
    """A field of a key with its format; one that the key does not keep whole is stored as well."""
    sort = draw(st.sampled_from(IN_TEXT))
    is_lossy = bool(sort.lossy) and draw(st.integers(0, 5)) == 0
    format_ = draw(st.sampled_from(sort.lossy if is_lossy else sort.formats))
    is_stored = draw(st.integers(0, 3)) == 0 or format_ in ("%Y-%m", "%Y-%m-%d", "%Y%m", "%Y%m%dT%H%M%S")
    return Field(name, sort, f"{name}_" if is_stored else None), format_


def _template(draw: DrawFn, lead: str, drawn: list[tuple[Field, str]]) -> str:
    pieces = [lead]
    for number, (each, format_) in enumerate(drawn):
        pieces.append(draw(st.sampled_from(SEPARATORS)) if number else "")
        pieces.append(f"{{{each.name}:{format_}}}" if format_ else f"{{{each.name}}}")
    return "".join([*pieces, draw(st.sampled_from(("",) * 9 + ("#END", "-")))])


@st.composite
def value_fields(draw: DrawFn, name: str) -> Field:
    """A field that is in no key of the table."""
    sort = draw(st.sampled_from(VALUES))
    form = draw(st.sampled_from(("required", "required", "default", "none", "optional", "null kept")))
    if form == "null kept":
        return Field(name, sort, None, sort.default, is_optional=True)
    if form in ("none", "optional"):
        return Field(name, sort, None, "None" if form == "none" else "", is_optional=True)
    return Field(name, sort, None, sort.default if form == "default" else "")


# ── indexes ───────────────────────────────────────────────────────────────────────────────────────


@st.composite
def index_plans(draw: DrawFn, number: int, type_attribute: str | None, has_sk: bool) -> IndexPlan:
    label = f"x{number}"
    project = draw(st.sampled_from(("ALL", "ALL", "KEYS_ONLY", "['v0', 'v1']")))
    form = draw(st.sampled_from(("composed", "composed", "composed", "simple", "simple", "type", "local")))
    if form == "composed":
        sk = f"G{number}S" if draw(st.integers(0, 4)) else None
        return IndexPlan(label, f"G{number}", sk, project, is_composed=True)
    sk_sort = draw(st.sampled_from((*ALONE, TOUCHED)))
    if form == "local" and has_sk:
        return IndexPlan(label, "PK", f"S{number}", project, sk_sort=sk_sort, is_local=True)
    if form == "type" and type_attribute is not None:
        return IndexPlan(label, type_attribute, f"S{number}", project, sk_sort=sk_sort)
    has_range = draw(st.integers(0, 4)) > 0
    return IndexPlan(
        label,
        f"P{number}",
        f"S{number}" if has_range else None,
        project,
        pk_sort=draw(st.sampled_from(ALONE)),
        sk_sort=sk_sort if has_range else None,
    )


def _index_fields(draw: DrawFn, index: IndexPlan) -> Iterator[Field]:
    """The fields that an entity has for the keys of an index by attributes."""
    for attribute, sort in ((index.pk, index.pk_sort), (index.sk, index.sk_sort)):
        if sort is TOUCHED:
            yield Field(str(attribute).lower(), sort, attribute, "AT_WRITE")
        elif sort is not None:
            is_optional = draw(st.integers(0, 3)) == 0
            default = "None" if is_optional else ""
            yield Field(str(attribute).lower(), sort, attribute, default, is_optional)


@st.composite
def index_texts(draw: DrawFn, available: tuple[Field, ...]) -> KeyText:
    """A template for the key of an index, of fields that the entity has."""
    fitting = [each for each in available if each.sort in (*ALONE, *KEPT_UP)]
    form = draw(st.sampled_from(("composed",) * 5 + ("alone", "constant")))
    if form == "constant" or not fitting:
        return KeyText(draw(st.sampled_from(("ALL", "한"))), ())
    if form == "alone":
        alone = draw(st.sampled_from(fitting))
        return KeyText(f"{{{alone.name}}}", (alone,))
    in_text = [each for each in fitting if each.sort.formats]
    chosen = draw(st.lists(st.sampled_from(in_text), min_size=1, max_size=3, unique=True)) if in_text else []
    drawn = [(each, draw(st.sampled_from(each.sort.formats + each.sort.lossy[:1]))) for each in chosen]
    text = _template(draw, draw(st.sampled_from(PREFIXES)), drawn)
    return KeyText(text if drawn else "ALL", tuple(chosen))


# ── entities ──────────────────────────────────────────────────────────────────────────────────────

DERIVED_BY = {"str": ("str.lower", "lambda text: text[:1] or None", "len"), "int": ("str",)}


AS_TEXT = tuple(each for each in ALONE if each.kind == "S")
AS_NUMBER = tuple(each for each in ALONE if each.kind == "N")


@st.composite
def sort_texts(draw: DrawFn, number: int, table: TablePlan, is_lonely: bool) -> KeyText:
    """A sort key; entities of one table have one type of it."""
    if table.is_by_number:
        alone = Field("c", draw(st.sampled_from(AS_NUMBER)))
        return KeyText("{c}", (alone,))
    prefix = None if is_lonely or draw(st.integers(0, 4)) == 0 else f"{'ABC'[number]}#"
    return draw(key_texts("cdef", 4, prefix, ALONE if is_lonely else AS_TEXT))


@st.composite
def entity_plans(draw: DrawFn, number: int, pk: KeyText | None, table: TablePlan, is_lonely: bool) -> Plan:
    pk = draw(key_texts("ab", 2, None, ALONE if is_lonely else AS_TEXT)) if pk is None else pk
    sk = draw(sort_texts(number, table, is_lonely)) if table.has_sk else None
    taken = [draw(value_fields(f"v{each}")) for each in range(draw(st.integers(1, 4)))]
    for index in table.indexes:
        if not index.is_composed and (number == 0 or draw(st.booleans())):
            taken += _index_fields(draw, index)
    if draw(st.integers(0, 2)) == 0:
        taken.append(Field("version", VERSION, None, "0"))
    if draw(st.integers(0, 3)) == 0:
        taken.append(Field("touched", TOUCHED, None, "AT_WRITE"))
    plan = Plan(f"E{number}", pk, sk, tuple(taken))
    if table.type_attribute is not None:
        same = draw(st.integers(0, 14)) == 0
        plan = replace(plan, type_name=None if draw(st.integers(0, 14)) == 0 else "E0" if same else plan.name)
    return replace(plan, index_keys=_index_keys(draw, plan, table), derived=_derived(draw, plan))


def _index_keys(draw: DrawFn, plan: Plan, table: TablePlan) -> dict[str, tuple[KeyText, KeyText | None]]:
    found: dict[str, tuple[KeyText, KeyText | None]] = {}
    for index in table.indexes:
        if index.is_composed and (plan.name == "E0" or draw(st.booleans())):
            first = draw(index_texts(plan.all_fields))
            found[index.label] = (first, None if index.sk is None else draw(index_texts(plan.all_fields)))
    return found


def _derived(draw: DrawFn, plan: Plan) -> dict[str, tuple[str, str, str]]:
    fitting = [each for each in plan.all_fields if each.sort.annotation in DERIVED_BY]
    if not fitting or draw(st.integers(0, 2)):
        return {}
    source = draw(st.sampled_from(fitting))
    return {"low": ("Low", source.name, draw(st.sampled_from(DERIVED_BY[source.sort.annotation])))}


# ── designs ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class TablePlan:
    """The table of a random design."""

    has_sk: bool
    type_attribute: str | None
    indexes: tuple[IndexPlan, ...]
    is_by_number: bool = False
    """Whether sort keys are numbers."""

    @property
    def source(self) -> str:
        more = "" if self.has_sk else ", sk=None"
        more += f", type_attribute={self.type_attribute!r}" if self.type_attribute else ""
        return _block(f'class T(Table, name="Random"{more}):', [each.source for each in self.indexes])


@dataclass(frozen=True)
class ViewPlan:
    """A view of an entity in an index."""

    entity: Plan
    index: IndexPlan
    fields: tuple[Field, ...]

    @property
    def name(self) -> str:
        return f"{self.entity.name}{self.index.label.upper()}"

    @property
    def source(self) -> str:
        head = f"class {self.name}({self.entity.name}Key, View, index=T.{self.index.label}):"
        return _block(head, [each.source for each in self.fields])


@dataclass(frozen=True)
class DesignPlan:
    """A whole design before its classes are made."""

    table: TablePlan
    entities: tuple[Plan, ...]
    views: tuple[ViewPlan, ...]


@st.composite
def table_plans(draw: DrawFn) -> TablePlan:
    has_sk = draw(st.integers(0, 5)) > 0
    type_attribute = draw(st.sampled_from(("Type", None)))
    count = draw(st.integers(0, 3))
    indexes = tuple(draw(index_plans(number, type_attribute, has_sk)) for number in range(count))
    return TablePlan(has_sk, type_attribute, indexes, is_by_number=draw(st.integers(0, 8)) == 8)


@st.composite
def design_plans(draw: DrawFn, together: bool = False) -> DesignPlan:
    """A design; with `together`, several entities that share their partitions."""
    table = draw(table_plans())
    count = draw(st.integers(2 if together else 1, 3))
    first = draw(entity_plans(0, None, table, is_lonely=count == 1))
    others = [
        draw(entity_plans(number, first.pk if together or draw(st.booleans()) else None, table, False))
        for number in range(1, count)
    ]
    entities = (first, *others)
    return DesignPlan(table, entities, tuple(_views(draw, table, entities)))


def _views(draw: DrawFn, table: TablePlan, entities: tuple[Plan, ...]) -> Iterator[ViewPlan]:
    for index in table.indexes:
        for plan in entities:
            if draw(st.integers(0, 2)):
                shown = [each for each in plan.fields if _is_shown(plan, index, each) and draw(st.booleans())]
                yield ViewPlan(plan, index, tuple(shown))


def _is_shown(plan: Plan, index: IndexPlan, each: Field) -> bool:
    """Whether an index holds a field, in an attribute or in its composed keys."""
    if index.project == "ALL" or each.stored in (index.pk, index.sk) or repr(each.stored) in index.project:
        return True
    return any(each in text.fields for text in plan.index_keys.get(index.label, ()) if text is not None)


# ── classes ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, repr=False)
class Design:
    """A design that the language has accepted, with its classes."""

    source: str
    table: Any
    plans: dict[str, Plan]
    views: dict[str, ViewPlan]
    classes: dict[str, Any]
    indexes: tuple[IndexPlan, ...]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # All fields together are longer than hypothesis prints without a warning.
        printer.text(f"\n{self.source}\n")

    @property
    def kinds(self) -> list[Any]:
        return [self.classes[name] for name in self.plans]

    def plan_of(self, kind: Any) -> Plan:
        return self.plans[kind.__name__]


def made(plan: DesignPlan) -> Design:
    """The classes of a plan, or a DesignError; views that are refused are left out."""
    scope = dict(SCOPE)
    sources = [plan.table.source]
    sources += [source for each in plan.entities for source in (each.key_source, each.source)]
    for source in sources:
        _run(source, scope)
    scope["T"].definition()
    views = {}
    for view in plan.views:
        try:
            _run(view.source, scope)
        except DesignError:
            continue
        views[view.name] = view
        sources.append(view.source)
    return Design(
        "\n\n".join(sources),
        scope["T"],
        {each.name: each for each in plan.entities},
        views,
        scope,
        plan.table.indexes,
    )


def _run(source: str, scope: dict[str, Any]) -> None:
    # Annotations of the source are real ones, though those of this module are not.
    exec(compile(source, "random_design", "exec", dont_inherit=True), scope)


@st.composite
def designs(draw: DrawFn, together: bool = False) -> Design:
    """A design that the language accepts."""
    plan = draw(design_plans(together))
    try:
        found = made(plan)
    except DesignError:
        event("refused")
        assume(False)
        raise
    return found


@contextmanager
def opened(design: Design) -> Iterator[Database]:
    """An empty database of a design, whose clock ticks with every look at it."""
    ticks = iter(range(1_780_000_000, 1_790_000_000))
    with Embedded.open(":memory:") as backend:
        database = Database(backend, secret=b"for tests", clock=lambda: next(ticks))
        database.create_tables(design.table)
        yield database
