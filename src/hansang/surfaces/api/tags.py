"""Entity tags in headers, after RFC 9110."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Header

from hansang.surfaces.api.problems import Problem

_TAG = re.compile(r'(W/)?"([^"]*)"')
ANY = "*"

IfMatch = Annotated[str | None, Header(alias="If-Match")]
IfMatchAtWill = Annotated[str | None, Header(alias="If-Match", json_schema_extra={"x-at-will": True})]
"""The tag of what was seen, from those who want to know whether somebody else was quicker."""
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match")]
TAGGED = {"ETag": {"schema": {"type": "string"}}}


def quoted(tag: str) -> str:
    """A tag as a header has it."""
    return f'"{tag}"'


def is_known(header: str, tag: str) -> bool:
    """Whether If-None-Match names the tag; compared weakly, so a proxy that compresses does no harm."""
    return header.strip() == ANY or any(found == tag for _, found in _TAG.findall(header))


def seen_tag(header: str | None) -> str | None:
    """The tag that If-Match names, if whoever writes has said what was seen."""
    if header is None or header.strip() == ANY:
        return None
    return next((found for weak, found in _TAG.findall(header) if not weak), "")


def needed(header: str | None, tag: str) -> str:
    """The tag, if If-Match is there and names it; the comparison is strong, for it is about writing."""
    if header is None:
        raise Problem("condition-needed")
    if header.strip() == ANY or any(not weak and found == tag for weak, found in _TAG.findall(header)):
        return tag
    raise Problem("changed-meanwhile")
