"""Forms made from designs: their words, their widgets without a script, and what is said of wrong values."""

from __future__ import annotations

import pytest

from hansang.apps.application import Application
from hansang.apps.codex.design import Category, Credentials, Post, User
from hansang.surfaces.console.form_texts import grouped
from hansang.surfaces.shell import Shell
from tests.apps.assets.household import income
from tests.surfaces.by_hand import BY_HAND
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.changed import AT
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.console.test_data import EDIT, KEY, NEW, filled

NEW_POST = "/data/codex/tables/FMWebAppTable/new/Post"
USERS = "/data/codex/references/User?label=display_name"


@pytest.fixture
def applications() -> tuple[Application, ...]:
    """A ledger that is written by hand."""
    return BY_HAND


@pytest.fixture
def site(shell: Shell) -> None:
    for number, name in enumerate(("김대연", "이해솔")):
        shell.database.put(
            User(id=f"u{number}", display_name=name, role="editor", created_at=AT, updated_at=AT)
        )
    shell.database.put(Category(id="c1", title="소식", desc="", created_at=AT, updated_at=AT))


def post(browser: Browser, **changed: str) -> Page:
    given = {"category_id": "c1", "id": "p1", "author_id": "u0", "title": "Title", "contents": "Text"}
    return browser.send(NEW_POST, **filled(browser.get(NEW_POST), **(given | changed)))


# ── words ─────────────────────────────────────────────────────────────────────────────────────────


def test_fields_have_names_and_help_in_both_languages_and_what_is_optional_is_marked(
    visitor: Visitor,
) -> None:
    korean, english = visitor("editor").get(NEW), visitor("editor", "en").get(NEW)
    assert "수입 만들기" in korean.shown
    assert "New income" in english.shown
    assert "한 달 동안의 금액을 원 단위로 적습니다." in korean.shown
    assert "The amount of the whole month, in won." in english.shown
    assert "Payments optional" in english.shown
    assert "Amount optional" not in english.shown
    assert "income_type" not in english.shown


def test_nobody_types_when_something_was_written(visitor: Visitor) -> None:
    page = visitor("editor").get(NEW)
    assert not page.all("input", name="value-created_at")
    assert not page.all("input", name="value-updated_at")


@pytest.mark.usefixtures("site")
def test_a_choice_is_called_as_people_call_it(visitor: Visitor) -> None:
    page = visitor("editor").get("/data/codex/tables/FMWebAppTable/new/ContactInquiry")
    assert "처리 중" in page.shown
    assert page.all("option", value="in_progress")


# ── what is wrong ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("title", ["", "   "])
def test_a_title_is_required(visitor: Visitor, shell: Shell, title: str) -> None:
    page = post(visitor("editor", "en"), title=title)
    assert page.status == 422
    assert "Title : Enter a value." in page.shown
    assert shell.database.all(Post.latest()) == []


def test_the_first_wrong_field_has_the_focus_and_every_one_is_described(visitor: Visitor) -> None:
    editor = visitor("editor")
    page = editor.send(
        NEW, **filled(editor.get(NEW), year_month="10월", amount="-1", name="가", income_type="나")
    )
    wrong = [own for own in page.all("input") if own.get("aria-invalid")]
    assert [own["name"] for own in wrong] == ["value-year_month", "value-amount"]
    assert all("autofocus" in own for own in wrong)
    for own in wrong:
        described = (own["aria-describedby"] or "").split()
        assert described == [f"f-{own['name']}-error", f"f-{own['name']}-hint"]
        assert all(page.all("p", id=each) for each in described)
        assert f"#f-{own['name']}" in page.links
    assert "월 : 2025.01처럼 입력하십시오." in page.shown
    assert "[0-9]" not in page.shown


@pytest.mark.usefixtures("site")
def test_what_a_check_refuses_is_said_at_its_field(visitor: Visitor) -> None:
    page = post(visitor("editor"), author_id="nobody")
    assert page.status == 422
    assert page.all("input", name="value-author_id")[0]["aria-invalid"] == "true"
    assert "작성자 : 사용자 nobody를 찾을 수 없습니다." in page.shown


def test_what_is_wrong_in_a_row_is_named_by_its_label_and_its_row(visitor: Visitor) -> None:
    rows = {"entries.0.date": "2025-01-01", "entries.0.amount": "1", "entries.7.amount": "2"}
    given = {"year_month": "2025.01", "name": "가", "income_type": "나", "amount": "3"} | rows
    for language, said in (("ko", "2번째 줄 일자 : 값을"), ("en", "Date, row 2 : Enter a value.")):
        editor = visitor("editor", language)
        page = editor.send(NEW, **filled(editor.get(NEW), **given))
        assert said in page.shown
        assert page.all("input", name="value-entries.7.date")[0]["aria-invalid"] == "true"


def test_json_that_is_wrong_inside_says_where_in_words(visitor: Visitor) -> None:
    given = {
        "year_month": "2025.01",
        "name": "가",
        "income_type": "나",
        "amount": "3",
        "entries": '[{"amount": 1}]',
    }
    editor = visitor("editor", "en")
    page = editor.send(NEW, **filled(editor.get(NEW), **given))
    assert "Date, row 1: Enter a value." in page.shown
    assert "Field required" not in page.shown


# ── widgets without a script ──────────────────────────────────────────────────────────────────────


def test_rows_are_added_removed_and_moved_by_buttons(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(income())
    editor = visitor("editor")
    page = editor.send(EDIT, **filled(editor.get(EDIT)), rows="add:entries")
    assert page.status == 200
    first = filled(page, **{"entries.0.date": "2025-01-02", "entries.0.amount": "1,000"})
    page = editor.send(EDIT, **first, rows="add:entries")
    both = filled(page, **{"entries.1.date": "2025-01-01", "entries.1.amount": "2000"})
    page = editor.send(EDIT, **both, rows="up:entries:1")
    assert editor.send(EDIT, **filled(page)).status == 303
    assert [each.amount for each in shell.database.get(KEY).entries or ()] == [2000, 1000]
    page = editor.send(EDIT, **filled(editor.get(EDIT)), rows="remove:entries:0")
    editor.send(EDIT, **filled(page))
    assert [each.amount for each in shell.database.get(KEY).entries or ()] == [1000]


@pytest.mark.usefixtures("site")
def test_a_reference_is_found_by_name_or_id_by_whoever_may_read(visitor: Visitor) -> None:
    viewer = visitor("viewer")
    assert viewer.client.get(f"{USERS}&q=해솔").json() == [{"value": "u1", "label": "이해솔"}]
    assert {each["value"] for each in viewer.client.get(f"{USERS}&q=U").json()} == {"u0", "u1"}
    assert visitor("guest").get(USERS).status == 403
    assert viewer.get("/data/codex/references/Nothing").status == 404
    assert {own["value"] for own in visitor("editor").get(NEW_POST).all("option")} >= {"u0", "u1", "c1"}


def test_what_is_guarded_is_no_reference(visitor: Visitor, shell: Shell) -> None:
    shell.database.put(Credentials(user_id="u1", password_hash="$scrypt$secret"))
    assert visitor("editor").get("/data/codex/references/Credentials?label=password_hash").status == 403
    owner = visitor("owner").client.get("/data/codex/references/Credentials?label=password_hash")
    assert "scrypt" not in owner.text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("3500000", "3,500,000"), ("-1200", "-1,200"), ("many", "many"), ("", ""), ("1,2", "1,2")],
)
def test_digits_are_grouped(text: str, shown: str) -> None:
    assert grouped(text) == shown


def test_a_pattern_refuses_what_a_form_refuses(visitor: Visitor) -> None:
    page = visitor("viewer").get("/data/news/patterns/Run.of_month?arg-month=10%EC%9B%94")
    assert "월 : 2026-11처럼 입력하십시오." in page.shown
    assert page.all("input", name="arg-month")[0]["aria-invalid"] == "true"
