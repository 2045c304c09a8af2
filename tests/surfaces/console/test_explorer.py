"""Working with items on the data pages: duplicates, editing as JSON, questions under a name, rankings."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from urllib.parse import urlencode

import pytest

from hansang.apps.application import Application
from hansang.apps.assets.design import Income, IncomeKey
from hansang.parts.words import Language
from hansang.surfaces.shell import Shell
from tests.apps.assets.household import income
from tests.apps.codex.site import banner, inquiry
from tests.apps.rankings.players import snapshot
from tests.surfaces.by_hand import BY_HAND
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor

ASSETS = "/data/assets/tables/AssetManager"
KEY = IncomeKey(year_month="2025.01", name="배우자1", income_type="월급")
AT = urlencode({"pk": "INCOME#2025.01", "sk": "배우자1#월급"})
JSON = f"{ASSETS}/edit-json?{AT}"


@pytest.fixture
def applications() -> tuple[Application, ...]:
    """A ledger that is written by hand."""
    return BY_HAND


@pytest.fixture
def stored(shell: Shell) -> Income:
    return shell.database.put(income())


def value(page: Page, name: str) -> str:
    return page.all("input", name=name)[0]["value"] or ""


# ── duplicating ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("stored")
def test_a_duplicate_begins_with_the_values_of_the_item(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor")
    [copy] = [each for each in editor.get(f"{ASSETS}/item?{AT}").links if "/new/Income?" in each]
    page = editor.get(copy)
    found = {own["name"] or "": own.get("value") or "" for own in page.all("input") if own.get("name")}
    fields = {name: text for name, text in found.items() if name.startswith("value-")}
    assert fields["value-name"] == "배우자1"
    assert editor.send(copy, **fields).status == 409
    editor.get(copy)
    assert editor.send(copy, **{**fields, "value-name": "배우자2"}).status == 303
    twin = shell.database.get(KEY.model_copy(update={"name": "배우자2"}))
    assert twin.amount == shell.database.get(KEY).amount


@pytest.mark.usefixtures("stored")
def test_whoever_may_only_read_duplicates_nothing(visitor: Visitor) -> None:
    assert not any("/new/" in each for each in visitor("viewer").get(f"{ASSETS}/item?{AT}").links)


# ── as JSON ───────────────────────────────────────────────────────────────────────────────────────


def written(browser: Browser, **changed: object) -> tuple[dict[str, object], str]:
    page = browser.get(JSON)
    [start] = [at for at in range(len(page.text)) if page.text.startswith("<textarea", at)]
    text = page.text[page.text.index(">", start) + 1 : page.text.index("</textarea>")]
    fields = json.loads(text.replace("&#34;", '"'))
    return {**fields, **changed}, value(page, "etag")


def sent(browser: Browser, fields: object, etag: str) -> Page:
    return browser.send(
        JSON, fields=json.dumps(fields) if isinstance(fields, dict) else str(fields), etag=etag
    )


@pytest.mark.usefixtures("stored")
def test_an_item_is_edited_as_json_and_undone(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor")
    done = sent(editor, *written(editor, amount=7))
    assert done.status == 303
    assert shell.database.get(KEY).amount == 7
    [change] = shell.history.page("assets")
    assert (change.verb, change.actor_name) == ("replace", "editor")
    shell.editing.undo(change.id, change.actor)
    assert shell.database.get(KEY) == income()


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"amount": -5}, "0 이상이어야 합니다"),
        ({"amount": "much"}, "정수를 입력하십시오"),
        ({"colour": "red"}, "이 엔티티에 없는 필드입니다"),
        ({"name": "배우자2"}, "키는 바꿀 수 없습니다"),
    ],
)
def test_json_has_the_checks_of_the_form(
    visitor: Visitor, shell: Shell, changed: dict[str, object], said: str
) -> None:
    editor = visitor("editor")
    page = sent(editor, *written(editor, **changed))
    assert page.status == 422
    assert said in page.shown
    assert shell.database.get(KEY) == income()


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n  "amount": 7,,\n}', "2번째 줄 15번째 글자"),
        ('{"amount": NaN}', "올바른 JSON이 아닙니다"),
        ("[]", "JSON 객체를 적으십시오"),
        ("7", "JSON 객체를 적으십시오"),
    ],
)
def test_what_is_no_object_of_json_is_said_with_its_place(visitor: Visitor, text: str, said: str) -> None:
    editor = visitor("editor")
    _, etag = written(editor)
    page = sent(editor, text, etag)
    assert page.status == 422
    assert said in page.shown


@pytest.mark.usefixtures("stored")
def test_json_of_an_item_that_was_changed_meanwhile_is_not_stored(visitor: Visitor, shell: Shell) -> None:
    editor = visitor("editor")
    fields, etag = written(editor, amount=7)
    shell.database.put(income(amount=8))
    page = sent(editor, fields, etag)
    assert page.status == 409
    assert shell.database.get(KEY).amount == 8
    assert sent(editor, fields, value(page, "etag")).status == 303
    assert shell.database.get(KEY).amount == 7


def test_an_item_with_hidden_values_is_neither_edited_as_json_nor_duplicated(
    visitor: Visitor, shell: Shell
) -> None:
    asked = shell.database.put(inquiry())
    site, at = "/data/codex/tables/FMWebAppTable", urlencode({"pk": f"CONTACT#{asked.id}", "sk": "METADATA"})
    editor, owner = visitor("editor"), visitor("owner")
    for verb in ("edit-json", "new/ContactInquiry"):
        assert f"{site}/{verb}?{at}" not in editor.get(f"{site}/item?{at}").links
        assert editor.get(f"{site}/{verb}?{at}").status == 403
        assert f"{site}/{verb}?{at}" in owner.get(f"{site}/item?{at}").links
        assert asked.message in owner.get(f"{site}/{verb}?{at}").text


# ── saved questions ───────────────────────────────────────────────────────────────────────────────

QUESTION = "/data/assets/patterns/Income.of_month?arg-month=2025.01"


def save(browser: Browser, title: str = "1월 수입", address: str = QUESTION, **more: str) -> Page:
    browser.get(QUESTION)
    return browser.send("/data/assets/questions", title=title, address=address, **more)


def test_a_question_is_saved_listed_opened_and_deleted(visitor: Visitor) -> None:
    viewer = visitor("viewer")
    assert save(viewer).location == QUESTION
    page = viewer.get("/data/assets")
    assert "1월 수입" in page.shown
    assert QUESTION in page.links
    assert "1월 수입" not in visitor("editor").get("/data/assets").shown
    page = viewer.get("/data/assets")
    viewer.send("/data/assets/questions/delete", id=value(page, "id"))
    assert "1월 수입" not in viewer.get("/data/assets").shown


def test_a_shared_question_is_seen_by_others_and_deleted_by_its_owner_alone(visitor: Visitor) -> None:
    viewer, editor = visitor("viewer"), visitor("editor")
    save(viewer, shared="yes")
    page = editor.get("/data/assets")
    assert "viewer님이 공유" in page.shown
    assert page.all("input", name="id") == []
    question = value(viewer.get("/data/assets"), "id")
    assert editor.send("/data/assets/questions/delete", id=question).status == 404
    assert "1월 수입" in viewer.get("/data/assets").shown


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com",
        "//example.com",
        "/admin",
        "/data/news/x",
        "/data/assets/../x",
        "/data/assets/%2e%2e/x",
    ],
)
def test_only_a_page_of_the_application_is_saved(visitor: Visitor, address: str) -> None:
    assert save(visitor("viewer"), address=address).status == 422


def test_a_question_without_a_name_is_refused(visitor: Visitor) -> None:
    assert save(visitor("viewer"), title=" ").status == 422


# ── rankings ──────────────────────────────────────────────────────────────────────────────────────


def test_a_ranking_has_ranks_that_go_on_from_page_to_page(visitor: Visitor, shell: Shell) -> None:
    day = date(2026, 11, 3)
    for number in range(12):
        shell.database.put(snapshot(number, day, level=70 - number))
    browser, path = visitor("viewer"), "/data/rankings/patterns/LevelRow.ranking"
    page = browser.get(f"{path}?arg-day=2026-11-03&limit=10")
    assert page.all("th", **{"data-column": "rank"}) != []
    [following] = [own["href"] for own in page.all("a", rel="next")]
    assert "11–12 / 총 12개" in browser.get(f"{path}{following}").shown
    between = browser.get("/data/rankings/patterns/LevelRow.between?arg-day=2026-11-03&arg-low=1&arg-high=99")
    assert between.all("th", **{"data-column": "rank"}) == []


def test_equals_share_a_rank_and_the_first_of_a_page_says_that_it_may_be_higher(
    visitor: Visitor, shell: Shell
) -> None:
    for number, level in enumerate([70, 69, 69, *range(68, 61, -1), 62, 61]):
        shell.database.put(snapshot(number, date(2026, 11, 4), level=level))
    browser, path = visitor("viewer", "en"), "/data/rankings/patterns/LevelRow.ranking"
    page = browser.get(f"{path}?arg-day=2026-11-04&limit=10")
    assert ranks(page) == [*"122456789", "10"]
    [following] = [own["href"] for own in page.all("a", rel="next")]
    assert ranks(browser.get(f"{path}{following}")) == ["≤ 11", "12"]


def ranks(page: Page) -> list[str]:
    cells = re.findall(r'<td[^>]* data-label="Rank">(.*?)</td>', page.text)
    return [re.sub("<[^>]*>", "", each) for each in cells]


# ── values for people ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("language", "moment", "answer"),
    [("ko", "2026년 11월 3일 12:04:05 KST", "예"), ("en", "3 Nov 2026 12:04:05 KST", "Yes")],
)
def test_an_item_shows_moments_and_answers_as_its_reader_writes_them(
    visitor: Visitor, shell: Shell, language: Language, moment: str, answer: str
) -> None:
    at = datetime(2026, 11, 3, 3, 4, 5, tzinfo=UTC)
    shown = shell.database.put(banner().model_copy(update={"starts_at": at, "is_active": True}))
    place = urlencode({"pk": f"BANNER#{shown.id}", "sk": "METADATA"})
    page = visitor("viewer", language).get(f"/data/codex/tables/FMWebAppTable/item?{place}")
    assert page.status == 200
    assert moment in page.shown
    assert f"is_active {answer} " in page.shown
