"""Fields speak to people: every one has a name and a help text in both languages, beside its design."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from hansang.apps.application import Application
from hansang.apps.assets.design import Income
from hansang.apps.catalog import APPLICATIONS, PLATFORM
from hansang.blueprint.samples import bare
from hansang.design.query import patterns
from hansang.parts.words import LANGUAGES
from hansang.surfaces.labels import Labels, model_in
from hansang.surfaces.wording import Wording

PLUGGED = (PLATFORM, *APPLICATIONS)
WORDING = Wording.load(PLUGGED)
every_application = pytest.mark.parametrize("application", PLUGGED, ids=lambda each: each.name)


def kinds(application: Application) -> dict[str, type[Any]]:
    """The entities and views of an application, and the models that are parts of them."""
    found: dict[str, type[Any]] = {**application.entities, **application.views}
    for kind in list(found.values()):
        inner = (model_in(info.annotation) for info in kind.model_fields.values())
        found |= {each.__name__: each for each in inner if each is not None}
    return found


def named(application: Application) -> Iterator[tuple[str, str, Any]]:
    """Every field and every argument of a pattern: its kind, its name and its type."""
    for name, kind in kinds(application).items():
        yield from ((name, field, info.annotation) for field, info in kind.model_fields.items())
        yield from ((name, field, None) for field in getattr(kind.__dict__.get("__shape__"), "derived", ()))
        for each in patterns(kind):
            parameters = list(inspect.signature(each.function).parameters)[1:]
            yield from ((name, parameter, None) for parameter in parameters)


def choices(annotation: Any) -> list[str]:
    kind = bare(annotation)
    if get_origin(kind) is Literal:
        return [str(each) for each in get_args(kind)]
    return (
        [str(each.value) for each in kind] if isinstance(kind, type) and issubclass(kind, enum.Enum) else []
    )


def found(area: str, sort: str, kind: str, name: str) -> bool:
    return any(key in WORDING.entries for key in (f"{area}.{sort}.{kind}.{name}", f"{area}.{sort}.{name}"))


@every_application
def test_every_field_and_argument_has_a_name_and_a_help_text(application: Application) -> None:
    assert [
        f"{kind}.{name}.{part}"
        for kind, name, _ in named(application)
        for part in ("name", "help")
        if not found(application.name, "field", kind, f"{name}.{part}")
    ] == []


@every_application
def test_every_kind_and_every_choice_has_a_name(application: Application) -> None:
    area = application.name
    assert [name for name in kinds(application) if f"{area}.kind.{name}" not in WORDING.entries] == []
    assert [
        f"{kind}.{name}.{each}"
        for kind, name, annotation in named(application)
        for each in choices(annotation)
        if not found(area, "choice", kind, f"{name}.{each}")
    ] == []


@every_application
def test_no_word_is_of_a_field_that_is_not_there(application: Application) -> None:
    names = {(kind, name) for kind, name, _ in named(application)}
    known = {f"{kind}.{name}" for kind, name in names} | {name for _, name in names}
    begin = f"{application.name}.field."
    said = {key.removeprefix(begin).rpartition(".")[0] for key in WORDING.entries if key.startswith(begin)}
    assert said - known == set()


def test_a_help_text_is_a_sentence_and_no_name_of_an_attribute() -> None:
    helps = [entry for key, entry in WORDING.entries.items() if key.endswith(".help") and ".field." in key]
    assert helps
    assert [each for each in helps if not (each.ko.endswith(".") and each.en.endswith("."))] == []
    assert [each for each in helps if "_" in each.en or "_" in each.ko] == []


def test_a_field_of_one_kind_comes_before_what_all_have_in_common() -> None:
    labels = Labels(WORDING, "codex", "en")
    assert labels.field("ContactInquiry", "title") == "Position"
    assert labels.field("Post", "title") == "Title"
    assert labels.choice("ContactInquiry", "status", "in_progress") == "In progress"


def test_what_has_no_words_is_called_by_its_name_in_the_design() -> None:
    labels = Labels(WORDING, "shop", "ko")
    assert (labels.kind("Order"), labels.field("Order", "unit_price")) == ("Order", "Unit price")
    assert (labels.field("Order", "author_id"), labels.field("Order", "url")) == ("Author ID", "URL")
    assert (labels.help("Order", "unit_price"), labels.choice("Order", "state", "new")) == ("", "new")


def test_what_stands_in_addresses_is_called_as_people_call_it() -> None:
    korean, english = Labels(WORDING, "assets", "ko"), Labels(WORDING, "assets", "en")
    assert [korean.field("", name) for name in ("ym", "id")] == ["월", "번호"]
    assert [english.field("", name) for name in ("ym", "id")] == ["Month", "ID"]
    names = [entry.en for key, entry in WORDING.entries.items() if ".field." in key and key.endswith(".name")]
    assert [each for each in names if each in ("Id", "Ym")] == []


@pytest.mark.parametrize(
    ("language", "place"), [("ko", "결제 내역 1번째 줄 일자"), ("en", "Date, row 1, Payments")]
)
def test_a_place_inside_of_a_value_is_named_by_labels(language: Literal["ko", "en"], place: str) -> None:
    assert Labels(WORDING, "assets", language).place("Income", Income, ["entries", 0, "date"]) == place


class Line(BaseModel):
    """A part of an order."""

    count: int


def test_a_model_is_found_in_lists_and_optional_values() -> None:
    assert model_in(list[Line] | None) is Line
    assert model_in(dict[str, int]) is None
    assert set(LANGUAGES) == {"ko", "en"}
