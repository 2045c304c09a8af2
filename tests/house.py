"""The rules of the house, as functions from one module's source to its faults.

A fault is a sentence: where, and what is wrong there. `docs/architecture.md` has the rules in prose.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

# From the ground up. Rooms in one set share a floor. An application has two: its core is called apps, and its
# api, console and cli are called faces.
FLOORS = (
    {"engine"},
    {"backends"},
    {"design", "blueprint"},
    {"parts"},
    {"apps"},
    {"surfaces"},
    {"faces"},
)
FACES = ("api", "console", "cli")
ROOMS = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
GROUND = {"", "errors", "clock"}  # "" is the package itself; everyone may import these
ABOVE_ALL = {"wiring", "endpoint", "testing", "__main__"}

PLATFORM_COMMANDS = "hansang.apps.platform.cli"
MAY_IMPORT_WIRING = (
    "hansang.surfaces.cli",
    "hansang.surfaces.aws_lambda",
    "hansang.__main__",
    "hansang.testing",
    PLATFORM_COMMANDS,
)
MAY_IMPORT_SETTINGS = (
    "hansang.surfaces",
    "hansang.wiring",
    "hansang.endpoint",
    "hansang.testing",
    "hansang.__main__",
    PLATFORM_COMMANDS,
)
SHARED_BY_APPLICATIONS = {"application", "catalog", "dotted", "samples", "table_names"}
"""What lies in `apps` beside the applications."""
READS_ENVIRONMENT = "hansang.settings"
READS_CLOCK = "hansang.clock"
SPEAKS_SQL = ("hansang.engine.sql",)

ENVIRONMENT = {"os.environ", "os.environb", "os.getenv", "os.getenvb"}
ENVIRONMENT_ARGUMENTS = {"envvar", "auto_envvar_prefix"}
WALL_CLOCK = {
    "time.time",
    "time.time_ns",
    "time.gmtime",
    "time.localtime",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "datetime.date.today",
}
ANY_CLOCK = WALL_CLOCK | {
    "time.monotonic",
    "time.monotonic_ns",
    "time.perf_counter",
    "time.perf_counter_ns",
    "uuid.uuid1",
    "hansang.clock.system_clock",
}
SQL = re.compile(
    r"""\s* (
      SELECT \s .+
    | INSERT \s+ (OR \s+ \w+ \s+)? INTO \s .+
    | REPLACE \s+ INTO \s .+
    | UPDATE \s+ \S+ \s+ SET \s .+
    | DELETE \s+ FROM \s .+
    | (CREATE | DROP | ALTER) \s+ ((UNIQUE | TEMP) \s+)? (TABLE | INDEX | VIEW | TRIGGER) \s .+
    | WITH \s+ \S+ \s+ AS \s* \( .+
    | PRAGMA \s+ \w+ .*
    | BEGIN (\s+ (IMMEDIATE | EXCLUSIVE | DEFERRED))?
    | COMMIT | ROLLBACK | SAVEPOINT \s .+ | VACUUM .*
    ) \s* ;? \s*""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True)
class Module:
    """One source file under its dotted name."""

    name: str
    source: str
    is_package: bool = False

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree; each rule walks over them."""
        return list(ast.walk(self.tree))

    @cached_property
    def names(self) -> dict[str, str]:
        """What each imported name of the file stands for: `{"now": "time.time"}`."""
        return dict(_bindings(self))

    @property
    def package(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @property
    def room(self) -> str:
        return room_of(self.name)

    def meaning(self, node: ast.AST) -> str:
        """The dotted name that an expression stands for, or an empty string."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, "")
        if isinstance(node, ast.Attribute) and (owner := self.meaning(node.value)):
            return f"{owner}.{node.attr}"
        return ""

    def fault(self, node: ast.AST, text: str) -> str:
        return f"{self.name}, line {getattr(node, 'lineno', 1)}: {text}"


def modules(source_folder: Path) -> list[Module]:
    """Every module below a source folder, such as `src`."""
    return [_module(path, source_folder) for path in sorted(source_folder.rglob("*.py"))]


def _module(path: Path, source_folder: Path) -> Module:
    parts = path.relative_to(source_folder).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    return Module(".".join(parts[:-1] if is_package else parts), path.read_text(encoding="utf-8"), is_package)


def room_of(name: str) -> str:
    """The first name below the package: `engine` for `hansang.engine.values`; what an application shows is a face."""
    names = f"{name}.....".split(".")
    return "faces" if names[1] == "apps" and names[3] in FACES else names[1]


def imports(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Every name that a module imports, wherever the import stands."""
    for node in module.nodes:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node, f"{_origin(module, node)}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _is_dynamic_import(module, node):
            yield from ((node, name) for argument in node.args[:1] if (name := _text(argument)))


def _bindings(module: Module) -> Iterator[tuple[str, str]]:
    for node in module.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (first, first)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{_origin(module, node)}.{alias.name}"


def _origin(module: Module, node: ast.ImportFrom) -> str:
    """The absolute module of a `from … import`, relative or not."""
    if not node.level:
        return node.module or ""
    package = module.package.split(".")
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


def _is_dynamic_import(module: Module, node: ast.Call) -> bool:
    called = module.meaning(node.func)
    plain = isinstance(node.func, ast.Name) and node.func.id == "__import__"
    return plain or called == "importlib.import_module"


def _text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def floor_faults(module: Module) -> Iterator[str]:
    """A floor imports what lies below it or beside it, never what lies above."""
    for node, name in imports(module):
        if name.partition(".")[0] == "hansang" and (reason := _refusal(module, name)):
            yield module.fault(node, reason)


def _refusal(module: Module, imported: str) -> str:
    room = room_of(imported)
    if room in ("wiring", "endpoint"):
        return (
            ""
            if _within(module.name, MAY_IMPORT_WIRING)
            else "only the command line imports what joins the floors"
        )
    if room == "settings":
        return "" if _within(module.name, MAY_IMPORT_SETTINGS) else "settings arrive here as arguments"
    if room not in ROOMS or module.room in ABOVE_ALL:
        return ""
    if room == "faces" and module.room == "faces":
        return ""  # `neighbour_faults` looks at these.
    if module.room not in ROOMS or ROOMS[room] > ROOMS[module.room]:
        return f"{module.room or 'the package itself'} must not import {imported}, which lies above it"
    return ""


def _within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def room_faults(module: Module) -> Iterator[str]:
    """Every module stands in a room that the house knows."""
    known = {*ROOMS, *GROUND, *ABOVE_ALL, "settings"}
    if module.room not in known:
        yield module.fault(module.tree, f"the house has no room called {module.room}")


def neighbour_faults(module: Module) -> Iterator[str]:
    """An application never imports another one, none of its faces another face, and no surface an application."""
    for node, name in imports(module):
        mine, other = f"{module.name}....".split("."), f"{name}....".split(".")
        if other[:2] != ["hansang", "apps"] or other[2] in {"", *SHARED_BY_APPLICATIONS}:
            continue
        if module.room == "surfaces":
            yield module.fault(node, f"a surface must not import {name}: it knows no application by name")
        elif mine[1] == "apps" and mine[2] not in {"", "catalog", other[2]}:
            yield module.fault(node, f"an application must not import {name}, another application")
        elif module.room == "faces" and room_of(name) == "faces" and mine[3] != other[3]:
            yield module.fault(node, f"{mine[3]} must not import {name}: what both do is a verb of the core")


def surface_faults(module: Module) -> Iterator[str]:
    """API, console and command line never import each other."""
    for node, name in imports(module):
        mine, other = f"{module.name}....".split("."), f"{name}....".split(".")
        face = mine[2] if mine[1] == "surfaces" else mine[3]
        if face in FACES and other[1] == "surfaces" and other[2] in FACES and face != other[2]:
            yield module.fault(node, f"{face} must not import {name}")


def environment_faults(module: Module) -> Iterator[str]:
    """Only the settings read the environment."""
    if module.name == READS_ENVIRONMENT:
        return
    for node in _mentions(module, ENVIRONMENT):
        yield module.fault(node, "only settings.py reads the environment")
    for node in module.nodes:
        if isinstance(node, ast.keyword) and node.arg in ENVIRONMENT_ARGUMENTS:
            yield module.fault(node, f"{node.arg} reads the environment, which only settings.py does")


def clock_faults(module: Module) -> Iterator[str]:
    """Only clock.py names the system's clock; everyone else is handed a clock."""
    if module.name != READS_CLOCK:
        for node in _mentions(module, WALL_CLOCK):
            yield module.fault(node, "the time arrives as a clock argument; only clock.py reads the system's")


def _mentions(module: Module, names: set[str]) -> Iterator[ast.AST]:
    for node in module.nodes:
        if module.meaning(node) in names:
            yield node
        elif isinstance(node, ast.ImportFrom):
            yield from (node for alias in node.names if f"{_origin(module, node)}.{alias.name}" in names)


def import_time_faults(module: Module) -> Iterator[str]:
    """Importing a module reads neither a clock nor the environment."""
    for node in _run_at_import(module.tree):
        if isinstance(node, ast.Call) and module.meaning(node.func) in ANY_CLOCK:
            yield module.fault(node, "a clock is read at import")
        if module.meaning(node) in ENVIRONMENT:
            yield module.fault(node, "the environment is read at import")


def _run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported: all but the insides of functions."""
    yield node
    for child in _import_time_children(node):
        yield from _run_at_import(child)


def _import_time_children(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*node.decorator_list, node.args]
    if isinstance(node, ast.Lambda):
        return [node.args]
    if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
        return list(node.orelse)
    return list(ast.iter_child_nodes(node))


def sql_faults(module: Module) -> Iterator[str]:
    """Only engine/sql speaks SQL."""
    if _within(module.name, SPEAKS_SQL):
        return
    for node, name in imports(module):
        if name.partition(".")[0] in {"sqlite3", "_sqlite3"}:
            yield module.fault(node, "only engine/sql imports sqlite3")
    for node, text in _texts(module.nodes):
        if SQL.fullmatch(text):
            yield module.fault(node, f"only engine/sql speaks SQL: {text.strip()[:40]!r}")


def _texts(nodes: list[ast.AST]) -> Iterator[tuple[ast.AST, str]]:
    """Every text in the code, f-strings with a placeholder for each value, without docstrings."""
    apart = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            apart |= {id(part) for part in node.values}
            yield node, "".join(_text(part) or "?" for part in node.values)
        elif id(node) not in apart and (text := _text(node)):
            yield node, text


RULES: tuple[Callable[[Module], Iterator[str]], ...] = (
    room_faults,
    floor_faults,
    neighbour_faults,
    surface_faults,
    environment_faults,
    clock_faults,
    import_time_faults,
    sql_faults,
)


def repeated_classes(found: list[Module]) -> dict[str, list[str]]:
    """The class names that are defined more than once, private ones too, and the modules that do."""
    defined: dict[str, list[str]] = {}
    for module in found:
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                defined.setdefault(node.name, []).append(module.name)
    return {name: owners for name, owners in defined.items() if len(owners) > 1}


def faults(module: Module) -> list[str]:
    """Everything that one module does against the rules of the house."""
    return [fault for rule in RULES for fault in rule(module)]
