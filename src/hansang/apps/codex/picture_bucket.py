"""Pictures in a bucket of S3, or of a store that speaks as S3 does; served by us, so the bucket stays private."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import boto3
from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from hansang.apps.codex.pictures import KeptPicture, PictureUpload, StoredPicture, media_type_of
from hansang.errors import StoreError

_CONFIG = Config(retries={"mode": "standard", "total_max_attempts": 4}, connect_timeout=5, read_timeout=30)
_MISSING = ("NoSuchKey", "404")
_PIECE = 64 * 1024


class PictureBucket:
    """The pictures below a prefix of a bucket. Credentials come from the SDK's own chain."""

    def __init__(self, address: str) -> None:
        """`address` is s3://BUCKET or s3://BUCKET/PREFIX."""
        self._address = address
        self._bucket, _, prefix = address.removeprefix("s3://").partition("/")
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._session = boto3.Session()

    def receive(self) -> PictureUpload:
        """Begin to take a picture; it waits in a file of this machine until it was looked at."""
        return PictureUpload(Path(gettempdir()), self._keep)

    def _keep(self, file: Path, picture: StoredPicture) -> None:
        with self._client() as s3, file.open("rb") as opened:
            key = self._prefix + picture.name
            s3.put_object(Bucket=self._bucket, Key=key, Body=opened, ContentType=picture.media_type)

    def find(self, name: str) -> KeptPicture | None:
        """A picture, or None."""
        media_type = media_type_of(name)
        if media_type is None:
            return None
        with ExitStack() as open_until_read:
            try:
                s3 = open_until_read.enter_context(self._client())
                found = s3.get_object(Bucket=self._bucket, Key=self._prefix + name)
            except ClientError as reason:
                if reason.response["Error"]["Code"] in _MISSING:
                    return None
                raise
            pieces = _pieces(found["Body"], open_until_read.pop_all())
        return KeptPicture(media_type, found["ContentLength"], pieces=pieces)

    @contextmanager
    def _client(self) -> Iterator[Any]:
        """A client for a call; what goes wrong is said in our own words."""
        make: Any = self._session.client
        try:
            with closing(make("s3", config=_CONFIG)) as client:
                yield client
        except (ClientError, BotoCoreError, Boto3Error) as reason:
            raise StoreError(
                f"{self._address} could not be used: {reason}. Check HANSANG_CODEX_PICTURES, the network, and that "
                "s3:GetObject and s3:PutObject are allowed."
            ) from reason


def _pieces(body: Any, opened: ExitStack) -> Iterator[bytes]:
    with opened, closing(body):
        yield from body.iter_chunks(_PIECE)
