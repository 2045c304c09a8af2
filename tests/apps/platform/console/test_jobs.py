"""Jobs on the pages."""

from __future__ import annotations

import time
from dataclasses import replace

from hansang.parts.jobs import tell_progress
from hansang.parts.journal import JobRun
from hansang.parts.words import Words
from hansang.surfaces.shell import Shell
from tests.surfaces.console.browsers import Page
from tests.surfaces.console.conftest import Visitor


def test_jobs_say_how_they_stand(visitor: Visitor, shell: Shell) -> None:
    shell.jobs.run_now("count")
    shell.jobs.run_now("fail")
    page = visitor("owner", "en").get("/admin/jobs")
    assert "Count count every hour Done just now" in page.shown
    assert "Fail fail daily at 00:05 (Asia/Seoul) Failed just now" in page.shown


def test_a_job_that_never_ran_says_so(visitor: Visitor) -> None:
    browser = visitor("owner", "en")
    assert "Not run yet" in browser.get("/admin/jobs").shown
    assert "The job has not run yet" in browser.get("/admin/jobs/count").shown


def test_the_runs_of_a_job_show_results_and_errors(visitor: Visitor, shell: Shell) -> None:
    shell.jobs.run_now("count")
    shell.jobs.run_now("fail")
    browser = visitor("viewer", "en")
    assert "3 things counted" in browser.get("/admin/jobs/count").shown
    assert "ValueError: nothing to count" in browser.get("/admin/jobs/fail").shown


def test_a_job_is_run_now(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("editor", "en")
    browser.get("/admin/jobs")
    assert browser.send("/admin/jobs/count/run").location == "/admin/jobs/count"
    assert "The job has started" in browser.follow().shown
    assert_done(shell)
    (change,) = shell.history.page("platform")
    assert (change.verb, change.subject, change.actor_name) == ("run", "count", "editor")


def assert_done(shell: Shell) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        run = next(iter(shell.jobs.runs("count")), None)
        if run is not None and run.state == "done":
            return
        time.sleep(0.01)
    raise AssertionError("the job was not run")


def test_a_viewer_sees_jobs_and_runs_none(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("viewer")
    page = browser.get("/admin/jobs")
    assert page.actions == visitor("viewer").get("/account").actions[:0] + [
        each for each in page.actions if not each.endswith("/run")
    ]
    assert browser.send("/admin/jobs/count/run").status == 403
    assert len(shell.jobs.runs("count")) == 0


def test_whoever_may_not_see_the_platform_sees_only_the_jobs_of_their_applications(visitor: Visitor) -> None:
    page = visitor("reporter", "en").get("/")
    assert "Count" in page.shown
    assert "Fail" not in page.shown
    assert visitor("reporter").get("/admin/jobs").status == 403


def test_a_job_that_is_not_there_is_not_found(visitor: Visitor) -> None:
    assert visitor("owner").get("/admin/jobs/nothing").status == 404


def test_administration_begins_where_one_may_be(visitor: Visitor) -> None:
    assert visitor("owner").get("/admin").location == "/admin/people"
    assert visitor("viewer").get("/admin").location == "/admin/jobs"


# ── while a job runs ──────────────────────────────────────────────────────────────────────────────


def test_the_pages_of_jobs_listen_to_them(visitor: Visitor) -> None:
    browser = visitor("viewer")
    assert browser.get("/admin/jobs").all("main")[0]["data-live"] == "platform.job.count platform.job.fail"
    assert browser.get("/admin/jobs/count").all("main")[0]["data-live"] == "platform.job.count"


def test_a_job_that_runs_shows_how_far_it_has_come(visitor: Visitor, shell: Shell) -> None:
    browser, korean, seen = visitor("viewer", "en"), visitor("owner", "ko"), list[Page]()

    def work(run: JobRun) -> str:
        tell_progress(Words("5쪽 중 2쪽", "2 of 5 pages"))
        shell.topics.flush()
        seen.extend(each.get("/admin/jobs/count") for each in (browser, korean))
        return "5 pages"

    shell.jobs.jobs["count"] = replace(shell.jobs.jobs["count"], run=work)
    shell.jobs.run_now("count")
    assert "Running 2 of 5 pages" in seen[0].shown
    assert "실행 중 5쪽 중 2쪽" in seen[1].shown
    after = browser.get("/admin/jobs/count").shown
    assert "Done 5 pages" in after
    assert "2 of 5" not in after


def test_a_job_that_runs_is_stopped_by_a_button(visitor: Visitor, shell: Shell) -> None:
    browser, seen = visitor("owner", "en"), list[Page]()

    def work(run: JobRun) -> str:
        seen.append(browser.get("/admin/jobs/count"))
        seen.append(browser.send("/admin/jobs/count/stop"))
        seen.append(browser.follow())
        return "done all the same"

    shell.jobs.jobs["count"] = replace(shell.jobs.jobs["count"], run=work)
    shell.jobs.run_now("count")
    assert seen[0].actions.count("/admin/jobs/count/stop") == 1
    assert "/admin/jobs/count/run" not in seen[0].actions
    assert (seen[1].status, seen[1].location) == (303, "/admin/jobs/count")
    assert "The job stops at its next step" in seen[2].shown
    assert "Running Stopping" in seen[2].shown
    assert "/admin/jobs/count/stop" not in browser.get("/admin/jobs/count").actions
