"""Parts of keys as people write them."""

from __future__ import annotations

import pytest

from hansang.blueprint.explorer.key_texts import key_value
from hansang.errors import InvalidInput


@pytest.mark.parametrize("text", ["abc", "NaN", "Infinity", "1e"])
def test_a_number_in_a_key_is_a_number(text: str) -> None:
    with pytest.raises(InvalidInput, match="Id is a number"):
        key_value("Id", "N", text)


def test_a_binary_in_a_key_is_written_as_base64() -> None:
    assert key_value("b", "B", "AQID") == {"B": "AQID"}
    with pytest.raises(InvalidInput, match="base64"):
        key_value("b", "B", "no base64!")
