"""The floors of the house hold: nothing imports upward, and each rule of it can fail."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house import Module, faults, modules, repeated_classes

SOURCE = Path(__file__).parent.parent / "src"
MODULES = modules(SOURCE)


def test_every_module_keeps_the_rules_of_the_house() -> None:
    assert [fault for module in MODULES for fault in faults(module)] == []


def test_every_module_opens_with_a_docstring() -> None:
    assert [module.name for module in MODULES if not ast.get_docstring(module.tree)] == []


def test_the_walk_finds_the_whole_package() -> None:
    names = {module.name for module in MODULES}
    assert {"hansang", "hansang.errors", "hansang.clock", "hansang.engine"} <= names
    assert len(names) == len(list(SOURCE.rglob("*.py")))


def test_a_folder_is_read_as_the_package_it_is(tmp_path: Path) -> None:
    (tmp_path / "hansang" / "engine").mkdir(parents=True)
    (tmp_path / "hansang" / "engine" / "__init__.py").write_text("from ..surfaces import wire\n")
    [module] = modules(tmp_path)
    assert (module.name, module.is_package) == ("hansang.engine", True)
    assert len(faults(module)) == 1


def test_a_class_name_is_defined_once() -> None:
    assert repeated_classes(MODULES) == {}


def test_two_classes_of_one_name_are_found_private_ones_too() -> None:
    one = Module("hansang.engine.one", "class Wish: ...\nclass _Wish: ...\nclass Alone: ...")
    other = Module("hansang.engine.other", "def make():\n    class Wish: ...\nclass _Wish: ...")
    assert repeated_classes([one, other]) == {
        "Wish": ["hansang.engine.one", "hansang.engine.other"],
        "_Wish": ["hansang.engine.one", "hansang.engine.other"],
    }


UPWARD = [
    ("hansang.engine.values", "import hansang.backends.embedded"),
    ("hansang.engine.values", "from hansang.surfaces import wire"),
    ("hansang.engine.values", "from hansang import surfaces"),
    ("hansang.engine.values", "from ..surfaces.wire import serve"),
    ("hansang.engine.values", "from .. import backends"),
    ("hansang.engine.operations.query", "from ...design import keys"),
    ("hansang.engine.values", "def late():\n    from hansang.design import keys"),
    ("hansang.engine.values", "import importlib\nimportlib.import_module('hansang.apps.news')"),
    ("hansang.engine.values", "__import__('hansang.apps.news')"),
    ("hansang.engine.values", "from hansang.wiring import build"),
    ("hansang.engine.values", "from hansang.settings import Settings"),
    ("hansang.backends.embedded", "from hansang.design.table import Table"),
    ("hansang.design.table", "from hansang.parts import outbox"),
    ("hansang.blueprint.lint", "from hansang.apps.news import design"),
    ("hansang.parts.outbox", "from hansang.apps.news.service import News"),
    ("hansang.apps.news.service", "from hansang.surfaces.api import app"),
    ("hansang.surfaces.wire", "from hansang.wiring import build"),
    ("hansang.errors", "from hansang.engine import Engine"),
    ("hansang.clock", "from hansang.engine import Engine"),
    ("hansang.settings", "from hansang.engine import Engine"),
    ("hansang", "from hansang.engine import Engine"),
]


@pytest.mark.parametrize(("name", "source"), UPWARD)
def test_an_import_upward_is_a_fault(name: str, source: str) -> None:
    assert len(faults(Module(name, source))) == 1


DOWNWARD = [
    ("hansang.engine.values", "from hansang.errors import WireError"),
    ("hansang.engine.values", "from hansang import __version__"),
    ("hansang.engine.values", "from .numbers import normal_form"),
    ("hansang.backends.embedded", "from hansang.engine import Engine"),
    ("hansang.design.database", "from hansang.backends.base import Backend"),
    ("hansang.blueprint.lint", "from hansang.design.table import Table"),
    ("hansang.parts.outbox", "from hansang.clock import Clock"),
    ("hansang.apps.news.service", "from hansang.apps.news.rules import hashed"),
    ("hansang.apps", "from hansang.apps.news import service"),
    ("hansang.apps.catalog", "from hansang.apps.news.application import APPLICATION"),
    ("hansang.apps.news.application", "from hansang.apps.application import Application"),
    ("hansang.surfaces.wire", "from hansang.backends.base import Backend"),
    ("hansang.surfaces.cli.main", "from hansang.wiring import build"),
    ("hansang.surfaces.cli.main", "from hansang.settings import Settings"),
    ("hansang.wiring", "from hansang import apps, backends, engine, settings, surfaces"),
    ("hansang.engine.values", "import surfaces.hansang"),
]


@pytest.mark.parametrize(("name", "source"), DOWNWARD)
def test_an_import_downward_is_none(name: str, source: str) -> None:
    assert faults(Module(name, source)) == []


@pytest.mark.parametrize("source", ["from hansang.apps.assets import rules", "from ..assets import rules"])
def test_an_application_that_imports_another_is_a_fault(source: str) -> None:
    assert len(faults(Module("hansang.apps.news.service", source))) == 1


def test_a_room_that_the_house_does_not_have_is_a_fault() -> None:
    assert faults(Module("hansang.utils", "")) == [
        "hansang.utils, line 1: the house has no room called utils"
    ]


ENVIRONMENT = [
    "import os\ndef late(): return os.environ['HOME']",
    "import os\ndef late(): return os.getenv('HOME')",
    "import os as system\ndef late(): return system.environ",
    "from os import environ",
    "from os import getenv as setting",
    "import typer\ndef late(): return typer.Option('', envvar='HOME')",
]


@pytest.mark.parametrize("source", ENVIRONMENT)
def test_reading_the_environment_is_a_fault(source: str) -> None:
    assert faults(Module("hansang.surfaces.wire", source)) != []
    assert faults(Module("hansang.settings", source)) == []


def test_the_settings_read_the_environment_when_asked_and_not_at_import() -> None:
    assert faults(Module("hansang.settings", "import os\nHOME = os.environ['HOME']")) != []


WALL_CLOCK = [
    "import time\ndef late(): return time.time()",
    "import time\ndef late(clock=time.time): return clock()",
    "from time import time_ns",
    "from datetime import datetime\ndef late(): return datetime.now()",
    "import datetime as dt\ndef late(): return dt.date.today()",
]


@pytest.mark.parametrize("source", WALL_CLOCK)
def test_reading_the_system_clock_is_a_fault(source: str) -> None:
    assert faults(Module("hansang.engine.ttl", source)) != []
    assert faults(Module("hansang.clock", source)) == []


IMPORT_TIME_CLOCK = [
    "import time\nSTART = time.monotonic()",
    "from time import perf_counter\nclass Timer:\n    start = perf_counter()",
    "from hansang.clock import system_clock\ndef late(now=system_clock()): return now",
    "from hansang.clock import system_clock\n@memoize(system_clock())\ndef late(): ...",
    "from hansang.clock import system_clock\nNOW = [system_clock() for _ in range(2)]",
    "from hansang.clock import system_clock\nlate = lambda now=system_clock(): now",
]


@pytest.mark.parametrize("source", IMPORT_TIME_CLOCK)
def test_reading_any_clock_at_import_is_a_fault(source: str) -> None:
    assert len(faults(Module("hansang.engine.ttl", source))) == 1


LATE_CLOCK = [
    "import time\ndef late(): return time.monotonic()",
    "from hansang.clock import system_clock\nlate = lambda: system_clock()",
    "from hansang.clock import system_clock\ndef late(clock=system_clock): return clock()",
    "import time\nif __name__ == '__main__':\n    time.monotonic()",
]


@pytest.mark.parametrize("source", LATE_CLOCK)
def test_reading_a_clock_when_called_is_none(source: str) -> None:
    assert faults(Module("hansang.engine.ttl", source)) == []


SQL = [
    "import sqlite3",
    "from sqlite3 import connect",
    "run('SELECT value FROM items')",
    "run(f'SELECT value FROM {table} WHERE key = ?')",
    "run('''\n    INSERT OR REPLACE INTO items\n    VALUES (?, ?)\n''')",
    "run('UPDATE items SET value = ?')",
    "run('DELETE FROM items')",
    "run('CREATE TABLE items (key BLOB PRIMARY KEY) WITHOUT ROWID')",
    "run('PRAGMA journal_mode = WAL')",
    "run('BEGIN IMMEDIATE')",
    "run('COMMIT')",
]


@pytest.mark.parametrize("source", SQL)
def test_sql_outside_its_room_is_a_fault(source: str) -> None:
    assert len(faults(Module("hansang.engine.indexes", source))) == 1
    assert faults(Module("hansang.engine.sql.reader", source)) == []


NO_SQL = [
    '"""SELECT is what only engine/sql says."""',
    "update = 'SET #a = :a REMOVE #b'",
    "message = 'Select type ALL_ATTRIBUTES is not supported'",
    "kinds = ('UPDATE', 'DELETE', 'INSERT', 'SELECT')",
]


@pytest.mark.parametrize("source", NO_SQL)
def test_a_text_that_only_looks_like_sql_is_none(source: str) -> None:
    assert faults(Module("hansang.engine.indexes", source)) == []
