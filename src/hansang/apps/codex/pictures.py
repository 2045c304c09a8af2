"""Pictures: kept under the digest of their content, after their type and size were looked at."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Protocol

from hansang.errors import InvalidInput, NotAllowed, NotFound, TooLarge

LARGEST_PICTURE = 20 * 1024 * 1024
"""In bytes."""
MOST_PIXELS = 50_000_000
LONGEST_SIDE = 12_000
TYPES = {"PNG": ("png", "image/png"), "JPEG": ("jpg", "image/jpeg"), "GIF": ("gif", "image/gif")} | {
    "WEBP": ("webp", "image/webp")
}
"""What is taken, by its format: the end of its name, and its media type. Nothing of these can run."""
_MEDIA_TYPES = dict(TYPES.values())
_NAME = re.compile(r"[0-9a-f]{32}\.(png|jpg|gif|webp)")
_TEMPORARY = ".part"


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """A picture that is kept."""

    name: str
    media_type: str
    width: int
    height: int
    size: int


@dataclass(frozen=True, slots=True)
class KeptPicture:
    """A picture as it is served: a file of this machine, or pieces from elsewhere."""

    media_type: str
    size: int
    file: Path | None = None
    pieces: Iterator[bytes] = field(default_factory=lambda: iter(()))


class PictureStore(Protocol):
    """Where pictures are kept. The same picture is kept once, whatever it was called."""

    def receive(self) -> PictureUpload:
        """Begin to take a picture, which comes in pieces."""

    def find(self, name: str) -> KeptPicture | None:
        """A picture, or None."""


class PictureFolder:
    """A folder of pictures."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def receive(self) -> PictureUpload:
        """Begin to take a picture, which comes in pieces."""
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return PictureUpload(self._path, self._keep)

    def _keep(self, file: Path, picture: StoredPicture) -> None:
        file.replace(self._path / picture.name)

    def find(self, name: str) -> KeptPicture | None:
        """A picture, or None."""
        media_type, path = media_type_of(name), self._path / name
        if media_type is None or not path.is_file():
            return None
        return KeptPicture(media_type, path.stat().st_size, path)


def media_type_of(name: str) -> str | None:
    """The type of the picture with this name; None for what is no name of ours."""
    found = _NAME.fullmatch(name)
    return None if found is None else _MEDIA_TYPES[found[1]]


class PictureUpload:
    """A picture on its way in: a file of its own first, and kept when it is whole and looked at."""

    def __init__(self, folder: Path, keep: Callable[[Path, StoredPicture], None]) -> None:
        self._keep = keep
        self._temporary = folder / f"{token_hex(8)}{_TEMPORARY}"
        self._digest, self._size = sha256(), 0
        self._file: BinaryIO = self._temporary.open("xb")

    def write(self, piece: bytes) -> None:
        """Take a piece, or TooLarge."""
        self._size += len(piece)
        if self._size > LARGEST_PICTURE:
            raise TooLarge(
                "A picture may have {most:,} bytes. Make it smaller.",
                code="codex.large-picture",
                values={"most": LARGEST_PICTURE},
            )
        self._digest.update(piece)
        self._file.write(piece)

    def finish(self) -> StoredPicture:
        """Look at the picture and keep it, or refuse it."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        kind, width, height = inspected(self._temporary)
        end, media_type = TYPES[kind]
        name = f"{self._digest.hexdigest()[:32]}.{end}"
        picture = StoredPicture(name, media_type, width, height, self._size)
        self._keep(self._temporary, picture)
        return picture

    def abandon(self) -> None:
        """Leave nothing of it behind."""
        self._file.close()
        self._temporary.unlink(missing_ok=True)


_BROKEN = (OSError, EOFError, SyntaxError, ValueError, TypeError, LookupError, AttributeError, struct.error)
"""What Pillow raises of a picture whose parts are broken or in the wrong order."""


def inspected(path: Path) -> tuple[str, int, int]:
    """The format and the size of a picture, by its content; what it is called counts for nothing."""
    # Pillow takes a while to import, and few requests bring a picture.
    from PIL import Image

    try:
        with Image.open(path, formats=tuple(TYPES)) as picture:
            kind, (width, height) = picture.format or "", picture.size
            picture.verify()
    except (Image.DecompressionBombError, *_BROKEN) as reason:
        raise InvalidInput(
            "This is not a PNG, JPEG, GIF or WebP picture. Save it as one of them; SVG is not taken, since it can run.",
            code="codex.not-a-picture",
        ) from reason
    if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
        raise InvalidInput(
            "The picture has {width:,} × {height:,} pixels, and {side:,} a side are the most. Make it smaller.",
            code="codex.wide-picture",
            values={"width": width, "height": height, "side": LONGEST_SIDE},
        )
    return kind, width, height


def no_store() -> NotAllowed:
    return NotAllowed(
        "Pictures are kept nowhere here. Set HANSANG_CODEX_PICTURES to a folder or to s3://BUCKET/PREFIX.",
        code="codex.no-picture-store",
    )


def no_picture(name: str) -> NotFound:
    return NotFound("Picture {name} not found.", code="codex.no-picture", values={"name": name})
