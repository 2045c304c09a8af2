"""In and out: a file or a block is mapped, looked at and entered; the household goes out as a file."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from starlette.datastructures import UploadFile
from starlette.responses import Response

from hansang.apps.assets.console.links import assets_of, page, undo_of, who, won
from hansang.apps.assets.entering import Place
from hansang.apps.assets.exporting import FILE_FORMS, MEDIA_TYPES, FileForm, file_name
from hansang.apps.assets.importing import ImportLine, ImportPreview
from hansang.apps.assets.kinds import KINDS
from hansang.apps.assets.presets import MEANINGS, Rules, unmapped
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.rules import MONTH, expect_code
from hansang.apps.assets.seen import seen_key
from hansang.apps.assets.sheets import read_sheet, write_sheet
from hansang.design.normalize import normalize_nfc
from hansang.errors import Conflict, InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_PATH = "/assets/files"
_SHOWN = 100
"""How many lines of a file are shown; the others are entered by the same rules."""
_LONGEST_TEXT = 4_000_000


@dataclass(frozen=True, slots=True)
class SentFile:
    """What was sent: the content of a file, or a block that was pasted."""

    content: bytes
    name: str


def show(visit: Visit, status: int = 200, **more: Any) -> Response:
    """Where files are given, and taken away."""
    assets = assets_of(visit)
    book = assets.reading.book()
    context = {
        "preview": None,
        "fault": "",
        "restored": None,
        "presets": assets.importing.presets.all(),
        "forms_named": [(form, visit.t(f"assets.files.form_{form}")) for form in FILE_FORMS],
        "first": book.first,
        "last": book.last,
    }
    return page(visit, "files.html", status, **(context | more))


def index(visit: Visit) -> Response:
    """The page with nothing looked at yet."""
    return show(visit)


# ── in ────────────────────────────────────────────────────────────────────────────────────────────


def look(visit: Visit) -> Response:
    """Show how a file is read, and what would become of each line; nothing is written."""
    try:
        sent = _sent(visit)
        if sent.content.lstrip()[:1] == b"{":
            return _restored(visit, sent)
        rows = list(read_sheet(sent.content))
    except InvalidInput as fault:
        return show(visit, 422, fault=visit.worded(str(fault), fault.code, fault.values))
    try:
        return _shown(visit, sent, rows, _preview(visit, rows))
    except InvalidInput as fault:
        said = visit.worded(str(fault), fault.code, fault.values)
        bare = ImportPreview(unmapped(rows or [[]]), _rules(visit), [])
        return _shown(visit, sent, rows, bare, 422, fault=said)


def take(visit: Visit) -> Response:
    """Enter the lines that are new; one undo takes the whole file back. What changed since the look is asked."""
    assets = assets_of(visit)
    try:
        sent = _sent(visit)
        rows = list(read_sheet(sent.content))
        preview = _preview(visit, rows)
        if preview.stale:
            return _undecided(visit, sent, rows, preview)
        name = normalize_nfc(visit.given("remember"))
        if name:
            assets.importing.presets.remember(expect_code(name), preview.layout, _noted(preview), visit.actor)
        done = assets.importing.take(preview, who(visit))
    except Conflict as fault:
        if fault.code != "assets.changed-meanwhile":
            raise
        return _undecided(visit, sent, rows, _preview(visit, rows))
    except InvalidInput as fault:
        return show(visit, 422, fault=visit.worded(str(fault), fault.code, fault.values))
    undo = undo_of(visit, done.change)
    count, left = done.entered, len(preview.left_out)
    return visit.go(_PATH, "assets.files.done", undo=undo, count=count, left=left)


def _undecided(visit: Visit, sent: SentFile, rows: list[list[str]], preview: ImportPreview) -> Response:
    """The same file again, with both amounts where somebody has written since it was looked at (X1-10)."""
    return _shown(visit, sent, rows, preview, 409, visit.t("assets.files.stale", count=len(preview.stale)))


def report(visit: Visit) -> Response:
    """Every line that is not entered, with its number and its reason, as a file."""
    preview = _preview(visit, list(read_sheet(_sent(visit).content)))
    head = [visit.t(f"assets.files.{each}") for each in ("line", "state", "why")]
    rows = [
        (each.line, visit.t(f"assets.files.state_{each.state}"), _reason(visit, each))
        for each in preview.left_out
    ]
    headers = {"Content-Disposition": 'attachment; filename="left-out.csv"'}
    return Response(write_sheet([head, *rows], "csv"), headers=headers, media_type=MEDIA_TYPES["csv"])


def forget(visit: Visit) -> Response:
    """Drop a preset of the household."""
    name = visit.given("name")
    assets_of(visit).importing.presets.forget(name, visit.actor)
    return visit.go(_PATH, "assets.files.forgotten", name=name)


def _sent(visit: Visit) -> SentFile:
    file = visit.form.get("file")
    if isinstance(file, UploadFile) and file.size:
        return SentFile(file.file.read(), file.filename or "")
    text = visit.form.get("text")
    text = text if isinstance(text, str) else ""
    if not text.strip():
        raise InvalidInput("Choose a file, or paste its lines.", code="assets.no-file")
    return SentFile(text[:_LONGEST_TEXT].encode(errors="replace"), visit.given("name"))


def _preview(visit: Visit, rows: list[list[str]]) -> ImportPreview:
    """The file as the form maps it; without a mapping, as a preset recognises it."""
    importing = assets_of(visit).importing
    pairs = zip(visit.every("header"), visit.every("meaning"), strict=False)
    columns = {meaning: header for header, meaning in pairs if meaning in MEANINGS}
    if not visit.every("header") and not visit.every("shown"):
        return importing.preview(rows)
    return importing.preview(
        rows,
        _rules(visit),
        columns if visit.every("header") else None,
        is_card=visit.given("is_card") == "yes",
        seen=seen_in(visit),
    )


def seen_in(visit: Visit) -> dict[str, str]:
    """What a form remembers of the page that it was made on."""
    try:
        found = json.loads(visit.given("seen") or "{}")
    except ValueError:
        return {}
    return {name: str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _rules(visit: Visit) -> Rules:
    """What the form says of where lines go; a line whose place was chosen stands for all with its memo."""
    named = _places(visit)
    typed = list(zip(visit.every("shown"), visit.every("memo"), visit.every("place"), strict=False))
    chosen = {int(line): named[text] for line, _, text in typed if line.isdecimal() and text in named}
    words = {memo: named[text] for _, memo, text in typed if memo and text in named}
    kept = set(visit.every("line"))
    otherwise = visit.given("otherwise")
    return Rules(
        words,
        named.get(otherwise),
        visit.given("by") or None,
        chosen,
        frozenset(int(line) for line, _, _ in typed if line.isdecimal() and line not in kept),
    )


def _noted(preview: ImportPreview) -> Rules:
    return replace(preview.rules, lines={}, left=frozenset())


def _places(visit: Visit) -> dict[str, Place]:
    """Every entry that a line can go to, by what people call it."""
    codes = assets_of(visit).codes
    found = {
        code: Place(kind, (code,))
        for kind in (KINDS["living-expense"], KINDS["fixed-expense"], KINDS["savings"], KINDS["investment"])
        for code in codes.choices(kind, kind.parts[-1])
    }
    incomes = {
        f"{name} {kind}": Place(KINDS["income"], (name, kind))
        for name in codes.people()
        for kind in codes.plain("INCOME_TYPE")
    }
    return found | incomes


def _shown(
    visit: Visit,
    sent: SentFile,
    rows: list[list[str]],
    preview: ImportPreview,
    status: int = 200,
    fault: str = "",
) -> Response:
    named = {place.text: name for name, place in _places(visit).items()}
    if preview.preset == "ledger":
        named |= {each.place.text: " ".join(each.place.parts) for each in preview.lines if each.place}
    months = sorted({each.month for each in preview.wanted})
    lines = sorted(preview.lines, key=lambda each: each.state != "meanwhile")
    context: dict[str, Any] = {
        "fault": fault,
        "preview": preview,
        "name": sent.name,
        "text": write_sheet(rows, "csv").decode("utf-8-sig"),
        "lines": lines[:_SHOWN],
        "seen": preview.seen | _unasked(visit, lines[_SHOWN:]),
        "hidden": max(0, len(preview.lines) - _SHOWN),
        "meanings": MEANINGS,
        "columns": _columns(preview, rows),
        "places": list(_places(visit)),
        "place_name": lambda place: "" if place is None else named.get(place.text, ""),
        "reason": lambda line: _reason(visit, line),
        "people_named": [
            ("", visit.t("assets.together")),
            *((name, name) for name in assets_of(visit).codes.people()),
        ],
        "sums": [
            (month, sum(each.amount - (each.before or 0) for each in preview.wanted if each.month == month))
            for month in months
        ],
        "same": [each for each in preview.lines if each.state == "same"],
        "refused": [each for each in preview.lines if each.state in ("refused", "unknown")],
    }
    return show(visit, status, **context)


def _unasked(visit: Visit, hidden: list[ImportLine]) -> dict[str, str]:
    """The versions as they were, of lines that are to be decided and do not fit on the page: they come next."""
    seen, keys = seen_in(visit), [seen_key(each.month, each.place) for each in hidden if each.place]
    return {key: seen[key] for key in keys if key in seen}


def _columns(preview: ImportPreview, rows: list[list[str]]) -> list[tuple[str, str, str]]:
    """Each column of the file: its name, an example, and what it means."""
    layout = preview.layout
    meanings = {place: meaning for meaning, place in layout.places.items()}
    example = rows[layout.start] if layout.start < len(rows) else []
    return [
        (header, example[place] if place < len(example) else "", meanings.get(place, ""))
        for place, header in enumerate(layout.headers)
        if header
    ]


def _reason(visit: Visit, line: ImportLine) -> str:
    """Why a line is not entered, or what is to be noticed of it."""
    if line.code:
        return visit.worded(line.reason, line.code, line.values)
    return visit.t(
        f"assets.files.why_{line.state}", now=won(visit, line.before or 0), yours=won(visit, line.amount)
    )


def _restored(visit: Visit, sent: SentFile) -> Response:
    """Make the household of an export, where there is none yet."""
    try:
        done = assets_of(visit).transferring.restore(sent.content.decode("utf-8-sig", "replace").splitlines())
    except Conflict as fault:
        return show(visit, 409, fault=visit.worded(str(fault), fault.code, fault.values))
    return show(visit, restored=done)


# ── out ───────────────────────────────────────────────────────────────────────────────────────────


def export(visit: Visit) -> Response:
    """The household, or the entries of a period, as a file."""
    form: FileForm = next((each for each in FILE_FORMS if each == visit.query("form")), "jsonl")
    first, last = (_month(visit, name) for name in ("from", "to"))
    content = assets_of(visit).exporting.content(form, first, last)
    headers = {"Content-Disposition": f'attachment; filename="{file_name(form)}"'}
    return Response(content, headers=headers, media_type=MEDIA_TYPES[form])


def _month(visit: Visit, name: str) -> str | None:
    text = visit.query(name).replace("-", ".")
    return text if MONTH.fullmatch(text) else None


PAGES = (
    PageRoute(_PATH, index, allowed(AREA, "read")),
    PageRoute(f"{_PATH}/look", look, allowed(AREA, "write"), "POST", files=1),
    PageRoute(f"{_PATH}/take", take, allowed(AREA, "write"), "POST", files=1),
    PageRoute(f"{_PATH}/report", report, allowed(AREA, "write"), "POST", files=1),
    PageRoute(f"{_PATH}/forget", forget, allowed(AREA, "write"), "POST"),
    PageRoute(f"{_PATH}/export", export, allowed(AREA, "read")),
)
