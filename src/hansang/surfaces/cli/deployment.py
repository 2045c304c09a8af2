"""What calls the function of some applications, as a template needs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, cast

from hansang.apps.application import Application
from hansang.backends.embedded import Embedded
from hansang.blueprint.events import EventSources, MetricAlarm, Timer
from hansang.clock import system_clock
from hansang.design import Database
from hansang.parts.jobs import Job
from hansang.settings import said_of, setting_name
from hansang.surfaces.application_settings import settings_of


def event_sources(applications: Iterable[Application]) -> EventSources:
    """The jobs of applications with their schedules, the folders that they take objects from, their alarms."""
    served = list(applications)
    return EventSources(
        timers=tuple(timer for job in _jobs(served) for timer in _timers(job)),
        folders=tuple(each.name for each in served if each.on_object is not None),
        alarms=tuple(
            MetricAlarm(each.name, alarm.count, alarm.about) for each in served for alarm in each.alarms
        ),
    )


def given_settings(applications: Iterable[Application]) -> dict[str, str]:
    """What the environment says of the applications' own settings, for the function's environment; no secrets."""
    served = [each for each in applications if each.settings is not None]
    secret = {
        setting_name(each.name, one.name)
        for each in served
        for one in fields(cast(Any, each.settings))
        if not one.repr
    }
    said = (said_of(each.name, each.settings) for each in served if each.settings is not None)
    return {name: text for one in said for name, text in one.items() if name not in secret}


def _jobs(applications: Iterable[Application]) -> list[Job]:
    """The jobs, to be told of and not to be run: their database is empty."""
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        return [
            job
            for each in applications
            if each.jobs is not None
            for job in each.jobs(database, system_clock, settings_of(each))
        ]


def _timers(job: Job) -> Iterator[Timer]:
    for number, expression in enumerate(job.schedule.expressions, 1):
        yield Timer(job.name, expression, job.schedule.zone, number)
