"""What calls the function of some applications: that a template and the function speak of the same things."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from datetime import time

import pytest

from hansang import wiring
from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS, application
from hansang.blueprint.template import api_function, as_data
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.jobs import Job
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words
from hansang.surfaces.aws_lambda import Gateway
from hansang.surfaces.cli.deployment import event_sources
from tests.surfaces.test_aws_jobs import CONTEXT, SETTINGS, emitted

QUIET = replace(application("codex"), jobs=None)
"""An application that has nothing to do by itself."""


def test_the_jobs_of_news_are_timed_and_its_folder_is_taken() -> None:
    found = event_sources([application("news"), QUIET])
    assert [(each.job, each.expression, each.zone) for each in found.timers] == [
        ("news-check", "cron(10 0 * * ? *)", "UTC"),
        ("news-mend", "cron(20 0 * * ? *)", "UTC"),
        ("news-load", "rate(5 minutes)", "Asia/Seoul"),
    ]
    assert found.folders == ("news",)
    assert {each.metric for each in found.alarms} >= {"collisions", "drift"}


def test_applications_without_jobs_and_folders_are_not_called() -> None:
    assert not event_sources([QUIET])


def test_a_schedule_of_two_expressions_has_two_timers() -> None:
    def jobs(database: Database, clock: Clock, settings: None) -> tuple[Job, ...]:
        monthly = Schedule.monthly(30, time(9))
        return (Job(name="bill", title=Words("청구", "Bill"), run=lambda run: "ok", schedule=monthly),)

    billing: Application = replace(application("codex"), jobs=jobs)
    assert [each.logical for each in event_sources([billing]).timers] == ["JobBill", "JobBillPart2"]


def test_every_timer_of_the_template_runs_its_job_in_the_function(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sources = event_sources(wiring.served_applications(SETTINGS))
    resources = as_data([], api_function(["news"], ".", events=sources))["Resources"]
    inputs = [
        each["Properties"]["Target"]["Input"]
        for each in resources.values()
        if each["Type"] == "AWS::Scheduler::Schedule"
    ]
    assert len(inputs) == len(sources.timers)
    with closing(Gateway(SETTINGS)) as gateway:
        for text in inputs:
            asked = json.loads(text.replace("<aws.scheduler.scheduled-time>", "2026-11-16T00:20:00Z"))
            assert gateway(asked, CONTEXT)["state"] == "done"
    told = {name for line in emitted(capsys) for name in line}
    assert {"collisions", "drift"} <= told


def test_the_names_of_jobs_are_unique_over_all_applications() -> None:
    names = [each.logical for each in event_sources(APPLICATIONS).timers]
    assert len(set(names)) == len(names)
