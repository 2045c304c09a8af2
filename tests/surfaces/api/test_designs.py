"""What an application has, told over HTTP."""

from __future__ import annotations

from pydantic import BaseModel

from hansang.apps.catalog import APPLICATIONS
from hansang.blueprint.examples import with_examples
from hansang.design.query import patterns
from hansang.parts.words import LANGUAGES
from hansang.surfaces.api.app import create_api
from hansang.surfaces.api.designs import questions, valid_example
from hansang.surfaces.api.meanings import Meanings, plain
from hansang.surfaces.shell import Shell
from hansang.surfaces.wording import Wording
from tests.surfaces.api.callers import Caller


def test_the_beginning_names_every_application(nobody: Caller) -> None:
    told = nobody.get("/api").json()
    assert [each["name"] for each in told["applications"]] == [each.name for each in APPLICATIONS]


def test_an_application_tells_its_tables_entities_views_and_patterns(reader: Caller) -> None:
    told = reader.get("/api/news").json()
    assert told["title"] == "News"
    assert told["tables"][0]["indexes"][0]["partition_key"] == "dt_utc"
    [item] = [each for each in told["entities"] if each["name"] == "NewsItem"]
    assert (item["key"], item["is_kept_for_ever"]) == (["pk"], True)
    assert item["address"] == "/api/news/entities/NewsItem"
    [row] = [each for each in told["views"] if each["name"] == "NewsRow"]
    assert row["address"] is None
    [pattern] = [each for each in told["patterns"] if each["name"] == "NewsRow.uploaded_on"]
    assert pattern["parameters"] == ["day"]
    assert pattern["index"] == "dt_utc-uploaded_at_utc_ms-index"


def test_every_address_that_an_application_names_is_there(reader: Caller) -> None:
    for application in APPLICATIONS:
        told = reader.get(f"/api/{application.name}").json()
        for each in (*told["entities"], *told["patterns"]):
            assert reader.get(each["address"]).status_code in (200, 404, 422), each["address"]
            assert reader.send("PATCH", each["address"]).status_code == 405


def test_a_second_server_makes_no_model_and_no_example_anew(standing_shell: Shell) -> None:
    first = create_api(standing_shell)
    before = models(BaseModel)
    second = create_api(standing_shell)
    assert models(BaseModel) == before
    assert first is not second
    for application in APPLICATIONS:
        design = with_examples(application.tables)
        for kind in application.entities.values():
            assert valid_example(design, kind) is valid_example(design, kind)


def models(kind: type[BaseModel]) -> set[type[BaseModel]]:
    """Every model that is derived from one."""
    found = {*kind.__subclasses__()}
    return found.union(*map(models, found))


def test_every_pattern_has_a_route() -> None:
    for application in APPLICATIONS:
        written = {
            f"{kind.__name__}.{each.label}"
            for kind in (*application.entities.values(), *application.views.values())
            for each in patterns(kind)
        }
        assert {asked.label for asked, _ in questions(with_examples(application.tables))} == written


def test_everything_of_every_design_has_a_meaning_in_both_languages() -> None:
    meanings = Meanings(Wording.load(APPLICATIONS))
    for application in APPLICATIONS:
        kinds = {**application.entities, **application.views}
        named = [*kinds.items()] + [
            (f"{name}.{each.label}", each.function) for name, kind in kinds.items() for each in patterns(kind)
        ]
        for name, documented in named:
            korean, english = (meanings.of(application.name, name, documented, each) for each in LANGUAGES)
            assert any("가" <= letter <= "힣" for letter in korean), f"{application.name}.{name}"
            assert english
            assert "(X" not in english


def test_clauses_are_no_part_of_a_meaning() -> None:
    def documented() -> None:
        """A picture with two buttons (X4-26)."""

    assert plain(documented) == "A picture with two buttons."
