"""Codes as routes: what can be chosen, read and put."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from hansang.apps.assets.api.access import PATH, TAGGED_ANSWER, LedgerRoutes, asked_household, who
from hansang.apps.assets.codes import CodeItem, CodeType, type_of
from hansang.apps.assets.design import MOST_CODES, MOST_FAMILIES, AccountCodes, Code, Codes
from hansang.apps.assets.recording import AREA
from hansang.apps.assets.rules import LONGEST_CODE
from hansang.errors import InvalidInput
from hansang.parts.editing import Edit
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import IfMatchAtWill, quoted, seen_tag
from hansang.surfaces.shell import Shell

TypeAddress = Annotated[CodeType, InPath(alias="type", examples=["LIVING_EXPENSE_CATEGORY"])]
CodeText = Annotated[Code, Field(min_length=1, max_length=LONGEST_CODE)]
CodeTexts = Annotated[list[CodeText], Field(max_length=MOST_CODES)]
Families = Annotated[dict[str, CodeTexts], Field(max_length=MOST_FAMILIES)]


class CodesBody(BaseModel):
    """The codes of a kind in their order; of accounts, by family. A code that is left out is archived."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"codes": ["식비", "교통비", "의료비", "기타"]}}
    )

    codes: CodeTexts | Families
    labels: Annotated[dict[str, CodeText] | None, Field(max_length=MOST_CODES)] = None
    archived: CodeTexts | Families | None = None
    group_order: Annotated[list[CodeText] | None, Field(max_length=MOST_FAMILIES)] = None
    version: Annotated[str | None, Field(max_length=40)] = None


class CodesAnswer(BaseModel):
    """The codes of a kind; `version` is null while they are those that every household begins with."""

    type: CodeType
    codes: list[str] | dict[str, list[str]]
    labels: dict[str, str]
    archived: list[str] | dict[str, list[str]]
    group_order: list[str] | None
    version: str | None


class CodeRoutes(LedgerRoutes):
    """What can be chosen."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(f"{PATH}/codes", f"{AREA}.codes", self._reader)

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        return [
            self._group.route("GET", "/{type}", self.read, CodesAnswer, extra=TAGGED_ANSWER),
            self._group.route("PUT", "/{type}", self.put, CodesAnswer, rule=self._writer),
        ]

    def read(self, type: TypeAddress, principal: Principal) -> Response:  # noqa: A002 - the path's own name
        """The codes of a kind, in their order."""
        found, tag = self._assets.codes.stored(type)
        return answered(_shown(found, tag), ETag=quoted(tag or ""))

    def put(
        self,
        type: TypeAddress,  # noqa: A002
        given: Annotated[CodesBody, Body()],
        seen: IfMatchAtWill,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Store the codes of a kind; those that are left out are archived, since entries may have them."""
        item = _item(type, given)

        def work(beside: Beside[CodeItem]) -> CodeItem:
            def written(transaction: Any, edit: Edit[Any]) -> None:
                beside(transaction, edit.subject)

            return self._assets.codes.put(
                item,
                who(principal).actor,
                seen=seen_tag(seen) or given.version,
                request_id=who(principal).request_id,
                beside=written,
            )

        asked = f"{asked_household.get()} PUT {PATH}/codes/{type}\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, self._told)

    def _told(self, item: CodeItem) -> Response:
        return answered(_shown(item, self._shell.editing.etag(item)))


def _item(kind: CodeType, given: CodesBody) -> CodeItem:
    if kind == "ACCOUNT_TYPE":
        if not isinstance(given.codes, dict) or isinstance(given.archived, list):
            raise InvalidInput(
                "The accounts are given by family: an object of lists.",
                "codes",
                code="assets.codes-by-family",
            )
        return AccountCodes(
            codes=given.codes, labels=given.labels, archived=given.archived, group_order=given.group_order
        )
    if not isinstance(given.codes, list) or isinstance(given.archived, dict):
        raise InvalidInput(
            "The codes of {type} are one list.", "codes", code="assets.codes-one-list", values={"type": kind}
        )
    return Codes(kind=kind, codes=given.codes, labels=given.labels, archived=given.archived)


def _shown(item: CodeItem, version: str | None) -> CodesAnswer:
    return CodesAnswer(
        type=type_of(item),
        codes=item.codes,
        labels=item.labels or {},
        archived=item.archived or ([] if isinstance(item, Codes) else {}),
        group_order=item.group_order if isinstance(item, AccountCodes) else None,
        version=version,
    )
