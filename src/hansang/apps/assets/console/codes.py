"""The codes of the household: added, put in order, renamed with a look at what is rewritten, archived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from hansang.apps.assets.codes import FAMILIES, CodeItem, CodeType, DecideCodes, with_changes
from hansang.apps.assets.console.links import assets_of, page, who
from hansang.apps.assets.design import AccountCodes, Codes
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.renaming import RenamePreview
from hansang.apps.assets.rules import expect_code
from hansang.design.normalize import normalize_nfc
from hansang.errors import InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

SHOWN: tuple[tuple[CodeType, str, str], ...] = (
    ("NAME", "", "grey"),
    ("INCOME_TYPE", "", "blue"),
    ("FIXED_EXPENSE_TYPE", "", "coral"),
    ("LIVING_EXPENSE_CATEGORY", "", "coral"),
    ("ACCOUNT_TYPE", FAMILIES[0], "teal"),
    ("ACCOUNT_TYPE", FAMILIES[1], "amber"),
    ("ACCOUNT_TYPE", FAMILIES[2], "violet"),
)
"""The lists that people keep themselves: the type, the family of accounts, and the colour."""
_PATH = "/assets/codes"


@dataclass(frozen=True, slots=True)
class CodeList:
    """One list as it is shown."""

    type: CodeType
    family: str
    colour: str
    codes: list[str]
    archived: list[str]


def show(visit: Visit, preview: RenamePreview | None = None, status: int = 200, **more: Any) -> Response:
    """Every list, with what can be done to it."""
    lists = [_list(visit, *each) for each in SHOWN]
    return page(visit, "codes.html", status, lists=lists, preview=preview, **({"fault": ""} | more))


def index(visit: Visit) -> Response:
    """The lists as they are."""
    return show(visit)


def _list(visit: Visit, kind: CodeType, family: str, colour: str) -> CodeList:
    item = assets_of(visit).codes.get(kind)
    if isinstance(item, AccountCodes):
        return CodeList(
            kind, family, colour, item.codes.get(family, []), (item.archived or {}).get(family, [])
        )
    return CodeList(kind, family, colour, item.codes, item.archived or [])


def _wanted(visit: Visit) -> tuple[CodeType, str]:
    found = next(((kind, family) for kind, family, _ in SHOWN if (kind, family) == _given(visit)), None)
    if found is None:
        raise InvalidInput("Choose one of the lists.", "type", code="assets.no-list")
    return found


def _given(visit: Visit) -> tuple[str, str]:
    return visit.given("type"), visit.given("family")


def add(visit: Visit) -> Response:
    """Offer one more code, at the end of its list; one that was archived comes back."""
    kind, family = _wanted(visit)
    code = expect_code(normalize_nfc(visit.given("code")))
    _change(visit, kind, lambda item: with_changes(item, [code], [], family or None))
    return visit.go(_PATH, "assets.codes.added", code=code)


def archive(visit: Visit) -> Response:
    """Offer a code no more; entries keep it."""
    kind, family = _wanted(visit)
    code = visit.given("code")
    _change(visit, kind, lambda item: with_changes(item, [], [code], family or None))
    return visit.go(_PATH, "assets.codes.archived", code=code)


def move(visit: Visit) -> Response:
    """Offer a code one place earlier or later."""
    kind, family = _wanted(visit)
    code, step = visit.given("code"), 1 if visit.given("way") == "down" else -1

    def moved(item: CodeItem) -> CodeItem:
        codes = list(item.codes.get(family, []) if isinstance(item, AccountCodes) else item.codes)
        if code in codes:
            at = codes.index(code)
            codes.insert(min(max(at + step, 0), len(codes) - 1), codes.pop(at))
        return _with(item, family, codes)

    _change(visit, kind, moved)
    return visit.go(_PATH, "assets.codes.moved", code=code)


def _with(item: CodeItem, family: str, codes: list[str]) -> CodeItem:
    if isinstance(item, Codes):
        return item.model_copy(update={"codes": codes})
    return item.model_copy(update={"codes": {**item.codes, family: codes}})


def rename(visit: Visit) -> Response:
    """Show what a rename rewrites; sent again with the answer yes, do it."""
    kind, _ = _wanted(visit)
    old, new, renaming = visit.given("code"), visit.given("name"), assets_of(visit).renaming
    try:
        if visit.given("sure") != "yes":
            return show(visit, renaming.preview(kind, old, new))
        done = renaming.rename(kind, old, new, who(visit))
    except InvalidInput as fault:
        return show(visit, status=422, fault=visit.worded(str(fault), fault.code, fault.values))
    return visit.go(_PATH, "assets.codes.renamed", old=done.old, new=done.new, count=done.count)


def _change(visit: Visit, kind: CodeType, decide: DecideCodes) -> None:
    assets_of(visit).codes.change(kind, decide, visit.actor, visit.request_id)


PAGES = (
    PageRoute(_PATH, index, allowed(AREA, "read")),
    PageRoute(f"{_PATH}/add", add, allowed(AREA, "write"), "POST"),
    PageRoute(f"{_PATH}/archive", archive, allowed(AREA, "write"), "POST"),
    PageRoute(f"{_PATH}/move", move, allowed(AREA, "write"), "POST"),
    PageRoute(f"{_PATH}/rename", rename, allowed(AREA, "write"), "POST"),
)
