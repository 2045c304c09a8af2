"""What a request may give with its address."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from hansang.surfaces.api.parameters import Spoken


class Asked(Spoken):
    """A question about days and moments."""

    day: date | None = None
    at: Annotated[datetime | None, Field()] = None
    number: int = 0


def test_a_date_is_written_as_one() -> None:
    asked = Asked.model_validate({"day": "2026-01-31", "at": "2026-01-31T09:00:00Z", "number": "5"})
    assert (asked.day, asked.number) == (date(2026, 1, 31), 5)


@pytest.mark.parametrize("given", ["0", "-1", "1700000000", "20260131", "1.5", " 0 "])
@pytest.mark.parametrize("name", ["day", "at"])
def test_a_number_is_no_date_and_no_time(name: str, given: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Asked.model_validate({name: given})
    expected = "datetime_parsing" if name == "at" else "date_from_datetime_parsing"
    assert [each["type"] for each in refused.value.errors()] == [expected]
