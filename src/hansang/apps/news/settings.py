"""What the news list does on its own account, as whoever runs it has chosen."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_network

from hansang.apps.news.design import YAHOO_LATEST
from hansang.errors import SettingsError
from hansang.parts.schedules import Schedule

_HOURLY = Schedule.every(3600)


@dataclass(frozen=True, slots=True)
class NewsSettings:
    """Which pages are fetched, and when."""

    fetch_sources: tuple[str, ...] = ()
    """Addresses of list pages and feeds, each with the name of its source before it: example=https://…"""
    fetch_at: Schedule = _HOURLY
    fetch_private: tuple[str, ...] = ()
    """Addresses and networks that may be fetched from although they are not public: 10.0.0.0/8."""

    def __post_init__(self) -> None:
        for name, url in self.pages:
            if not name.strip() or not url.startswith(("http://", "https://")):
                raise SettingsError(
                    f"{name}={url} is not a page to fetch. Write its source and its address: "
                    "example=https://news.example/latest."
                )

        for network in self.fetch_private:
            try:
                ip_network(network, strict=False)
            except ValueError:
                raise SettingsError(
                    f"{network} is not a valid network to fetch from. Write an address or a network: 10.0.0.0/8."
                ) from None

    @property
    def pages(self) -> list[tuple[str, str]]:
        """The pages as source and address; a page without a source is of the usual one."""
        return [_page(each) for each in self.fetch_sources]


def _page(text: str) -> tuple[str, str]:
    if text.startswith(("http://", "https://")):
        return YAHOO_LATEST, text
    name, _, url = text.partition("=")
    return name, url
