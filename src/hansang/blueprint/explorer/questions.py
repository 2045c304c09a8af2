"""The access patterns of a design as questions that people can fill in."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from hansang.blueprint.arguments import refused_argument
from hansang.blueprint.capacity import Line, lines
from hansang.blueprint.examples import with_examples
from hansang.blueprint.explorer.filling import Texts, fill
from hansang.blueprint.explorer.forms import Fault, FormField, error_fault, faults_of, form_field, model_field
from hansang.blueprint.samples import Samples, field_for
from hansang.design import Index, Query, Table
from hansang.design.query import Pattern, patterns
from hansang.design.shape import Shape
from hansang.errors import HansangError, InvalidInput, NotFound


@dataclass(frozen=True, slots=True)
class PatternQuestion:
    """One access pattern: whose it is, and what has to be filled in."""

    shape: Shape
    pattern: Pattern[Any, Any, Any]
    fields: tuple[FormField, ...]
    annotations: dict[str, Any]
    index: Index | None
    samples: Samples

    @property
    def label(self) -> str:
        return f"{self.shape.cls.__name__}.{self.pattern.label}"

    @property
    def table(self) -> type[Table]:
        return self.shape.table

    @property
    def meaning(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.pattern.function) or "").partition("\n")[0]

    def make(self, arguments: dict[str, Any]) -> Query[Any]:
        """The query with these arguments."""
        query: Query[Any] = getattr(self.shape.cls, self.pattern.label)(**arguments)
        return query


@dataclass(frozen=True, slots=True)
class FilledQuestion:
    """What filling in a question led to: a query, or what is wrong. A fault of the whole is under ""."""

    query: Query[Any] | None
    arguments: dict[str, Any]
    faults: dict[str, Fault]


@cache
def questions(tables: tuple[type[Table], ...]) -> tuple[PatternQuestion, ...]:
    """Every access pattern, in the order of the design."""
    design = with_examples(tables)
    indexes = {each.label: query.index for each, query in design.questions}
    return tuple(
        _question(shape, each, indexes, design.samples)
        for table in tables
        for shape in (*table.shapes, *table.views)
        for each in patterns(shape.cls)
    )


@cache
def expected_cost(tables: tuple[type[Table], ...], label: str) -> Line | None:
    """What a pattern costs by its design, for the usual number of answers."""
    return next((each for each in lines(with_examples(tables)) if each.name == label), None)


def question(tables: tuple[type[Table], ...], label: str) -> PatternQuestion:
    """The access pattern of this label, or NotFound."""
    known = questions(tables)
    for each in known:
        if each.label == label:
            return each
    raise NotFound(
        "Access pattern {label} not found. There are {known}.",
        code="surfaces.no-pattern",
        values={"label": label, "known": ", ".join(each.label for each in known)},
    )


def _question(
    shape: Shape, pattern: Pattern[Any, Any, Any], indexes: dict[str, Index | None], samples: Samples
) -> PatternQuestion:
    parameters = list(inspect.signature(pattern.function, eval_str=True).parameters.values())[1:]
    empty = inspect.Parameter.empty
    fields = [
        _like(
            shape,
            form_field(
                each.name, each.annotation, ... if each.default is empty else each.default, in_key=True
            ),
        )
        for each in parameters
    ]
    label = f"{shape.cls.__name__}.{pattern.label}"
    annotations = {each.name: each.annotation for each in parameters}
    return PatternQuestion(shape, pattern, tuple(fields), annotations, indexes.get(label), samples)


def _like(shape: Shape, argument: FormField) -> FormField:
    """An argument that is filled in as the field is that it is for."""
    name = field_for(shape, argument.name)
    if name is None:
        return argument
    found = model_field(shape.cls, name)
    if found.kind != argument.kind:
        return argument
    return replace(argument, widget=found.widget, example=found.example, references=found.references)


def ask(question: PatternQuestion, texts: Texts) -> FilledQuestion:
    """The query that the texts of a form make."""
    filled = fill(question.fields, texts)
    faults = dict(filled.faults)
    for name, value in filled.values.items():
        faults |= _refused(name, question.annotations[name], value)
    if faults:
        return FilledQuestion(None, filled.values, faults)
    try:
        return FilledQuestion(question.make(filled.values), filled.values, {})
    except InvalidInput as refusal:
        name = refused_argument(refusal, filled.values)
        return FilledQuestion(None, filled.values, {name: error_fault("refused", refusal)})
    except HansangError as refusal:
        return FilledQuestion(None, filled.values, {"": error_fault("key", refusal)})
    except ValueError as reason:
        return FilledQuestion(None, filled.values, {"": Fault("refused", detail=str(reason))})


def _refused(name: str, annotation: Any, value: Any) -> dict[str, Fault]:
    try:
        TypeAdapter(annotation).validate_python(value)
    except ValidationError as error:
        found = faults_of(_named(name, error), {})
        return {name: next(iter(found.values()))}
    return {}


def _named(name: str, error: ValidationError) -> ValidationError:
    """The same error as of a field with this name."""
    lines: list[Any] = [
        {
            "type": each["type"],
            "loc": (name, *each["loc"]),
            "input": each["input"],
            "ctx": each.get("ctx", {}),
        }
        for each in error.errors(include_url=False)
    ]
    return ValidationError.from_exception_data(error.title, lines)


def ranked_by(query: Query[Any]) -> str | None:
    """The field by which the whole of a partition is answered from the largest number to the smallest, if it is."""
    sort_key = query.keys[1]
    if query.forward or sort_key is None or query.sort is not None or len(query.shapes) != 1:
        return None
    shape = query.shapes[0]
    template = shape.template(sort_key)
    named = [slot.name for slot in shape.slots.values() if slot.attribute == sort_key]
    names = template.fields[:1] if template is not None else tuple(named)
    whole = (
        name
        for name in names
        if name in shape.slots and form_field(name, shape.slots[name].info.annotation).kind == "whole"
    )
    return next(whole, None)
