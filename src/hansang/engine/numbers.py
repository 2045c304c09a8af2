"""DynamoDB's numbers: 38 significant digits, magnitudes from 1E-130 to just under 1E126, exact."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from functools import lru_cache

from hansang.engine.faults import invalid_value

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,37}").fullmatch
_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?").fullmatch

_DIGITS = 38
_LARGEST_EXPONENT = 125
_SMALLEST_EXPONENT = -130
_OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
_UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
# Wide enough for the exact sum of the largest and the smallest number.
_EXACT = Context(prec=_LARGEST_EXPONENT - _SMALLEST_EXPONENT + 2 * _DIGITS)


def normal(text: str) -> str:
    """The one way in which DynamoDB writes this number: plain digits, no needless zeros."""
    return text if _WHOLE(text) else _normal(text)


@lru_cache(maxsize=4096)
def _normal(text: str) -> str:
    negative, digits, exponent = _parts(text)
    # DynamoDB looks at the exponent of a zero too: 0E126 is refused.
    adjusted = exponent + max(len(digits), 1) - 1
    if adjusted > _LARGEST_EXPONENT:
        raise invalid_value(_OVERFLOW)
    if adjusted < _SMALLEST_EXPONENT:
        raise invalid_value(_UNDERFLOW)
    if not digits:
        return "0"
    if len(digits) > _DIGITS:
        raise invalid_value("Attempting to store more than 38 significant digits in a Number")
    return ("-" if negative else "") + _plain(digits, exponent)


def _parts(text: str) -> tuple[bool, str, int]:
    """Sign, significant digits without outer zeros, and the power of ten of the last digit."""
    match = _NUMBER(text)
    if match is None or not (match[2] or match[3]):
        detail = f": {text}" if text else ""
        raise invalid_value(f"The parameter cannot be converted to a numeric value{detail}")
    fraction = match[3] or ""
    digits = (match[2] + fraction).lstrip("0")
    trimmed = digits.rstrip("0")
    exponent = _bounded(match[4] or "0") - len(fraction) + len(digits) - len(trimmed)
    return match[1] == "-", trimmed, exponent


def _bounded(exponent: str) -> int:
    """The exponent as a number; beyond six digits it only matters that it is out of range."""
    magnitude = exponent.lstrip("+-0")
    if len(magnitude) > 6:
        magnitude = "9999999"
    return int(magnitude or "0") * (-1 if exponent[0] == "-" else 1)


def _plain(digits: str, exponent: int) -> str:
    if exponent >= 0:
        return digits + "0" * exponent
    point = len(digits) + exponent
    if point > 0:
        return f"{digits[:point]}.{digits[point:]}"
    return f"0.{'0' * -point}{digits}"


def size(text: str) -> int:
    """What a number in normal form weighs, as AWS measures it.

    One byte, one for every two digits on either side of the point without outer zeros, one for a minus.
    """
    whole, _, fraction = text.removeprefix("-").partition(".")
    if fraction:
        whole = "" if whole == "0" else whole
        fraction = fraction if whole else fraction.lstrip("0")
    elif whole[-1] == "0":
        whole = whole.rstrip("0")
        if not whole:
            return 1
    return 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + (text[0] == "-")


def add(left: str, right: str) -> str:
    return _result(_EXACT.add(Decimal(left), Decimal(right)))


def subtract(left: str, right: str) -> str:
    return _result(_EXACT.subtract(Decimal(left), Decimal(right)))


def _result(number: Decimal) -> str:
    """A sum in normal form; one that needs more than 38 digits is an overflow too."""
    if not number:
        return "0"
    if len(_parts(str(number))[1]) > _DIGITS:
        raise invalid_value(_OVERFLOW)
    return normal(str(number))


def sortable(text: str) -> bytes:
    """Bytes that sort as the numbers do; `text` is in normal form.

    A sign byte, the exponent in one byte (256 exponents are allowed), two digits a byte, an end mark;
    for negative numbers all but the sign byte is complemented.
    """
    if text == "0":
        return b"\x80"
    negative = text[0] == "-"
    digits, exponent = _significand(text[1:] if negative else text)
    if len(digits) % 2:
        digits += "0"
    body = b"%c%b\0" % (exponent - _SMALLEST_EXPONENT, bytes.fromhex(digits).translate(_PAIRS))
    if negative:
        return b"\x40" + body.translate(_COMPLEMENT)
    return b"\xc0" + body


def sortable_length(row: bytes) -> int:
    """How many bytes the number has that sortable bytes begin with."""
    return 1 if row[0] == 0x80 else row.index(0xFF if row[0] == 0x40 else 0, 2) + 1


def from_sortable(number: bytes) -> str:
    """The number whose sortable bytes these are."""
    if number == b"\x80":
        return "0"
    is_negative = number[0] == 0x40
    first, *pairs = (number.translate(_COMPLEMENT) if is_negative else number)[1:-1]
    digits = "".join(f"{pair - 1:02d}" for pair in pairs).rstrip("0")
    plain = _plain(digits, first + _SMALLEST_EXPONENT - len(digits) + 1)
    return f"-{plain}" if is_negative else plain


_COMPLEMENT = bytes(255 - byte for byte in range(256))
_PAIRS = bytes((byte >> 4) * 10 + (byte & 15) + 1 if byte < 0xA0 else 0 for byte in range(256))
"""From two digits, read as hexadecimal, to their number and one more."""


def _significand(text: str) -> tuple[str, int]:
    """Digits without outer zeros and the exponent of the first one, of a positive normal number."""
    whole, _, fraction = text.partition(".")
    if whole != "0":
        return (whole + fraction).rstrip("0"), len(whole) - 1
    digits = fraction.lstrip("0")
    return digits, len(digits) - len(fraction) - 1
