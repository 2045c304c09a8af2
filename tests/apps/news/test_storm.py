"""Twenty loaders at once on a table that throttles and loses answers.

With five thousand links it takes longer: `python bench/news.py --storm`.
"""

from __future__ import annotations

from tests.apps.news.storm import raging
from tests.clauses import clause


@clause("3-11", "3-12", "X3-07", "X3-08", "X3-23")
def test_every_link_is_there_once_as_it_was_first_accepted_and_all_reports_add_up() -> None:
    with raging(":memory:", links=500) as storm:
        assert storm.faults["lost"] > 100
        assert storm.faults["throttled"] > 100
        storm.check()
