"""The key beside a data file: it opens the secrets in it, and only its owner may read it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from secrets import token_urlsafe

from hansang.backends.urls import is_file
from hansang.design import Database
from hansang.engine.file import drafted, publish
from hansang.errors import SettingsError, StoreError, WrongKey
from hansang.parts.secrets import are_sealed
from hansang.parts.vault import Vault

_LENGTH = 32
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def vault_of(data: str, setting: str | None, database: Database) -> Vault:
    """The vault of a place: of the setting, else of the file beside the data, which is made when it is needed first."""
    if setting is not None:
        return Vault(setting)
    if data == ":memory:":
        return Vault(token_urlsafe(_LENGTH))
    path = _expect_file(data)
    key = find_key(path)
    if key is None and are_sealed(database):
        raise WrongKey(
            f"{data} has secrets that only their key opens, and {path} is not there. Put the key file back beside "
            "the data, or give the key as HANSANG_ENCRYPTION_KEY. If it is lost, make a new one with "
            f"hansang secrets renew --data {data}, which ends every session."
        )
    return Vault(key or make_key(path))


def renewed_vault(data: str, setting: str | None) -> Vault:
    """The vault of a place with a new key, in place of the one that may be there; a setting stays as it is."""
    return Vault(make_key(_expect_file(data), replace=True) if setting is None else setting)


def _expect_file(data: str) -> Path:
    if not is_file(data):
        raise SettingsError(
            f"{data} has no folder for a key file. Give the key that secrets are encrypted with as "
            "HANSANG_ENCRYPTION_KEY, a random text of at least 32 characters, the same for every server."
        )
    return path_beside(data)


def path_beside(data: str) -> Path:
    """Where the key of a data file is: hansang.db.key."""
    return Path(f"{data}.key")


def find_key(path: Path) -> str | None:
    """The key in this file; None when there is no file, and an error when others may read it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError as reason:
        raise StoreError(f"The key file {path} could not be opened: {reason}") from reason
    with os.fdopen(handle, encoding="ascii", errors="replace") as opened:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_mode & _OF_OTHERS:
            raise StoreError(f"Others can read the key file {path}. Make it yours alone: chmod 600 {path}")
        return opened.read().strip()


def make_key(path: Path, *, replace: bool = False) -> str:
    """A new key in this file; the one that another process has put there meanwhile, unless it is to be replaced."""
    key = token_urlsafe(_LENGTH)
    with drafted(path) as draft:
        draft.write_text(f"{key}\n", encoding="ascii")
        try:
            publish(draft, path, replace=replace)
        except FileExistsError:
            return find_key(path) or key
    return key
