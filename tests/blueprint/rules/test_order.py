"""Rules about order: they speak where a question answers in the order of a key, and nowhere else."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from hansang.blueprint.lint import lint
from hansang.blueprint.subject import Design
from hansang.design import GSI, Attr, Entity, Key, Query, Table, View, pattern
from hansang.errors import DesignError


class Arcade(Table, name="Arcade"):
    by_rank = GSI("ByRank", pk="board", sk="rankKey")
    by_round = GSI("ByRound", pk="SK", sk="board")


class ScoreKey(Key["Score"], pk="GAME#{game}", sk="ROUND#{round}#{player}"):
    game: str
    round: int
    player: str


class Score(ScoreKey, Entity, table=Arcade, index_keys={Arcade.by_rank: ("{board}", "RANK#{rank}")}):
    board: str
    rank: int

    @pattern
    def of_game(cls, game: str) -> Query[Score]:
        """All rounds."""
        return cls.query(Score.game == game)

    @pattern
    def ranked(cls, board: str) -> Query[Score]:
        """A board by rank."""
        return cls.query(Score.board == board, index=Arcade.by_rank)


class VisitKey(Key["Visit"], pk="VISITOR#{visitor}", sk="{host}, {day}"):
    visitor: int
    host: int
    day: date


class Visit(VisitKey, Entity, table=Arcade):
    board: str

    @pattern
    def at_host(cls, visitor: int, host: int) -> Query[Visit]:
        """The visits to one host."""
        return cls.query(Visit.visitor == visitor, Visit.host == host)

    @pattern
    def on(cls, visitor: int, host: int, day: date) -> Query[Visit]:
        """One visit."""
        return cls.query(Visit.visitor == visitor, Visit.host == host, Visit.day == day)

    @pattern
    def together(cls, host: int, day: date) -> Query[Visit]:
        """Everybody who was there, for whom the same text is a partition key."""
        return cls.query(Visit.host == host, Visit.day == day, index=Arcade.by_round)


class SeatKey(Key["Seat"], pk="HALL#{number}", sk="SEAT#{number}"):
    number: int


class Seat(SeatKey, Entity, table=Arcade):
    """Found by its whole key alone."""


class Journal(Table, name="Journal"):
    pass


class ReportKey(Key["Report"], pk="REPORT#{day:%d-%m-%Y}", sk="{day:%d-%m-%Y}#{id}"):
    day: Annotated[date, Attr("day")]
    id: str


class Report(ReportKey, Entity, table=Journal):
    @pattern
    def of_day(cls, day: date) -> Query[Report]:
        """What was reported."""
        return cls.query(Report.day == day)


class FilingKey(Key["Filing"], pk="OFFICE#{office}", sk="FILED#{day:%d-%m-%Y}"):
    office: str
    day: Annotated[date, Attr("day")]


class Filing(FilingKey, Entity, table=Journal):
    @pattern
    def of_office(cls, office: str) -> Query[Filing]:
        """What an office has filed."""
        return cls.query(Filing.office == office)


class LogKey(Key["Log"], pk="HOST#{host}", sk="{ms:013d}#{day:%Y%m%d}#{id}"):
    host: str
    ms: int
    day: Annotated[date, Attr("day")]
    id: str


class Log(LogKey, Entity, table=Journal):
    @pattern
    def newest(cls, host: str) -> Query[Log]:
        """The newest lines first."""
        return cls.query(Log.host == host).descending()

    @pattern
    def newest_of(cls, host: str, ms: int, day: date) -> Query[Log]:
        """The newest lines of one moment."""
        return cls.query(Log.host == host, Log.ms == ms, Log.day == day).descending()


def findings(*tables: type[Table]) -> set[tuple[str, str, str]]:
    return {
        (each.code, each.place.subject.partition(":")[2], each.message.partition(" ")[0])
        for each in lint(Design(tables))
    }


FOUND = findings(Arcade, Journal)


def test_a_number_that_answers_are_ordered_by_sorts_as_text() -> None:
    assert ("H106", "Score", "round") in FOUND


def test_a_number_in_the_sort_key_of_an_index_sorts_as_text_too() -> None:
    assert ("H106", "Score", "rank") in FOUND


def test_a_number_that_is_fixed_or_in_a_partition_key_orders_nothing() -> None:
    assert {each for each in FOUND if each[:2] == ("H106", "Visit")} == set()


def test_a_number_in_a_key_that_is_asked_whole_orders_nothing() -> None:
    assert {each for each in FOUND if each[:2] == ("H106", "Seat")} == set()


def test_a_time_that_is_written_day_first_does_not_sort() -> None:
    assert {each for each in FOUND if each[0] == "H108"} == {("H108", "Filing", "day")}


def test_a_number_of_fixed_width_before_an_id_sorts_by_itself() -> None:
    assert ("H105", "Log.newest", "The") not in FOUND


def test_an_id_orders_the_answers_when_what_stands_before_it_is_fixed() -> None:
    assert ("H105", "Log.newest_of", "The") in FOUND


def test_the_range_that_the_language_refuses_has_a_code() -> None:
    class Ranges(Table, name="Ranges"):
        pass

    class PartKey(Key["Part"], pk="PART#{id}", sk="METADATA"):
        id: str

    class Part(PartKey, Entity, table=Ranges):
        @pattern
        def from_to(cls, low: str, high: str) -> Query[Part]:
            """Between two texts."""
            raise DesignError("Part.id has texts of any length.", rule="H107")

    assert Part.__shape__ is not None
    [finding] = [each for each in lint(Design([Ranges])) if each.code == "H107"]
    assert finding.severity == "error"


class Shelf(Table, name="Shelf"):
    by_place = GSI("ByPlace", pk="place", sk="SK", project=["place"])


class BookKey(Key["Book"], pk="BOOK#{id}", sk="{number}-{id}"):
    id: str
    number: int


class Book(BookKey, Entity, table=Shelf):
    place: str


class Spine(BookKey, View, index=Shelf.by_place):
    place: str

    @pattern
    def at(cls, place: str) -> Query[Spine]:
        """The books of a place."""
        return cls.query(Spine.place == place)


def test_what_a_view_answers_with_is_ordered_by_the_key_of_its_entity() -> None:
    [finding] = [each for each in lint(Design([Shelf])) if each.code == "H106"]
    assert finding.place.subject.endswith(":Book")
    assert "Spine.at" in finding.message
