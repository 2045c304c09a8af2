"""Buckets as folders: where exports go and imports come from. A bucket is a folder below one root."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from hansang.engine.faults import invalid, invalid_parameter
from hansang.errors import WireError


class NoSuchBucket(WireError):
    """There is no folder of the name."""

    def __init__(self, bucket: str) -> None:
        super().__init__("S3NoSuchBucket", f"The specified bucket does not exist: {bucket}")


def failure(reason: NoSuchBucket | OSError) -> dict[str, str]:
    """Why an export or an import has failed, as its description says it."""
    if isinstance(reason, NoSuchBucket):
        return {"FailureCode": reason.code, "FailureMessage": str(reason.message)}
    return {"FailureCode": "S3AccessDenied", "FailureMessage": reason.strerror or "The bucket cannot be used"}


class Buckets:
    """The folders below a root, by the names of buckets."""

    def __init__(self, root: Path | None) -> None:
        self._root = root

    def expect_served(self) -> None:
        """Refuse the work when no folder was given for buckets."""
        if self._root is None:
            raise invalid(
                "No buckets are served here. Start with --buckets FOLDER: each folder in it is a bucket."
            )

    def path(self, bucket: str, key: str) -> Path:
        """The place of an object, inside the folder of its bucket."""
        if ".." in PurePosixPath(key).parts or key.startswith("/"):
            raise invalid_parameter(f"'{key}' is not a valid key of an object")
        return self._folder(bucket) / key

    def objects(self, bucket: str, prefix: str) -> Iterator[Path]:
        """The files whose keys begin so, in the order of their keys."""
        start = self.path(bucket, prefix)
        folder = start if prefix.endswith("/") or not prefix else start.parent
        whole = self._folder(bucket) / prefix
        for path in sorted(folder.rglob("*")):
            if path.is_file() and str(path).startswith(str(whole)):
                yield path

    def _folder(self, bucket: str) -> Path:
        assert self._root is not None
        folder = self._root / bucket
        if not folder.is_dir():
            raise NoSuchBucket(bucket)
        return folder
