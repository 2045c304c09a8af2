"""Where a setting comes from, and which settings mean nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from hansang.errors import SettingsError
from hansang.parts.schedules import Schedule
from hansang.settings import ServerSettings, WireSettings, application_settings


def test_without_a_word_the_defaults_hold() -> None:
    assert WireSettings.chosen({}, {}) == WireSettings()


def test_the_environment_is_heard() -> None:
    environ = {
        "HANSANG_DATA": "a.db",
        "HANSANG_HOST": "::1",
        "HANSANG_PORT": "0",
        "HANSANG_ACCESS_KEY": "key",
        "HANSANG_SECRET_KEY": "secret",
        "HANSANG_REGION": "ap-northeast-2",
        "HANSANG_DURABILITY": "normal",
    }
    assert WireSettings.chosen({}, environ) == WireSettings(
        "a.db", "::1", 0, "key", "secret", "ap-northeast-2", "normal"
    )


def test_a_table_may_be_told_to_take_its_time() -> None:
    assert WireSettings.chosen({}, {"HANSANG_CREATING_SECONDS": "0.5"}).creating_seconds == 0.5
    with pytest.raises(SettingsError, match="HANSANG_CREATING_SECONDS has to be a number of seconds"):
        WireSettings.chosen({}, {"HANSANG_CREATING_SECONDS": "soon"})


def test_throttling_is_asked_for() -> None:
    asked = {"HANSANG_THROTTLING": "yes"}
    assert WireSettings.chosen({}, asked).throttling
    assert ServerSettings.chosen({}, asked).throttling
    with pytest.raises(SettingsError, match="HANSANG_THROTTLING has to be yes or no, not 'on'"):
        ServerSettings.chosen({}, {"HANSANG_THROTTLING": "on"})


def test_what_is_given_comes_before_the_environment() -> None:
    chosen = WireSettings.chosen({"port": 0, "data": None}, {"HANSANG_PORT": "9", "HANSANG_DATA": "a.db"})
    assert (chosen.port, chosen.data) == (0, "a.db")


def test_an_empty_variable_says_nothing() -> None:
    assert WireSettings.chosen({}, {"HANSANG_PORT": "", "HANSANG_ACCESS_KEY": ""}) == WireSettings()


def test_the_environment_of_the_process_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSANG_REGION", "eu-west-1")
    assert WireSettings.chosen({}).region == "eu-west-1"


@pytest.mark.parametrize("port", ["x", "-1", "65536", "8.0", "８０"])
def test_a_port_that_is_none_is_named(port: str) -> None:
    with pytest.raises(SettingsError, match="HANSANG_PORT has to be a number from 0 to 65535"):
        WireSettings.chosen({}, {"HANSANG_PORT": port})


def test_a_durability_that_is_none_is_named() -> None:
    with pytest.raises(SettingsError, match="HANSANG_DURABILITY has to be full or normal, not 'some'"):
        WireSettings.chosen({}, {"HANSANG_DURABILITY": "some"})


@pytest.mark.parametrize("given", [{"access_key": "a"}, {"secret_key": "b"}])
def test_one_key_alone_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="both --access-key and --secret-key"):
        WireSettings.chosen(given, {})


def test_the_secret_does_not_show_when_settings_are_printed() -> None:
    assert "hush" not in repr(WireSettings(access_key="key", secret_key="hush"))


def test_the_server_has_settings_of_its_own() -> None:
    environ = {
        "HANSANG_DATA": "aws:ap-northeast-2",
        "HANSANG_PORT": "80",
        "HANSANG_WORKERS": "4",
        "HANSANG_PUBLIC_URL": "https://hansang.example",
        "HANSANG_JOBS": "no",
        "HANSANG_RATE": "60",
        "HANSANG_LARGEST_BODY": "1000",
        "HANSANG_LOG": "text",
        "HANSANG_SECRET_KEY": "of the endpoint",
    }
    chosen = ServerSettings.chosen({"workers": 2}, environ)
    assert chosen == ServerSettings(
        data="aws:ap-northeast-2",
        port=80,
        workers=2,
        public_url="https://hansang.example",
        jobs=False,
        rate=60,
        largest_body=1000,
        log="text",
    )
    assert chosen.is_secure


@pytest.mark.parametrize(
    ("name", "text"), [("WORKERS", "0"), ("RATE", "many"), ("JOBS", "true"), ("LOG", "xml"), ("PORT", "x")]
)
def test_a_setting_of_the_server_that_means_nothing_is_refused(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"HANSANG_{name} has to be"):
        ServerSettings.chosen({}, {f"HANSANG_{name}": text})


def test_applications_are_named_with_commas() -> None:
    assert ServerSettings.chosen({}, {"HANSANG_APPS": "news, codex,"}).apps == ("news", "codex")
    assert ServerSettings.chosen({}, {}).apps == ()


def test_a_suffix_of_tables_is_what_a_name_can_have() -> None:
    assert ServerSettings.chosen({}, {"HANSANG_TABLE_SUFFIX": "-dev"}).table_suffix == "-dev"
    with pytest.raises(SettingsError, match="HANSANG_TABLE_SUFFIX has to be letters"):
        ServerSettings.chosen({}, {"HANSANG_TABLE_SUFFIX": "/dev"})


# ── applications ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ShopSettings:
    name: str = "shop"
    most: int = 10
    is_open: bool = True
    colours: tuple[str, ...] = ()
    size: Literal["small", "large"] = "small"
    opens: Schedule | None = None

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ValueError("most has to be above 0.")


def test_an_application_has_settings_of_its_own() -> None:
    assert application_settings("shop", ShopSettings, {}) == ShopSettings()
    environ = {
        "HANSANG_SHOP_NAME": "kiosk",
        "HANSANG_SHOP_MOST": "3",
        "HANSANG_SHOP_IS_OPEN": "no",
        "HANSANG_SHOP_COLOURS": "red, blue",
        "HANSANG_SHOP_SIZE": "large",
        "HANSANG_SHOP_OPENS": "weekly MON 09:00",
    }
    assert application_settings("shop", ShopSettings, environ) == ShopSettings(
        "kiosk", 3, False, ("red", "blue"), "large", Schedule.parse("weekly MON 09:00")
    )


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("MOST", "x", "HANSANG_SHOP_MOST"),
        ("MOST", "0", "settings of shop are not valid: most has to be above 0"),
        ("IS_OPEN", "maybe", "has to be yes or no"),
        ("SIZE", "huge", "one of small, large"),
        ("OPENS", "never", "HANSANG_SHOP_OPENS: 'never' is not a valid schedule"),
    ],
)
def test_a_setting_of_an_application_that_means_nothing_is_refused(
    variable: str, text: str, words: str
) -> None:
    with pytest.raises(SettingsError, match=words):
        application_settings("shop", ShopSettings, {f"HANSANG_SHOP_{variable}": text})


def test_names_of_single_tables_are_pairs() -> None:
    chosen = ServerSettings.chosen({}, {"HANSANG_TABLE_NAMES": "news_items=site-news, NewsWork = w "})
    assert chosen.table_names == {"news_items": "site-news", "NewsWork": "w"}
    for text in ("news_items", "=x", "a=b c"):
        with pytest.raises(SettingsError, match="has to be pairs"):
            ServerSettings.chosen({}, {"HANSANG_TABLE_NAMES": text})
