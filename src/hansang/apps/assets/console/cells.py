"""What is sent from the grid: a cell, a line, a block, what is taken over; each answered with the month as it is then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from hashlib import sha256

from starlette.responses import Response

from hansang.apps.assets.amounts import read_amount
from hansang.apps.assets.console.blocks import read_block
from hansang.apps.assets.console.files import seen_in
from hansang.apps.assets.console.grid import grid_of
from hansang.apps.assets.console.lines import LedgerChange, line_of, rewrite_text
from hansang.apps.assets.console.links import assets_of, kind_in, month_param, month_path, undo_of, who
from hansang.apps.assets.console.month import BothValues, Said, month_page
from hansang.apps.assets.design import AssetManager
from hansang.apps.assets.entering import Given, Place, tag_of
from hansang.apps.assets.kinds import KIND_NAMES
from hansang.apps.assets.recording import AREA, Recorded
from hansang.apps.assets.rules import month_before
from hansang.apps.assets.sharing import Share
from hansang.design.requests import key_of
from hansang.errors import Conflict, HansangError, InvalidInput
from hansang.parts.history import subject_of
from hansang.parts.receipts import LONGEST_KEY, Beside, KeptAnswer, alone
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed


def enter(visit: Visit) -> Response:
    """Set a cell, or add to it; what cannot be read or was changed meanwhile is said, and nothing is written."""
    month = month_param(visit)
    try:
        recorded = _entered(visit, month)
    except Conflict as fault:
        if fault.code != "assets.share-changed":
            raise
        return month_page(visit, month, status=409, both=_both(visit, month))
    except InvalidInput as fault:
        said = Said(visit.worded(str(fault), fault.code, fault.values), is_bad=True)
        return month_page(visit, month, status=422, said=said)
    return _answered(visit, month, recorded)


def _entered(visit: Visit, month: str) -> Recorded | None:
    assets, kind = assets_of(visit), kind_in(visit.given("kind"))
    place = Place.of(kind, visit.every("part"))
    by = None if kind == "income" else visit.given("by") or None
    text, memo = visit.given("text"), visit.given("memo") or None
    amount = read_amount(text) if text else None
    with _once(visit) as beside:
        if beside is None:
            return None
        if visit.given("mode") == "add":
            if amount is None:
                raise InvalidInput("Give an amount, or what to add.", "amount", code="assets.no-amount")
            given = Given(add=amount, memo=memo, by=by, date=_day(visit))
            return assets.entering.enter(month, place, given, who(visit), beside)
        was = visit.given("was")
        share = Share(place, by, amount, int(was) if was.isdecimal() else None, memo, _day(visit))
        return assets.sharing.set(month, [share], who(visit), beside)


def _day(visit: Visit) -> date | None:
    text = visit.given("date")
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


@contextmanager
def _once(visit: Visit) -> Iterator[Beside[Recorded] | None]:
    """What writes the receipt of a form beside its work; None if the form, sent again, has been dealt with."""
    key = visit.given("key")[:LONGEST_KEY]
    if not key:
        yield alone
        return
    fields = [(name, str(value)) for name, value in visit.form.multi_items() if name != "csrf"]
    fingerprint = sha256(repr((visit.request.url.path, fields)).encode()).hexdigest()
    receipts = visit.shell.receipts
    receipt = receipts.begin(visit.asking, key, fingerprint)
    if receipt.answer is not None:
        yield None
        return
    answer = KeptAnswer(200, {}, b"done")
    try:
        yield lambda transaction, done: receipts.keep(transaction, receipt, answer)
    except HansangError as fault:
        (receipts.abandon if isinstance(fault, InvalidInput | Conflict) else receipts.release)(receipt)
        raise
    receipts.finish(receipt, answer)


def _answered(visit: Visit, month: str, recorded: Recorded | None) -> Response:
    change = None if recorded is None else recorded.change
    if recorded is None or change is None:
        return month_page(visit, month, said=Said(visit.t("assets.cell.unchanged")))
    text = (
        rewrite_text(visit, recorded.rewrites[0])
        if len(recorded.rewrites) == 1
        else visit.t("assets.cell.several", count=len(recorded.rewrites))
    )
    said = Said(visit.t("assets.cell.saved", what=text), change.id)
    is_past = recorded.book.last is not None and month < recorded.book.last
    return month_page(visit, month, said=said, change=change if is_past else None)


def _both(visit: Visit, month: str) -> BothValues | None:
    """The cell with the value that somebody else gave it, and one's own."""
    assets = assets_of(visit)
    shown, before = assets.reading.month(month), assets.reading.month(month_before(month))
    grid = grid_of(shown, before, assets.codes)
    kind, parts, by = visit.given("kind"), tuple(visit.every("part")), visit.given("by") or None
    for row in (row for each in grid.kinds for row in each.rows if row.kind == kind):
        for cell in row.cells:
            if cell.parts == parts and (kind == "income" or cell.by == by):
                text = visit.given("text")
                was, last = visit.given("was"), _last_change(visit, month, Place.of(kind_in(kind), parts))
                yours = read_amount(text) if text else 0
                memo = visit.given("memo")
                return BothValues(row, cell, int(was or 0), yours, text, memo, last)
    return None


def _last_change(visit: Visit, month: str, place: Place) -> LedgerChange | None:
    """The last change of an entry alone."""
    subject = subject_of(AssetManager, key_of(place.key(month)))
    return next((line_of(visit, each) for each in assets_of(visit).history.of_subject(subject, 1)), None)


def remove_line(visit: Visit) -> Response:
    """Take one payment out of an entry."""
    month, assets = month_param(visit), assets_of(visit)
    place = Place.of(kind_in(visit.given("kind")), visit.every("part"))
    entry = assets.database.get(place.key(month), consistent=True)
    lines = list(entry.entries or ())
    line = visit.given("line")
    number = int(line) if line.isdecimal() else -1
    if not 0 <= number < len(lines) or visit.given("seen") != f"{lines[number].amount}":
        raise Conflict(
            "The payment is not there any more. Look at the month again.", entry, code="assets.no-line"
        )
    kept = tuple(lines[:number] + lines[number + 1 :])
    given = Given(details=kept, seen=tag_of(entry)) if kept else Given(is_cleared=True, seen=tag_of(entry))
    return _answered(visit, month, assets.entering.enter(month, place, given, who(visit)))


# ── several at once ───────────────────────────────────────────────────────────────────────────────


def copy(visit: Visit) -> Response:
    """Take entries of the month before over into cells that are empty."""
    month, assets = month_param(visit), assets_of(visit)
    kinds = [each for each in KIND_NAMES if each in visit.every("kinds")]
    return _taken(
        visit,
        month,
        lambda: assets.proposing.take(month, assets.proposing.last_month(month, kinds), who(visit)),
    )


def propose(visit: Visit) -> Response:
    """Take recurring entries over: the one that is named, or all of them."""
    month, assets, named = month_param(visit), assets_of(visit), visit.given("one")
    found = assets.proposing.recurring(month)
    if named:
        found = [each for each in found if "/".join((each.place.kind.name, *each.place.parts)) == named]
    return _taken(visit, month, lambda: assets.proposing.take(month, found, who(visit)))


def _taken(visit: Visit, month: str, take: Callable[[], Recorded]) -> Response:
    done = take()
    undo = undo_of(visit, done.change)
    return visit.go(month_path(month), "assets.copy.done", undo=undo, count=len(done.rewrites))


def paste(visit: Visit) -> Response:
    """Show what a block would change; sent again with the answer yes, write it."""
    month, assets, text = month_param(visit), assets_of(visit), visit.form.get("text")
    text = text if isinstance(text, str) else ""
    shown, before = assets.reading.month(month), assets.reading.month(month_before(month))
    column = visit.given("column")
    grid = grid_of(shown, before, assets.codes)
    block = read_block(grid, text, visit.given("at"), int(column) if column.isdecimal() else None)
    if visit.given("sure") == "yes":
        block = block.since(seen_in(visit), set(visit.every("asked")) - set(visit.every("mine")))
    wanted = [each.share for each in block.wanted]
    if visit.every("asked") and not wanted and not block.meanwhile:
        return month_page(visit, month, said=Said(visit.t("assets.cell.unchanged")))
    if visit.given("sure") != "yes" or not wanted or block.meanwhile:
        return month_page(visit, month, status=409 if block.meanwhile else 200, block=block, pasted=text)
    try:
        recorded = assets.sharing.set(month, wanted, who(visit), verb="paste")
    except Conflict as fault:
        if fault.code != "assets.share-changed":
            raise
        return paste(visit)
    undo = undo_of(visit, recorded.change)
    return visit.go(month_path(month), "assets.paste.done", undo=undo, count=len(wanted))


PAGES = (
    PageRoute("/assets/months/{ym}/cells", enter, allowed(AREA, "write"), "POST"),
    PageRoute("/assets/months/{ym}/lines/remove", remove_line, allowed(AREA, "write"), "POST"),
    PageRoute("/assets/months/{ym}/copy", copy, allowed(AREA, "write"), "POST"),
    PageRoute("/assets/months/{ym}/propose", propose, allowed(AREA, "write"), "POST"),
    PageRoute("/assets/months/{ym}/paste", paste, allowed(AREA, "write"), "POST"),
)
