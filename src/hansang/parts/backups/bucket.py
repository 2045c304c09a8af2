"""Backups in a bucket of S3, or of a store that speaks as S3 does."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

import boto3
from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from hansang.errors import SettingsError, StoreError
from hansang.parts.backups.names import PART

_ADDRESS = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(?P<prefix>[^?#]*))?").fullmatch
_NEW, _OWN = os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600  # There are hashes and secrets in it.
_CONFIG = Config(retries={"mode": "standard", "total_max_attempts": 4}, connect_timeout=5, read_timeout=60)
_TRANSFER = TransferConfig(max_concurrency=4)
_RIGHTS = "s3:PutObject, s3:GetObject, s3:DeleteObject and s3:ListBucket"
_WAYS_OUT = {
    "NoSuchBucket": "Create the bucket, or change HANSANG_BACKUP_TO.",
    "404": "Create the bucket, or change HANSANG_BACKUP_TO.",
    "AccessDenied": f"Allow {_RIGHTS}.",
    "403": f"Allow {_RIGHTS}.",
}
_OTHERWISE = "Check the network, the credentials and HANSANG_BACKUP_TO."


class BackupBucket:
    """The objects below a prefix of a bucket. Credentials come from the SDK's own chain."""

    def __init__(self, bucket: str, prefix: str) -> None:
        """`prefix` is empty or ends with a slash."""
        self._bucket, self._prefix = bucket, prefix
        self._session = boto3.Session()

    @classmethod
    def parse(cls, address: str) -> Self:
        found = _ADDRESS(address)
        if found is None:
            raise SettingsError(f"{address!r} is not a valid bucket. Give s3://BUCKET or s3://BUCKET/PREFIX.")
        prefix = (found["prefix"] or "").strip("/")
        return cls(found["bucket"], f"{prefix}/" if prefix else "")

    @property
    def address(self) -> str:
        return f"s3://{self._bucket}/{self._prefix}".rstrip("/")

    def workplace(self, data: Path) -> Path:
        return data.absolute().parent

    def take(self, file: Path) -> None:
        with self._client() as s3:
            s3.upload_file(str(file), self._bucket, self._prefix + file.name, Config=_TRANSFER)
        file.unlink()

    @contextmanager
    def fetched(self, name: str, workplace: Path) -> Iterator[Path]:
        file = workplace / f"{name}{PART}-{token_hex(4)}"
        try:
            with self._client() as s3, os.fdopen(os.open(file, _NEW, _OWN), "wb") as opened:
                s3.download_fileobj(self._bucket, self._prefix + name, opened, Config=_TRANSFER)
            yield file
        finally:
            file.unlink(missing_ok=True)

    def rename(self, old: str, new: str) -> None:
        with self._client() as s3:
            source = {"Bucket": self._bucket, "Key": self._prefix + old}
            s3.copy(source, self._bucket, self._prefix + new, Config=_TRANSFER)
            s3.delete_object(**source)

    def delete(self, name: str) -> None:
        with self._client() as s3:
            s3.delete_object(Bucket=self._bucket, Key=self._prefix + name)

    def files(self) -> list[tuple[str, int]]:
        with self._client() as s3:
            pages = s3.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=self._prefix, Delimiter="/"
            )
            return [
                (each["Key"].removeprefix(self._prefix), each["Size"])
                for page in pages
                for each in page.get("Contents", ())
            ]

    @contextmanager
    def _client(self) -> Iterator[Any]:
        """A client for a few calls; what goes wrong is said in our own words."""
        make: Any = self._session.client
        try:
            with closing(make("s3", config=_CONFIG)) as client:
                yield client
        except ClientError as reason:
            code = reason.response.get("Error", {}).get("Code", "")
            raise self._failed(reason, _WAYS_OUT.get(code, _OTHERWISE)) from reason
        except (BotoCoreError, Boto3Error) as reason:
            # An upload that fails hides the code of its error in its text.
            known = (way for code, way in _WAYS_OUT.items() if f"({code})" in str(reason))
            raise self._failed(reason, next(known, _OTHERWISE)) from reason

    def _failed(self, reason: Exception, way_out: str) -> StoreError:
        return StoreError(f"{self.address} could not be used: {reason}. {way_out}".replace("..", "."))
