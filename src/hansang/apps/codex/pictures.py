"""Pictures: kept in a folder under the digest of their content, after their type and size were looked at."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from hansang.errors import InvalidInput, NotAllowed, NotFound, TooLarge

LARGEST_PICTURE = 20 * 1024 * 1024
"""In bytes."""
MOST_PIXELS = 50_000_000
LONGEST_SIDE = 12_000
TYPES = {"PNG": ("png", "image/png"), "JPEG": ("jpg", "image/jpeg"), "GIF": ("gif", "image/gif")} | {
    "WEBP": ("webp", "image/webp")
}
"""What is taken, by its format: the end of its name, and its media type. Nothing of these can run."""
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


class PictureFolder:
    """A folder of pictures. The same picture is kept once, whatever it was called."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def receive(self) -> PictureUpload:
        """Begin to take a picture, which comes in pieces."""
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return PictureUpload(self._path)

    def find(self, name: str) -> Path | None:
        """The file of a picture, or None."""
        path = self._path / name
        return path if _NAME.fullmatch(name) and path.is_file() else None

    def get(self, name: str) -> Path:
        """The file of a picture, or NotFound."""
        found = self.find(name)
        if found is None:
            raise NotFound("Picture {name} not found.", code="codex.no-picture", values={"name": name})
        return found

    def each(self) -> Iterator[Path]:
        """The pictures, the newest first."""
        found = [each for each in self._path.glob("*") if _NAME.fullmatch(each.name)]
        yield from sorted(found, key=lambda each: (-each.stat().st_mtime, each.name))


class PictureUpload:
    """A picture on its way in: written beside the others, and among them when it is whole and looked at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
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
        self._temporary.replace(self._folder / name)
        return StoredPicture(name, media_type, width, height, self._size)

    def abandon(self) -> None:
        """Leave nothing of it behind."""
        self._file.close()
        self._temporary.unlink(missing_ok=True)


def inspected(path: Path) -> tuple[str, int, int]:
    """The format and the size of a picture, by its content; what it is called counts for nothing."""
    # Pillow takes a while to import, and few requests bring a picture.
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path, formats=tuple(TYPES)) as picture:
            kind, (width, height) = picture.format or "", picture.size
            picture.verify()
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as reason:
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


def no_folder() -> NotAllowed:
    return NotAllowed(
        "Pictures have no folder here. Set HANSANG_CODEX_PICTURES.", code="codex.no-picture-folder"
    )
