"""Which addresses may be fetched from."""

from __future__ import annotations

import pytest

from hansang.apps.news.addresses import is_allowed
from hansang.apps.news.settings import NewsSettings
from hansang.errors import SettingsError

PUBLIC = (
    "8.8.8.8",
    "1.1.1.1",
    "2606:4700:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
)
NOT_PUBLIC = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
    *("100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::ffff:0:127.0.0.1"),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "2002:a00:1::1", "fd00:ec2::254"),
)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_allowed(address: str) -> None:
    assert is_allowed(address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_what_is_not_public_is_not_allowed(address: str) -> None:
    assert not is_allowed(address)


def test_what_is_named_is_allowed_and_nothing_beside_it() -> None:
    assert is_allowed("127.0.0.1", ["127.0.0.1"])
    assert is_allowed("::ffff:10.2.3.4", ["10.0.0.0/8"])
    assert not is_allowed("127.0.0.2", ["127.0.0.1", "10.0.0.0/8", "::1"])


def test_a_network_that_is_none_is_refused() -> None:
    assert NewsSettings(fetch_private=("10.1.2.3/8", "::1")).fetch_private == ("10.1.2.3/8", "::1")
    with pytest.raises(SettingsError, match="localhost is not a valid network"):
        NewsSettings(fetch_private=("localhost",))
