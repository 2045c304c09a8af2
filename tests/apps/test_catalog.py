"""Which applications there are: ours, and whatever somebody names."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.responses import Response

from hansang.apps import catalog
from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS, application, chosen, plugged, unfailing
from hansang.apps.table_names import TableNames
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.errors import DesignError, NotFound, SettingsError
from hansang.parts.jobs import Job, JobRunner
from hansang.parts.journal import Journal
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import Pages, Plugged
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute
from tests.blueprint.designs import Faulty, Shop
from tests.surfaces.shops import APPLICATION

DESIGN = '''"""A kiosk and its newspapers."""

from hansang.design import Entity, Key, Table


class Kiosk(Table, name="Kiosk"):
    """What a kiosk sells."""


class PaperKey(Key["Paper"], pk="PAPER#{title}", sk="METADATA"):
    title: str


class Paper(PaperKey, Entity, table=Kiosk):
    price: int
'''


@pytest.fixture
def kiosk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a package that has a design and no descriptor."""
    name = f"kiosk_{tmp_path.name[-1]}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / name / "design.py").write_text(DESIGN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_a_module_of_tables_is_an_application(kiosk: str) -> None:
    for reference in (kiosk, f"{kiosk}.design", f"{kiosk}.design:Kiosk"):
        found = plugged(reference)
        assert found.name == kiosk
        assert [table.name for table in found.tables] == ["Kiosk"]
        assert found.summary.en == "A kiosk and its newspapers."


def test_a_descriptor_is_taken_as_it_is() -> None:
    assert plugged("tests.surfaces.shops:APPLICATION") is APPLICATION
    assert plugged("tests.surfaces.shops") is APPLICATION
    assert application("news") in APPLICATIONS


@pytest.mark.parametrize(
    ("reference", "error", "words"),
    [
        ("nothing.here:APPLICATION", NotFound, "Module nothing.here not found"),
        ("tests.surfaces.shops:Nothing", SettingsError, "no application and no table Nothing"),
        ("hansang.errors", SettingsError, "no APPLICATION and no tables"),
        ("gone", NotFound, "Application gone not found"),
    ],
)
def test_what_is_none_is_refused(reference: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        application(reference)


@pytest.mark.parametrize("name", ["admin", "platform", "data"])
def test_a_name_of_the_kit_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.surfaces.shops.APPLICATION", replace(APPLICATION, name=name))
    with pytest.raises(DesignError, match=f"cannot be called {name}"):
        plugged("tests.surfaces.shops:APPLICATION")


@pytest.mark.parametrize("name", ["Shop", "a b", "", "x" * 41])
def test_a_name_that_cannot_stand_in_an_address_is_refused(name: str) -> None:
    with pytest.raises(DesignError, match="not a valid name of an application"):
        replace(APPLICATION, name=name)


def test_two_of_one_name_or_one_table_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(APPLICATION, name="other")
    monkeypatch.setattr(catalog, "_applications", lambda: (APPLICATION, other))
    with pytest.raises(DesignError, match="shop and other both have a table Shop"):
        chosen(())
    monkeypatch.setattr(catalog, "_applications", lambda: (APPLICATION, replace(APPLICATION, tables=())))
    with pytest.raises(DesignError, match="Two applications are called shop"):
        chosen(())


def test_one_that_cannot_be_imported_is_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_kiosk.py").write_text("1 / 0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    warned: list[str] = []
    assert unfailing(["broken_kiosk:X", "news"], warned.append) == []
    assert "broken_kiosk cannot be imported: ZeroDivisionError" in warned[0]


@pytest.mark.parametrize("text", ["raise SystemExit(3)", "import nothing_of_the_kind"])
def test_a_module_that_ends_the_program_or_lacks_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    name = f"ending_{len(text)}"
    (tmp_path / f"{name}.py").write_text(f"{text}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DesignError, match=f"{name} cannot be imported"):
        application(f"{name}:APPLICATION")


def test_an_icon_that_is_not_there_is_refused() -> None:
    with pytest.raises(DesignError, match="the icon bananas, which lucide does not have"):
        Plugged([replace(APPLICATION, icon="bananas")])


def test_two_jobs_of_one_name_are_refused() -> None:
    job = Job(name="count", title=Words("세기", "Count"), run=lambda run: "", schedule=Schedule.every(60))
    with Embedded.open(":memory:") as backend, pytest.raises(DesignError, match="Two jobs are called count"):
        JobRunner(Journal(Database(backend), lambda: 0.0, "x"), [job, replace(job)])


def test_two_entities_of_one_name_are_refused() -> None:
    with pytest.raises(DesignError, match="two entities called Customer, Order"):
        replace(APPLICATION, tables=(Shop, Shop))


def test_pages_lie_below_the_name_of_their_application(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_page(path: str) -> Application:
        monkeypatch.setattr(
            "tests.surfaces.shops.PAGES", Pages((PageRoute(path, _page, SIGNED_IN),)), raising=False
        )
        return replace(APPLICATION, pages="tests.surfaces.shops:PAGES")

    assert Plugged([with_page("/shop/orders")]).pages.keys() == {"shop"}
    for path in ("/", "/admin", "/shopping"):
        with pytest.raises(DesignError, match="have to lie below /shop"):
            Plugged([with_page(path)])


def _page(visit: Visit) -> Response:
    return visit.go("/shop")


def test_a_part_that_is_not_there_is_said_with_its_application() -> None:
    with pytest.raises(DesignError, match="The application shop has its pages at nothing:PAGES"):
        Plugged([replace(APPLICATION, pages="nothing:PAGES")])


def test_tables_have_a_suffix_or_a_name_of_their_own() -> None:
    assert TableNames("-dev").of([Shop]) == {Shop: "Shop-dev"}
    assert TableNames("-dev", {"Shop": "kiosk"}).of([Shop]) == {Shop: "kiosk"}
    with pytest.raises(SettingsError, match="would both be called kiosk"):
        TableNames("", {"Shop": "kiosk", "Faulty": "kiosk"}).of([Shop, Faulty])


def test_a_review_of_a_design_imports_no_web_framework() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from hansang.surfaces.cli.main import app;"
        "done = CliRunner().invoke(app, ['tables', 'lint', 'news']);"
        "print(done.exit_code, sorted({'fastapi', 'starlette', 'jinja2', 'boto3'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0 []\n"
