"""The book of a household: which months it has, and from which on its balances are not right yet."""

from __future__ import annotations

from hansang.apps.assets.design import MOST_CODES, AssetManager, Book, BookKey
from hansang.apps.assets.rules import month_after, month_before, months_between
from hansang.design import Database
from hansang.errors import InvalidInput


def find_book(database: Database) -> Book:
    """The book as it was last written; of items that came without one, as they are."""
    return database.find(BookKey(), consistent=True) or _discovered(database)


def _discovered(database: Database) -> Book:
    """The book of items that were written without one; nothing is known of their balances, so all are wrong."""
    months: dict[str, set[str]] = {}
    request = {
        "TableName": database.name(AssetManager),
        "ProjectionExpression": "#m, #k",
        "ExpressionAttributeNames": {"#m": AssetManager.by_month.pk, "#k": AssetManager.pk},
        "ConsistentRead": True,
    }
    start = None
    while True:
        page = database.call(
            "Scan", request | ({"ExclusiveStartKey": start} if start else {}), "Book.discover"
        )
        for item in page["Items"]:
            if "yearMonth" in item:
                kind = str(item["PK"]["S"]).partition("#")[0]
                months.setdefault(str(item["yearMonth"]["S"]), set()).add(kind)
        start = page.get("LastEvaluatedKey")
        if start is None:
            break
    if not months:
        return Book()
    first, last = min(months), max(months)
    if months[first] != {"ACCUMULATED_ASSETS"}:
        return Book(first=first, last=last, wrong_since=first)
    following = min((month for month in months if month > first), default=None)
    return Book(
        first=following, last=following and last, opening=first, wrong_since=following and month_after(first)
    )


def chain_start(book: Book) -> str | None:
    """The first month that has balances of its own: behind the opening, or the first with entries."""
    return book.first if book.opening is None else month_after(book.opening)


def is_right(book: Book, month: str) -> bool:
    """Whether the balances of a month are as its entries say."""
    return book.wrong_since is None or month < book.wrong_since


def is_recalculating(book: Book | None, month: str) -> bool:
    """Whether the balances of a month are still being worked out."""
    return book is not None and not is_right(book, month) and book.last is not None and month <= book.last


def expect_open(book: Book, month: str) -> None:
    """Refuse an entry in a month that lies before the opening balances, or far from every other."""
    expect_near(book, month)
    if book.opening is not None and month <= book.opening:
        raise InvalidInput(
            "The household has its opening balances at the end of {opening}, so {month} comes before its first "
            "month. Set the opening balances to an earlier month first: PUT /api/assets/opening.",
            code="assets.before-opening",
            values={"opening": book.opening, "month": month},
        )


def expect_near(book: Book, month: str) -> None:
    """Refuse a month so far from the others that balances would be kept for thousands of empty ones between."""
    known = [each for each in (book.opening, book.first, book.last) if each is not None]
    if known and months_between(min([*known, month]), max([*known, month])) >= MOST_CODES:
        raise InvalidInput(
            "{month} is too far from the months that there are: {first} to {last}.",
            "month",
            code="assets.month-too-far",
            values={"month": month, "first": min(known), "last": max(known)},
        )


def with_month(book: Book, month: str, *, is_settled: bool) -> Book:
    """The book when an entry of a month has changed; settled if its own balances are written with the entry."""
    first = min(filter(None, (book.first, month)))
    last = max(filter(None, (book.last, month)))
    since = [book.wrong_since] if book.wrong_since is not None else []
    if not is_settled:
        since.append(month)
        since += [month_after(book.last)] if book.last is not None and month > book.last else []
        since += [month_after(book.opening)] if book.last is None and book.opening is not None else []
    elif month < last:
        since.append(month_after(month))
    return book.model_copy(update={"first": first, "last": last, "wrong_since": min(since, default=None)})


def base_month(book: Book, month: str) -> str | None:
    """The month whose balances those of this one follow from, if they are known to be right; empty for none at all."""
    before = month_before(month)
    if not is_right(book, before):
        return None
    if before == book.opening:
        return before
    start = chain_start(book)
    if book.opening is None and (start is None or month <= start):
        return ""
    return before if start is not None and book.last is not None and start <= before <= book.last else None


def has_balances(book: Book, month: str) -> bool:
    """Whether a month is one of those that have balances."""
    start = chain_start(book)
    return start is not None and book.last is not None and start <= month <= book.last
