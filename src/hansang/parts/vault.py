"""The vault: seals what has to be read again with a key that does not lie in the data."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from secrets import token_bytes

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from hansang.errors import SettingsError, WrongKey

SHORTEST_KEY = 32
_NONCE = 12
_FORM = "v1"


class Vault:
    """Encrypts and opens with one key, AES-256 in GCM; what is sealed for one purpose opens for no other."""

    def __init__(self, key: str) -> None:
        """`key` is any text that nobody can guess, of at least 32 characters."""
        if len(key) < SHORTEST_KEY:
            raise SettingsError(
                f"The key that secrets are encrypted with has at least {SHORTEST_KEY} characters. "
                "Give a longer random one as HANSANG_ENCRYPTION_KEY."
            )
        derived = sha256(b"hansang vault\0" + key.encode()).digest()
        self._cipher = AESGCM(derived)
        self._id = sha256(b"id\0" + derived).hexdigest()[:16]

    def seal(self, purpose: str, octets: bytes) -> str:
        """What can be kept anywhere, because only this key opens it."""
        nonce = token_bytes(_NONCE)
        sealed = nonce + self._cipher.encrypt(nonce, octets, purpose.encode())
        return f"{_FORM}.{self._id}.{urlsafe_b64encode(sealed).decode()}"

    def open(self, purpose: str, text: str) -> bytes:
        """What was sealed for this purpose; WrongKey when it was with another key, or not at all."""
        _, _, sealed = text.partition(".")[2].partition(".")
        try:
            raw = urlsafe_b64decode(sealed)
            return self._cipher.decrypt(raw[:_NONCE], raw[_NONCE:], purpose.encode())
        except (binascii.Error, InvalidTag, ValueError) as reason:
            raise WrongKey(
                "The secrets of the server were encrypted with another key than the one that is given. "
                "Put the right key in its place; if it is lost, make new secrets with hansang secrets renew, "
                "which ends every session."
            ) from reason
