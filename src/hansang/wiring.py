"""The one place that sees every floor and joins them, at start and never at import."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from socket import gethostname

from starlette.types import ASGIApp

from hansang.apps.application import Application
from hansang.apps.catalog import PLATFORM, chosen
from hansang.apps.platform.accounts import Accounts, accounts_of
from hansang.apps.platform.administration import Administration
from hansang.apps.samples import fill, is_empty
from hansang.apps.table_names import TableNames
from hansang.backends.base import Backend
from hansang.backends.embedded import Embedded
from hansang.backends.limits import Limited
from hansang.backends.urls import is_file, open_backend
from hansang.blueprint.table_status import expect_tables
from hansang.clock import Clock, system_clock
from hansang.design import Database, Table
from hansang.engine.sql.connections import MEMORY
from hansang.errors import AlreadyExists, DataError, DesignError, SettingsError, StoreError
from hansang.parts.account_changes import telling
from hansang.parts.aside import Aside, AsideThread, at_once
from hansang.parts.audit import AuditLog
from hansang.parts.backups.backups import Backups
from hansang.parts.backups.job import backup_job
from hansang.parts.backups.retention import Retention
from hansang.parts.backups.stores import open_store
from hansang.parts.editing import Editing
from hansang.parts.exports import Exports
from hansang.parts.history import History
from hansang.parts.jobs import Job, JobResult, JobRunner
from hansang.parts.journal import JobRun, Journal
from hansang.parts.key_file import vault_of
from hansang.parts.permissions import EVERYWHERE, Principal
from hansang.parts.platform import Platform, has_platform_indexes
from hansang.parts.processes import process_name
from hansang.parts.receipts import Receipts
from hansang.parts.sandbox import Sandbox
from hansang.parts.schedules import Schedule
from hansang.parts.secrets import secret
from hansang.parts.server_address import note_address
from hansang.parts.topics import Topics
from hansang.parts.usage import Usage
from hansang.parts.words import Words
from hansang.settings import ServerSettings
from hansang.surfaces.api.app import create_api
from hansang.surfaces.application_settings import copies_of, databases_of, notices, settings_of
from hansang.surfaces.console.app import create_console
from hansang.surfaces.http.frame import framed
from hansang.surfaces.server.serving import serve as serve_http
from hansang.surfaces.server.workers import Worker
from hansang.surfaces.shell import Shell

FIRST_OWNER = "owner"
"""The name of the person that is made at the first start."""
_SWEEP_SECONDS = 300
_JOBS_SECONDS = 5.0
"""How long jobs have when the server ends; one that is not done is run again when its lease is over."""
SERVER = Principal("server", "server", "server", frozenset({f"{EVERYWHERE}:admin"}))
"""As what the server itself makes that person."""


# ── the shell ─────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def open_shell(
    settings: ServerSettings,
    clock: Clock = system_clock,
    *,
    applications: tuple[Application, ...] | None = None,
    jobs: Iterable[Job] | None = None,
    server_start: str | None = None,
) -> Iterator[Shell]:
    """Backend, tables and parts, at work until the block ends; `server_start` is the same for all workers.

    Without `jobs` there are those of the applications and of the platform.
    Missing tables are created in a data file. On AWS that is the operator's to decide.
    """
    served = served_applications(settings) if applications is None else applications
    names = _names(settings, served)
    with open_backend(
        settings.data,
        durability=settings.durability,
        region=settings.region,
        sweeps=not (settings.jobs and jobs is None),  # Else a job does it, and people see that it ran.
        throttling=settings.throttling,
    ) as backend:
        if isinstance(backend, Embedded):
            Database(backend, names=names).create_tables(*names)
            _expect_own_platform(backend, names[Platform])
        notices(served, Database(backend, names=names))
        if isinstance(backend, Embedded):
            for each in _copies(served, names):
                Database(backend, names=each).create_tables(*each)
        # The file may be held by another process, and who only reads does not wait for that.
        with closing(AsideThread()) as thread:
            aside: Aside = thread if isinstance(backend, Embedded) else at_once
            shell = _shell(backend, settings, clock, served, jobs, server_start, aside)
            with _at_work(shell):
                yield shell


def _expect_own_platform(backend: Backend, name: str) -> None:
    """Refuse a table that somebody else has put in the place of the platform's."""
    described = backend.call("DescribeTable", {"TableName": name})
    if not has_platform_indexes(described["Table"]):
        raise SettingsError(
            f"The table {name} was not made by Hansang. Delete it, or give the platform's table another name: "
            f"--table-name {Platform.name}=NAME."
        )


def served_applications(settings: ServerSettings) -> tuple[Application, ...]:
    """The applications that the settings name, or all that there are."""
    return chosen(settings.apps)


@contextmanager
def _at_work(shell: Shell) -> Iterator[None]:
    shell.usage.start()
    if shell.settings.jobs:
        shell.jobs.start()
    try:
        yield
    finally:
        shell.jobs.stop(_JOBS_SECONDS)
        shell.topics.flush()
        shell.audit.flush()
        shell.usage.stop(forgets=shell.settings.data == MEMORY)
        shell.sandbox.close()


def _shell(
    backend: Backend,
    settings: ServerSettings,
    clock: Clock,
    applications: tuple[Application, ...],
    jobs: Iterable[Job] | None,
    server_start: str | None,
    aside: Aside,
) -> Shell:
    started_at, areas, names = clock(), _areas(applications), _names(settings, applications)
    plain = Database(backend, names=names)
    vault = vault_of(settings.data, settings.encryption_key, plain)
    signing = secret(plain, vault, "cursors")
    unobserved = Database(backend, names=names, secret=signing)
    start = server_start or f"{int(started_at * 1000):x}"
    usage = Usage(unobserved, clock, start, _areas([PLATFORM, *applications]))
    database = Database(Limited(backend), names=names, secret=signing, observer=usage.observe)
    history, topics = History(database, clock), Topics(database, clock)
    return Shell(
        settings=settings,
        clock=clock,
        database=database,
        applications=applications,
        platform=PLATFORM,
        identity=Accounts(
            database,
            clock,
            secret(unobserved, vault, "sessions"),
            aside=aside,
            told=telling(lambda: {each.name: each.on_account for each in applications}, database, clock),
        ),
        history=history,
        audit=AuditLog(database, clock),
        editing=Editing(
            database,
            history,
            areas=areas,
            rules={kind: rule for each in applications for kind, rule in each.writes.items()},
            checks={kind: check for each in applications for kind, check in each.checks.items()},
            undoing={
                each.name: each.undoing(database, clock, settings_of(each))
                for each in applications
                if each.undoing is not None
            },
        ),
        receipts=Receipts(database, clock, process=process_name()),
        usage=usage,
        jobs=JobRunner(
            Journal(database, clock, f"{gethostname()}:{os.getpid()}"),
            _jobs(backend, database, clock, applications, settings) if jobs is None else jobs,
            publish=topics.publish,
        ),
        exports=Exports(database, clock),
        topics=topics,
        sandbox=Sandbox(),
        started_at=started_at,
        chosen={each.name: settings_of(each) for each in applications if each.settings is not None},
        wal_bytes=backend.engine.store.wal_bytes if isinstance(backend, Embedded) else lambda: None,
    )


def _names(settings: ServerSettings, applications: Iterable[Application]) -> dict[type[Table], str]:
    """The platform's table and those of the applications, by the names that they have here."""
    tables = [table for each in (PLATFORM, *applications) for table in each.tables]
    return TableNames(settings.table_suffix or "", settings.table_names or {}).of(tables)


def _copies(
    applications: Iterable[Application], names: Mapping[type[Table], str]
) -> list[dict[type[Table], str]]:
    return [copy for each in applications for copy in copies_of(each, names)]


def _areas(applications: Iterable[Application]) -> dict[type[Table], str]:
    return {table: each.name for each in applications for table in each.tables}


def _jobs(
    backend: Backend,
    database: Database,
    clock: Clock,
    applications: Iterable[Application],
    settings: ServerSettings,
) -> list[Job]:
    """What the server does by itself."""
    found = [
        job
        for each in applications
        if each.jobs is not None
        for job in each.jobs(database, clock, settings_of(each))
    ]
    if not isinstance(backend, Embedded):
        return found
    return [*found, _sweep(backend), *_backup(settings, clock)]


def _backup(settings: ServerSettings, clock: Clock) -> Iterator[Job]:
    """The job that backs up the data file, where the settings say to where."""
    if settings.backup_to is None or not is_file(settings.data):
        return
    try:
        schedule = Schedule.parse(settings.backup_at)
    except DesignError as fault:
        raise SettingsError(f"HANSANG_BACKUP_AT: {fault}") from fault
    backups = Backups(Path(settings.data), open_store(settings.backup_to), clock)
    yield backup_job(backups, schedule, Retention.parse(settings.backup_keep))


def _sweep(backend: Embedded) -> Job:
    def sweep(run: JobRun) -> JobResult:
        deleted = backend.engine.sweep()
        return JobResult(f"{deleted:,} expired items", {"deleted": deleted})

    title = Words("만료된 아이템 삭제", "Delete what has expired")
    return Job(name="expiry-sweep", title=title, run=sweep, schedule=Schedule.every(_SWEEP_SECONDS))


# ── the server ────────────────────────────────────────────────────────────────────────────────────


def serve(settings: ServerSettings, *, demo: bool, announce: Callable[[str], object]) -> None:
    """Run the server until it is told to stop; `announce` is told where it is and how to sign in."""
    if settings.data == MEMORY:
        raise SettingsError(
            "A server needs a data file that lasts, such as --data hansang.db; :memory: does not."
        )
    if settings.backup_to is not None and not is_file(settings.data):
        raise SettingsError(
            f"HANSANG_BACKUP_TO is for a data file, and the data is in {settings.data}. Leave it out, and turn on "
            "point-in-time recovery for the tables."
        )
    _expect_tables(settings)
    link: str | None = None

    def prepare() -> None:
        nonlocal link
        link = _prepared(settings, demo=demo, announce=announce)

    def ready(url: str) -> None:
        base = (settings.public_url or url).rstrip("/")
        _note_address(settings, base)
        announce(f"Hansang is at {base}")
        announce(f"Sign in once with {base}{link}" if link else f"Sign in at {base}/sign-in")
        announce(f"API reference: {base}/api/docs")
        if settings.public_url is not None and not settings.trusted_proxies:
            announce(
                "Nobody's X-Forwarded-For is believed, so all who come through a proxy count as one address. "
                "Name the proxy: --trusted-proxy 127.0.0.1"
            )

    serve_http(settings, server_app, ready, prepare=prepare)


def _note_address(settings: ServerSettings, base: str) -> None:
    """Keep where the server is for commands on the same data; it serves without that too."""
    names = _names(settings, ())
    with (
        suppress(DataError, StoreError),
        open_backend(
            settings.data, durability=settings.durability, region=settings.region, sweeps=False
        ) as backend,
    ):
        note_address(Database(backend, names=names), system_clock, base)


@contextmanager
def server_app(settings: ServerSettings, worker: Worker) -> Iterator[ASGIApp]:
    """What one worker serves: the API and the console in their frame."""
    with open_shell(settings, server_start=worker.server) as shell, product(shell, worker) as app:
        yield app


@contextmanager
def product(shell: Shell, worker: Worker) -> Iterator[ASGIApp]:
    """The API and the console on a shell, in their frame."""
    app = create_api(shell)
    pages, error_page = create_console(shell)
    app.router.routes.extend(pages)
    with framed(app, shell, worker=str(worker.number), board=worker.board, error_page=error_page) as frame:
        yield frame


def _expect_tables(settings: ServerSettings) -> None:
    """Say which tables are missing where nobody creates them unasked."""
    served = served_applications(settings)
    designs, names = {each.name: each.tables for each in (PLATFORM, *served)}, _names(settings, served)
    with open_backend(settings.data, durability=settings.durability, region=settings.region) as backend:
        if isinstance(backend, Embedded):
            return
        expect_tables(Database(backend, names=names), designs, settings.data, settings.suffix_option)
        for each in served:
            for copy in copies_of(each, names):
                database = Database(backend, names=copy)
                expect_tables(database, {each.name: copy}, settings.data, settings.suffix_option)


def _prepared(settings: ServerSettings, *, demo: bool, announce: Callable[[str], object]) -> str | None:
    """Make what a first start needs; the path of a link that signs in once, if there is somebody to sign in."""
    with open_shell(replace(settings, jobs=False)) as shell:
        for notice in notices(shell.applications, shell.database):
            announce(notice)
        if demo:
            _fill(shell, announce)
        people = accounts_of(shell.identity).people
        administration = Administration(accounts_of(shell.identity), shell.history, shell.names, SERVER)
        if next(people.each(), None) is None:
            with suppress(AlreadyExists):  # Another one is being started on the same data.
                administration.create_person(FIRST_OWNER, "Owner", {EVERYWHERE: "owner"})
        owner = people.find(FIRST_OWNER)
        if owner is None or owner.disabled or not (demo or owner.password_hash is None):
            return None
        return f"/sign-in/link/{administration.new_link(FIRST_OWNER)}"


def _fill(shell: Shell, announce: Callable[[str], object]) -> None:
    now = datetime.fromtimestamp(shell.clock(), UTC)
    for each in shell.applications:
        settings = shell.chosen.get(each.name)
        databases = databases_of(each, shell.database, settings)
        empty = [database for database in databases if is_empty(database, each)]
        if empty:
            written = sum(fill(database, each, now, lambda _: None, settings) for database in empty)
            announce(f"{each.name}: {written:,} sample items")
