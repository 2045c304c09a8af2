"""Names: of classes, fields and methods, from the names and the constants that a table has."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Collection

from hansang.design import Entity, Table, View

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STRANGE = re.compile(r"\W+")
_KEY_FIELD = re.compile(r"[a-z][a-z0-9_]*")

# What the written module uses by itself: a field of that name would hide it from the lines below.
_USED = {
    "str", "int", "bool", "bytes", "list", "dict", "frozenset", "date", "datetime", "pattern", "derived",
    "collection", "cls", "self", "typing", "decimal", "pydantic", "hansang",
}  # fmt: skip
_FIELDS = frozenset({*_USED, *(name for name in (*dir(Entity), *dir(View)))})
_OF_TABLES = frozenset(
    {*dir(Table), "name", "pk", "sk", "type_attribute", "stream", "expires", "indexes", "shapes", "views"}
)
CLASSES = frozenset(
    {
        "ALL", "Annotated", "Any", "Attr", "BaseModel", "ConfigDict", "Decimal", "Entity", "Expiry", "False",
        "GSI", "KEYS_ONLY", "Key", "LSI", "None", "Query", "Table", "Timestamp", "TimestampMs", "True", "View",
    }
)  # fmt: skip
"""Names that the written module imports, which no class of it can have."""


_OF_INDEX = re.compile(r"(?:pk|sk|(?:gsi|lsi|idx|index)\d*(?:pk|sk|hash|range|key)?|hash|range|key)")


def is_index_name(attribute: str) -> bool:
    """Whether an attribute is named as one that is there for an index alone: GSI1PK, OwnerSK."""
    return any(_OF_INDEX.fullmatch(word) for word in snake(attribute).split("_"))


def snake(text: str) -> str:
    """`createdAt`, `Created-At` and `CREATED_AT` as created_at; empty where nothing is left of it."""
    plain = unicodedata.normalize("NFKC", text)
    words = _STRANGE.sub("_", _HUMP.sub("_", plain)).strip("_").lower()
    return re.sub(r"__+", "_", words)


def camel(text: str) -> str:
    """The name of a class: `live_expense`, `LIVE-EXPENSE` and `liveExpense` as LiveExpense."""
    words = [word for word in _STRANGE.sub("_", unicodedata.normalize("NFKC", text)).split("_") if word]
    found = "".join(_capital(word) for word in words)
    return found if not found[:1].isdigit() else f"N{found}"


def _capital(word: str) -> str:
    is_shouted = word.isupper() and len(word) > 3
    return word.capitalize() if is_shouted else word[0].upper() + word[1:]


def singular(text: str) -> str:
    """One of what the name of a collection names: `entries` as entry."""
    for end, instead in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x")):
        if text.endswith(end) and len(text) > len(end) + 1:
            return text.removesuffix(end) + instead
    return text[:-1] if text.endswith("s") and not text.endswith(("ss", "us", "is")) else text


def field_name(text: str, taken: Collection[str], *, in_key: bool = False) -> str:
    """A field's name for an attribute; what stands in a key template has plain letters alone."""
    found = snake(text)
    if in_key and not _KEY_FIELD.fullmatch(found):
        found = re.sub(r"[^a-z0-9_]", "", found).strip("_")
    if not found or not found.isidentifier():
        found = f"field_{found}" if found and f"field_{found}".isidentifier() else "field"
    if keyword.iskeyword(found) or found in _FIELDS or found.startswith("model_"):
        found = f"{found}_"
    return distinct(found, taken)


def member_name(text: str, taken: Collection[str]) -> str:
    """The name of an index in its table's class, without the words that say that it is one."""
    plain = snake(text)
    found = plain.removeprefix("gsi_").removeprefix("lsi_").removesuffix("_index") or plain
    if not found.isidentifier() or not found.isascii() or keyword.iskeyword(found) or found in _OF_TABLES:
        found = f"index_{found}" if found and f"index_{found}".isidentifier() else "index"
    return distinct(found, taken)


def class_name(text: str, taken: Collection[str], otherwise: str = "Item") -> str:
    """A class's name that is none of those taken."""
    found = camel(text)
    if not found.isidentifier() or keyword.iskeyword(found):
        found = otherwise
    return distinct(found, {*taken, *CLASSES}, lambda name, number: f"{name}{number}")


def distinct(
    name: str,
    taken: Collection[str],
    numbered: Callable[[str, int], str] = lambda name, number: f"{name}_{number}",
) -> str:
    """The name, with a number behind it where it is taken."""
    found, number = name, 2
    while found in taken:
        found, number = numbered(name, number), number + 1
    return found
