"""What the application says in English about lines, pages and articles, in the language of whoever looks."""

from __future__ import annotations

import re

from hansang.surfaces.console.pages import Visit

# A text that fits none of these is shown as it is: it comes from outside, such as an answer of a server.
_SAYINGS = tuple(
    (re.compile(pattern, re.DOTALL), f"news.said.{key}")
    for pattern, key in (
        (r"a line has to be an object\b.*", "no_object"),
        (r"url has to be a text\b.*", "no_url"),
        (r"title has to be a text\b.*", "no_title"),
        (r"url and title have to be valid Unicode.*", "no_unicode"),
        (r"tickers have to be\b.*", "no_tickers"),
        (r"a ticker has at most (?P<most>[\d,]+) characters.*", "long_ticker"),
        (r"a link has at most (?P<most>[\d,]+) tickers.*", "many_tickers"),
        (r"the size of title, url and tickers is over (?P<most>[\d,]+) bytes.*", "large_link"),
        (r"no JSON: .*\bcolumn (?P<column>\d+).*", "no_json_at"),
        (r"no JSON: .*", "no_json"),
        (r"the key is that of (?P<url>.*)", "same_key"),
        (r"The page has no links that the adapter (?P<adapter>\w+) knows\..*", "no_links"),
        (r"(?P<missing>\d+) of (?P<all>\d+) links have no title\b.*", "missing_title"),
        (r"(?P<missing>\d+) of (?P<all>\d+) links have no whole url\b.*", "missing_url"),
        (r"The page has only (?P<count>\d+) links\b.*", "few_links"),
    )
)


def said(visit: Visit, text: str) -> str:
    """A text of the application as this reader reads it."""
    for pattern, key in _SAYINGS:
        if found := pattern.fullmatch(text):
            return visit.t(key, **found.groupdict())
    return text
