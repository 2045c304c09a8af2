"""What the review says of attributes: secrets without a mark, and marks on what cannot be hidden."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from hansang.blueprint.document import document
from hansang.blueprint.lint import lint
from hansang.blueprint.subject import Design
from hansang.blueprint.words import ENGLISH, KOREAN
from hansang.design import GSI, Attr, Entity, Key, Personal, SecretField, Table, derived


class Accounts(Table, name="Accounts"):
    by_mail = GSI("ByMail", pk="mailLower")


class AccountKey(Key["Account"], pk="ACCOUNT#{phone}", sk="METADATA"):
    phone: Annotated[str, Personal()]


class Account(AccountKey, Entity, table=Accounts):
    mail: Annotated[str, Personal(roles=("owner",))]
    mail_lower = derived("mailLower", of="mail", by=str.lower)
    address: Annotated[str, Personal()]
    password_hash: Annotated[str, SecretField()]
    api_token: str
    reset: Annotated[str | None, Attr("resetSecret")] = None
    password_changed_at: datetime | None = None
    tokens_left: int = 3


def messages(code: str) -> list[str]:
    return [each.message for each in lint(Design([Accounts])) if each.code == code]


def test_a_text_with_the_name_of_a_secret_needs_a_mark() -> None:
    assert messages("H207") == [
        "Account.api_token has the name of a secret and no mark.",
        "Account.reset has the name of a secret and no mark.",
    ]


def test_a_marked_field_in_a_key_cannot_be_hidden() -> None:
    assert messages("H208") == [
        "Account.phone is marked, and it stands in the key PK.",
        "Account.mail is marked, and it stands in the key mailLower.",
    ]


def test_the_document_says_who_sees_a_field() -> None:
    design = Design([Accounts])
    assert "| `password_hash` | S | yes | Secret: shown to nobody. |" in document(design, ENGLISH)
    assert "| `address` | S | yes | Personal: shown to `owner`, `editor` only. |" in document(design, ENGLISH)
    assert "| `mail` | S | 예 | 개인 정보: `owner`에게만 보임. |" in document(design, KOREAN)
