"""What the environment says. Nothing else in Hansang reads it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, TypeVar, cast, get_args, get_origin, get_type_hints

from hansang.errors import HansangError, SettingsError

A = TypeVar("A")
Durability = Literal["full", "normal"]


@dataclass(frozen=True, slots=True)
class WireSettings:
    """How the DynamoDB endpoint is served."""

    data: str = "hansang.db"
    host: str = "127.0.0.1"
    port: int = 8000
    access_key: str | None = None
    secret_key: str | None = field(default=None, repr=False)
    region: str = "us-east-1"
    durability: Durability = "full"
    table_names: Mapping[str, str] | None = None
    """Names of single tables; that of the platform's is not served without keys."""
    creating_seconds: float = 0
    """For how long a new table is being made, and refuses items."""
    buckets: str | None = None
    """The folder whose folders are buckets, to exports and imports; without it there are none."""
    throttling: bool = False
    """Whether a data file refuses what AWS would throttle."""

    @classmethod
    def chosen(cls, given: Mapping[str, object], environ: Mapping[str, str] | None = None) -> Self:
        """The settings given, else those of the environment, else the defaults."""
        settings = cls(**_chosen(_WIRE, given, environ))
        if (settings.access_key is None) != (settings.secret_key is None):
            raise SettingsError("Give both --access-key and --secret-key, or neither.")
        return settings

    @property
    def has_keys(self) -> bool:
        return self.access_key is not None


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How the server with its API and its console is run."""

    data: str = "hansang.db"
    host: str = "127.0.0.1"
    port: int = 8750
    workers: int = 1
    region: str = "us-east-1"
    durability: Durability = "full"
    public_url: str | None = None
    """Where people reach the server, when that is not the address it listens on: https://hansang.example."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks of proxies whose X-Forwarded-For is believed; nobody's when none is named."""
    allowed_hosts: tuple[str, ...] = ()
    """Names that requests may ask for besides this machine, the address reached and the host of the public URL."""
    jobs: bool = True
    """Whether this server runs the background jobs."""
    rate: int = 600
    """Requests a minute that one key, person or address may send."""
    public_rate: int = 120
    """Requests a minute that one address may send for what is public, when nobody has signed in."""
    largest_body: int = 8 * 1024 * 1024
    time_limit: int = 30
    """Seconds in which a request that only reads has to be answered, and each further part of a long answer."""
    grace: int = 20
    """Seconds that a server which stops gives to the requests that it has received."""
    throttling: bool = False
    """Whether a data file refuses what AWS would throttle."""
    log: Literal["json", "text"] = "json"
    apps: tuple[str, ...] = ()
    """The applications that are served, by name; all of them when none is named."""
    table_suffix: str | None = None
    """What stands behind the name of every table, so that one account can have several of each: -dev."""
    table_names: Mapping[str, str] | None = None
    """Names of single tables instead of those in their designs: news_items=site-news."""
    encryption_key: str | None = field(default=None, repr=False)
    """What secrets are encrypted with; without it a data file has a key file beside it."""
    backup_to: str | None = None
    """Where backups of the data file go by themselves: a folder, or s3://bucket/prefix; none are made without it."""
    backup_at: str = "daily 03:00"
    """When, as a schedule: daily 03:00, weekly SUN 03:00 UTC, every 21600."""
    backup_keep: str = "7 daily, 4 weekly, 12 monthly"
    """How many are kept."""

    @classmethod
    def chosen(cls, given: Mapping[str, object], environ: Mapping[str, str] | None = None) -> Self:
        """The settings given, else those of the environment, else the defaults."""
        return cls(**_chosen(tuple(cls.__dataclass_fields__), given, environ))

    @property
    def suffix_option(self) -> str:
        """What a command that makes tables has to be given for the suffix."""
        return f" --suffix={self.table_suffix}" if self.table_suffix else ""

    @property
    def is_secure(self) -> bool:
        """Whether people come by HTTPS, so that cookies may ask for it."""
        return self.public_url is not None and self.public_url.startswith("https://")


_WIRE = (
    "data",
    "host",
    "port",
    "access_key",
    "secret_key",
    "region",
    "durability",
    "table_names",
    "creating_seconds",
    "buckets",
    "throttling",
)


def _chosen(
    names: tuple[str, ...], given: Mapping[str, object], environ: Mapping[str, str] | None
) -> dict[str, Any]:
    said = _said(os.environ if environ is None else environ, names)
    return said | {name: value for name, value in given.items() if value is not None}


def _said(environ: Mapping[str, str], names: tuple[str, ...]) -> dict[str, object]:
    said = {
        name: environ[f"HANSANG_{name.upper()}"] for name in names if environ.get(f"HANSANG_{name.upper()}")
    }
    converted: dict[str, object] = dict(said)
    for name, convert in _CONVERTERS.items():
        if name in said:
            converted[name] = convert(said[name])
    return converted


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= 65535):
        raise SettingsError(f"HANSANG_PORT has to be a number from 0 to 65535, not {text!r}.")
    return int(text)


def _durability(text: str) -> Durability:
    if text not in ("full", "normal"):
        raise SettingsError(f"HANSANG_DURABILITY has to be full or normal, not {text!r}.")
    return cast(Durability, text)


def _whole(name: str) -> Callable[[str], int]:
    def convert(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and int(text) > 0):
            raise SettingsError(f"HANSANG_{name} has to be a whole number above 0, not {text!r}.")
        return int(text)

    return convert


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        raise SettingsError(f"HANSANG_CREATING_SECONDS has to be a number of seconds, not {text!r}.")
    return float(text)


def _yes(name: str) -> Callable[[str], bool]:
    def convert(text: str) -> bool:
        if text not in ("yes", "no"):
            raise SettingsError(f"HANSANG_{name} has to be yes or no, not {text!r}.")
        return text == "yes"

    return convert


def _log(text: str) -> Literal["json", "text"]:
    if text not in ("json", "text"):
        raise SettingsError(f"HANSANG_LOG has to be json or text, not {text!r}.")
    return cast(Literal["json", "text"], text)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def renamed_tables(text: str) -> dict[str, str]:
    """The names of single tables from `TABLE=NAME,TABLE=NAME`."""
    pairs = [each.partition("=") for each in _names(text)]
    for table, equals, name in pairs:
        if not (table.strip() and equals and _NAMED.fullmatch(name.strip())):
            raise SettingsError(
                f"HANSANG_TABLE_NAMES has to be pairs such as news_items=site-news, with commas between, not {text!r}."
            )
    return {table.strip(): name.strip() for table, _, name in pairs}


def _suffix(text: str) -> str:
    if not _NAMED.fullmatch(text):
        raise SettingsError(f"HANSANG_TABLE_SUFFIX has to be letters, digits, _, . and -, not {text!r}.")
    return text


# ── applications ──────────────────────────────────────────────────────────────────────────────────


def application_settings(name: str, kind: type[A], environ: Mapping[str, str] | None = None) -> A:
    """The settings of an application from their variables, else the defaults; the types are those of its dataclass.

    A field is a text, a number, a bool (yes or no), a tuple of texts with commas between, one of some texts, or of a
    class that can `parse` a text.
    """
    types, said = get_type_hints(kind), said_of(name, kind, environ)
    found: dict[str, Any] = {}
    for each in fields(cast(Any, kind)):
        variable = setting_name(name, each.name)
        if variable in said:
            found[each.name] = _converted(variable, types[each.name], said[variable])
    try:
        return kind(**found)
    except (TypeError, ValueError) as fault:
        raise SettingsError(f"The settings of {name} are not valid: {fault}") from fault


def said_of(name: str, kind: type[Any], environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of an application's settings that are set, with their texts."""
    said = os.environ if environ is None else environ
    names = [setting_name(name, each.name) for each in fields(kind)]
    return {each: said[each] for each in names if said.get(each)}


def setting_name(application: str, field_name: str) -> str:
    """The variable of a setting of an application: HANSANG_NEWS_FETCH_AT."""
    return f"HANSANG_{application.replace('-', '_')}_{field_name}".upper()


def _converted(variable: str, kind: Any, text: str) -> Any:
    options = [each for each in get_args(kind) if each is not type(None)]
    if get_origin(kind) is Literal:
        named = {str(each): each for each in options}
        if text not in named:
            raise SettingsError(f"{variable} has to be one of {', '.join(named)}, not {text!r}.")
        return named[text]
    if get_origin(kind) is tuple:
        return tuple(_converted(variable, options[0], each) for each in _names(text))
    if options:  # An optional one.
        return _converted(variable, options[0], text)
    if kind is bool:
        if text not in ("yes", "no"):
            raise SettingsError(f"{variable} has to be yes or no, not {text!r}.")
        return text == "yes"
    try:
        return (getattr(kind, "parse", None) or kind)(text)
    except (ValueError, HansangError) as fault:
        raise SettingsError(f"{variable}: {fault}") from fault


def named_applications(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The applications that the environment names, whatever else it says."""
    return _names((os.environ if environ is None else environ).get("HANSANG_APPS", ""))


_NAMED = re.compile(r"[a-zA-Z0-9_.-]+")
_CONVERTERS: dict[str, Callable[[str], object]] = {
    "port": _port,
    "durability": _durability,
    "workers": _whole("WORKERS"),
    "rate": _whole("RATE"),
    "public_rate": _whole("PUBLIC_RATE"),
    "largest_body": _whole("LARGEST_BODY"),
    "time_limit": _whole("TIME_LIMIT"),
    "grace": _whole("GRACE"),
    "creating_seconds": _seconds,
    "jobs": _yes("JOBS"),
    "throttling": _yes("THROTTLING"),
    "log": _log,
    "apps": _names,
    "trusted_proxies": _names,
    "allowed_hosts": _names,
    "table_suffix": _suffix,
    "table_names": renamed_tables,
}


@contextmanager
def lent_environment(values: Mapping[str, str]) -> Iterator[None]:
    """Variables that are not set have these values for a while; for other libraries, which read them."""
    lent = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(lent)
    try:
        yield
    finally:
        for name, value in lent.items():
            if os.environ.get(name) == value:
                del os.environ[name]
