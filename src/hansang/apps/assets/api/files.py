"""Files as routes: a sheet or the file of a bank comes in, the household goes out."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from typing import Annotated

from fastapi import Body
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

from hansang.apps.assets.api.access import (
    MONTH_PATTERN,
    PATH,
    LedgerAsked,
    LedgerRoutes,
    asked_household,
    who,
)
from hansang.apps.assets.api.shown import SeenGiven, both_amounts
from hansang.apps.assets.entering import Place
from hansang.apps.assets.exporting import MEDIA_TYPES, FileForm, file_name
from hansang.apps.assets.importing import ImportLine, LineState
from hansang.apps.assets.kinds import KindName
from hansang.apps.assets.presets import Rules
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.rules import LONGEST_CODE
from hansang.apps.assets.sheets import read_sheet
from hansang.errors import InvalidInput
from hansang.parts.permissions import Principal
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell

EntryText = Annotated[str, Field(min_length=3, max_length=200, examples=["living-expense/식비"])]
ColumnText = Annotated[str, Field(min_length=1, max_length=100)]
CodeText = Annotated[str, Field(min_length=1, max_length=LONGEST_CODE)]


class ExportAsked(LedgerAsked):
    """Which file, and from which month to which; all months unless some are named."""

    form: FileForm = "jsonl"
    from_: Annotated[str | None, Field(alias="from", pattern=MONTH_PATTERN, examples=["2025.01"])] = None
    to: Annotated[str | None, Field(pattern=MONTH_PATTERN, examples=["2025.12"])] = None


class ImportBody(BaseModel):
    """A file, as `text` or, in base64, as `content`; where its lines go, and what its columns mean."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "text": "이용일자,가맹점명,이용금액\n2025-01-03,한마음마트,37600",
                "to": "living-expense/식비",
                "dry_run": True,
            }
        },
    )

    text: Annotated[str | None, Field(min_length=1, max_length=4_000_000)] = None
    content: Annotated[str | None, Field(min_length=4, max_length=8_000_000)] = None
    columns: Annotated[dict[str, ColumnText] | None, Field(max_length=20)] = None
    is_card: bool = False
    to: EntryText | None = None
    by: CodeText | None = None
    words: Annotated[dict[str, EntryText] | None, Field(max_length=200)] = None
    remember: CodeText | None = None
    seen: SeenGiven | None = None
    dry_run: bool = False

    @model_validator(mode="after")
    def _one_of_two(self) -> ImportBody:
        if (self.text is None) == (self.content is None):
            raise ValueError("Give one of text and content.")
        return self

    def file(self) -> bytes:
        """The content of the file."""
        if self.text is not None:
            return self.text.encode(errors="replace")
        try:
            return b64decode(self.content or "", validate=True)
        except NotBase64 as fault:
            raise InvalidInput(
                "The content has to be the file in base64.", "content", code="assets.not-base64"
            ) from fault

    def rules(self) -> Rules | None:
        """Where lines go; None if nothing is said of it."""
        if self.to is None and self.by is None and self.words is None:
            return None
        words = {word: Place.parse(text) for word, text in (self.words or {}).items()}
        return Rules(words, None if self.to is None else Place.parse(self.to), self.by)


class ImportLineShown(BaseModel):
    """A line of a file, and what became of it, or would."""

    line: int
    state: LineState
    month: str
    kind: KindName | None
    parts: list[str]
    amount: int
    date: str | None
    memo: str | None
    before: int | None
    reason: str
    code: str


class ImportAnswer(BaseModel):
    """What came of a file; undoing `change` takes all of it back.

    `seen` are the versions of the entries that whole amounts replace; given back when the file is entered, an entry
    that has changed meanwhile is not overwritten, but told with both amounts.
    """

    preset: str
    entered: int
    change: str | None
    lines: list[ImportLineShown]
    seen: dict[str, str]


class FileRoutes(LedgerRoutes):
    """In and out."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(PATH, AREA, self._reader)

    def all(self) -> list[ApiRoute]:
        """Both of them."""
        return [
            self._group.route("GET", "/export", self.export, extra={"x-files": [*MEDIA_TYPES.values()]}),
            self._group.route("POST", "/import", self.take_in, ImportAnswer, rule=self._writer),
        ]

    def export(self, asked: Annotated[ExportAsked, InAddress()], principal: Principal) -> Response:
        """The entries of a period as a sheet, or the whole household as JSON Lines."""
        content = self._assets.exporting.content(asked.form, asked.from_, asked.to)
        headers = {"Content-Disposition": f'attachment; filename="{file_name(asked.form)}"'}
        return Response(content, headers=headers, media_type=MEDIA_TYPES[asked.form])

    def take_in(
        self, given: Annotated[ImportBody, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Enter a sheet, the file of a bank or a card, or a whole household; with `dry_run` it is only looked at."""

        def work(attempt: Attempt[ImportAnswer] | None) -> ImportAnswer:
            content = given.file()
            if content.lstrip()[:1] == b"{":
                return self._restored(content, given.dry_run)
            importing = self._assets.importing
            found = importing.preview(
                read_sheet(content), given.rules(), given.columns, is_card=given.is_card, seen=given.seen
            )
            steps = None if attempt is None else attempt.steps
            done = None if given.dry_run else importing.take(found, who(principal), steps)
            if given.remember and not given.dry_run:
                importing.presets.remember(given.remember, found.layout, found.rules, who(principal).actor)
            return ImportAnswer(
                preset=found.preset,
                entered=0 if done is None else done.entered,
                change=None if done is None or done.change is None else done.change.id,
                lines=[_line(each) for each in found.lines],
                seen=found.seen,
            )

        asked = f"{asked_household.get()} POST {PATH}/import\n{given.model_dump_json()}".encode()
        with both_amounts():
            return once_by_steps(self._shell, principal, key, asked, work, answered)

    def _restored(self, content: bytes, dry_run: bool) -> ImportAnswer:
        lines = content.decode("utf-8-sig", "replace").splitlines()
        done = self._assets.transferring.restore(lines, dry_run=dry_run)
        refused = [
            _line(ImportLine(each.line, "refused", reason=each.reason, code="assets.line-unusable"))
            for each in done.refused
        ]
        return ImportAnswer(
            preset="household", entered=0 if dry_run else done.items, change=None, lines=refused, seen={}
        )


def _line(each: ImportLine) -> ImportLineShown:
    return ImportLineShown(
        line=each.line,
        state=each.state,
        month=each.month,
        kind=None if each.place is None else each.place.kind.name,
        parts=[] if each.place is None else list(each.place.parts),
        amount=each.amount,
        date=None if each.detail is None else each.detail.date.isoformat(),
        memo=None if each.detail is None else each.detail.memo,
        before=each.before,
        reason=each.reason,
        code=each.code,
    )
