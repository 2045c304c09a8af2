"""The files of an export, as AWS writes them: items in compressed lines, and manifests that name them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

_IN_ONE_FILE = 50_000


def write_items(folder: Path, prefix: str, items: Iterable[bytes]) -> tuple[int, list[dict[str, Any]]]:
    """Write stored items below `data/`; how many there were, and what the manifest says of each file."""
    (folder / "data").mkdir(parents=True)
    files: list[dict[str, Any]] = []
    total = 0
    waiting = iter(items)
    while True:
        name = f"data/{secrets.token_hex(13)}.json.gz"
        count, digest = _write_lines(folder / name, islice(waiting, _IN_ONE_FILE))
        if not count and files:
            (folder / name).unlink()
            return total, files
        total += count
        files.append(
            {
                "itemCount": count,
                "md5Checksum": base64.b64encode(digest).decode(),
                "etag": f"{digest.hex()}-1",
                "dataFileS3Key": f"{prefix}/{name}",
            }
        )


def _write_lines(path: Path, items: Iterator[bytes]) -> tuple[int, bytes]:
    count = 0
    with gzip.open(path, "wb", compresslevel=5) as lines:
        for item in items:
            lines.write(b'{"Item":%b}\n' % item)
            count += 1
    with path.open("rb") as written:
        return count, hashlib.file_digest(written, lambda: hashlib.md5(usedforsecurity=False)).digest()


def write_manifests(folder: Path, files: list[dict[str, Any]], summary: Mapping[str, Any]) -> None:
    """Write the manifests; that of the summary comes last: an export with it is whole."""
    _write_with_digest(folder / "manifest-files.json", b"".join(orjson.dumps(each) + b"\n" for each in files))
    _write_with_digest(folder / "manifest-summary.json", orjson.dumps(summary))


def _write_with_digest(path: Path, text: bytes) -> None:
    digest = hashlib.md5(text, usedforsecurity=False).digest()
    path.with_suffix(".md5").write_bytes(base64.b64encode(digest))
    path.write_bytes(text)


def moment_text(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
