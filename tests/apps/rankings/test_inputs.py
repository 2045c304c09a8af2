"""Days as files, in whatever form and encoding they come."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest

from hansang.apps.rankings.inputs import DayForm, form_by_name, read_rows
from hansang.errors import InvalidInput
from tests.clauses import clause

ROW = {"uuid": "A1", "name": "호떡", "level": "7", "power": "9"}
CSV = "uuid,Name,level,power,level_rank\r\nA1,호떡,7,9,\r\n"


def read(content: str, encoding: str = "utf-8", form: DayForm | None = None) -> list[Any]:
    return list(read_rows(BytesIO(content.encode(encoding)), form))


@clause("X5-16")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949"])
def test_a_csv_is_read_in_the_encodings_of_excel(encoding: str) -> None:
    assert read(CSV, encoding) == [ROW]


@clause("X5-16")
@pytest.mark.parametrize(
    "content",
    [
        '[{"uuid": "A1"}, {"uuid": "A2"}]',
        ' [\n{"uuid": "A1"}\n,{"uuid": "A2"}]',
        '{"uuid": "A1"}\n\n{"uuid": "A2"}\n',
    ],
)
def test_json_and_json_lines_are_told_by_their_first_character(content: str) -> None:
    assert read(content) == [{"uuid": "A1"}, {"uuid": "A2"}]


def test_an_array_that_is_longer_than_a_piece_is_read_whole() -> None:
    rows = [f'{{"uuid": "A{number}", "power": {10**30 + number}}}' for number in range(5000)]
    found = read(f"[{', '.join(rows)}]")
    assert (len(found), found[-1]["power"]) == (5000, 10**30 + 4999)


def test_a_line_that_is_no_json_is_one_row_and_the_others_go_on() -> None:
    assert read('{"uuid": "A1"}\nbroken\n{"uuid": "A2"}', form="jsonl")[::2] == [
        {"uuid": "A1"},
        {"uuid": "A2"},
    ]


@pytest.mark.parametrize(
    ("content", "form", "why"),
    [
        ("a,b\n1,2\n", "csv", "name its columns"),
        ('[{"uuid": "A1"}', "json", "cut off"),
        ('{"uuid": "A1"}', "json", "array of players"),
    ],
)
def test_what_cannot_be_read_is_refused(content: str, form: DayForm, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        read(content, form=form)


def test_a_file_is_known_by_its_ending() -> None:
    assert [form_by_name(name) for name in ("a.CSV", "b.ndjson", "c.json", "-")] == [
        "csv",
        "jsonl",
        "json",
        None,
    ]
