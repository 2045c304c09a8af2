"""Buckets as folders: where exports go and imports come from. A bucket is a folder below one root."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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
        """The place of an object, inside the folder of its bucket; a symbolic link leads nowhere else."""
        folder = self._folder(bucket)
        if "\0" in key or key.startswith("/") or {".", ".."} & {*key.split("/")}:
            raise _bad_key(key)
        place = (folder / key).resolve()
        if not place.is_relative_to(folder):
            raise _bad_key(key)
        return place

    def objects(self, bucket: str, prefix: str) -> Iterator[Path]:
        """The files whose keys begin so, in the order of their keys; a link out of the bucket is none of them."""
        self.path(bucket, prefix)
        folder = self._folder(bucket)
        for path in sorted((folder / prefix.rpartition("/")[0]).rglob("*")):
            is_named = path.relative_to(folder).as_posix().startswith(prefix)
            if is_named and path.is_file() and path.resolve().is_relative_to(folder):
                yield path

    def _folder(self, bucket: str) -> Path:
        assert self._root is not None
        root = self._root.resolve()
        folder = (root / bucket).resolve()
        if not folder.is_dir() or not folder.is_relative_to(root):
            raise NoSuchBucket(bucket)
        return folder


def _bad_key(key: str) -> WireError:
    return invalid_parameter(f"'{key}' is not a valid key of an object")
