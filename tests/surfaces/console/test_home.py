"""The first page and the page of one application."""

from __future__ import annotations

import json
import re

from hansang.apps.codex.design import Banner, FMWebApp
from hansang.surfaces.shell import Shell
from tests.surfaces.console.changed import created
from tests.surfaces.console.conftest import Visitor


def test_every_application_is_there_with_its_state(visitor: Visitor, shell: Shell) -> None:
    page = visitor("owner", "en").get("/")
    assert page.shown.count("Healthy") == len(shell.applications)
    for each in shell.applications:
        assert each.title.en in page.shown
        assert {f"/apps/{each.name}", f"/{each.name}"} & set(page.links)


def test_only_applications_that_one_may_read_are_counted(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    assert "Content" in visitor("reporter", "en").get("/").shown
    page = visitor("admin", "en").get("/")
    assert "No applications yet" in page.shown
    assert "b1" not in page.shown


def test_a_change_shows_who_made_it_and_the_application_it_was_in(visitor: Visitor, shell: Shell) -> None:
    change = created(shell)
    page = visitor("reporter", "en").get("/")
    assert f"/changes/{change.id}" in page.links
    assert "Banner · Owner · just now" in page.shown


def test_units_that_were_used_are_drawn(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    shell.database.all(Banner.latest())
    page = visitor("owner", "en").get("/")
    spec = json.loads(re.findall(r'<script type="application/json">(.+?)</script>', page.text)[0])
    codex = spec["full"].index("Content")
    assert [series["values"][codex] > 0 for series in spec["series"]] == [True, True]
    assert spec["labels"][codex] == "Content"


def test_without_any_use_there_is_no_chart_and_no_script_for_it(visitor: Visitor) -> None:
    page = visitor("guest", "en").get("/")
    assert "charts.js" not in page.text


def test_a_table_that_is_gone_is_said_and_breaks_nothing(visitor: Visitor, shell: Shell) -> None:
    shell.database.backend.call("DeleteTable", {"TableName": FMWebApp.name})
    browser = visitor("owner", "en")
    assert "Table missing" in browser.get("/").shown
    page = browser.get("/apps/codex")
    assert page.status == 200
    assert "hansang tables create" in page.shown


def test_an_application_shows_its_tables_and_leads_to_its_patterns(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    page = visitor("reporter", "en").get("/apps/codex")
    assert "FMWebAppTable" in page.shown
    assert "Type_CreatedAt" in page.shown
    assert "/data/codex/patterns/Post.in_category" in page.links
    assert "/changes?area=codex" in page.links


def test_an_application_counts_its_items(visitor: Visitor, shell: Shell) -> None:
    created(shell)
    row = re.search(
        r"Banner, .+? Type_CreatedAt (\d+) (\S+ \S+) Healthy", visitor("owner", "en").get("/apps/codex").shown
    )
    assert row is not None
    assert row[1] == "1"


def test_an_application_shows_its_own_jobs_alone(visitor: Visitor) -> None:
    browser = visitor("owner", "en")
    assert "Count" in browser.get("/apps/news").shown
    assert "No jobs scheduled" in browser.get("/apps/assets").shown


def test_an_application_that_is_not_there_is_not_found(visitor: Visitor) -> None:
    assert visitor("owner").get("/apps/nothing").status == 404
    assert visitor("owner").get("/nothing").status == 404
