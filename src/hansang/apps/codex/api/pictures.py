"""Pictures as routes: taken as they come, and served so that nothing of them runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import Path as InPath
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from hansang.apps.codex.api.documents import PATH, settings_of
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.pictures import TYPES, PictureFolder, PictureStore, no_picture, no_store
from hansang.backends.urls import is_file
from hansang.parts.permissions import Principal
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, Public
from hansang.surfaces.shell import Shell

PictureName = Annotated[str, InPath(max_length=64)]
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Disposition": "inline",
}
"""Under a digest there is never another picture, and nothing in it may load or run anything."""
_TAKEN: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            media_type: {"schema": {"type": "string", "contentMediaType": media_type}}
            for _, media_type in TYPES.values()
        },
    },
    "x-problems": [413, 422],
}


class PictureShown(BaseModel):
    """A picture that is kept, and its address."""

    address: str
    media_type: str
    width: int
    height: int
    size: int


class PictureRoutes:
    """The pictures of the site."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._store = store_of(shell)
        self._group = RouteGroup(f"{PATH}/pictures", f"{AREA}.pictures", gate.allow(AREA, "write"))
        self._served = RouteGroup(f"{PATH}/pictures", f"{AREA}.pictures", Public(), is_listed=False)

    def all(self) -> list[ApiRoute]:
        """Taking and serving."""
        return [
            self._group.route("POST", "", self.upload, PictureShown, 201, extra=_TAKEN),
            self._served.route("GET", "/{name}", self.picture),
        ]

    async def upload(self, request: Request, principal: Principal) -> Response:
        """Keep a picture; the body is the file itself. The same one again is the same address."""
        upload = await run_in_threadpool(self._expected().receive)
        try:
            async for piece in request.stream():
                await run_in_threadpool(upload.write, piece)
            kept = await run_in_threadpool(upload.finish)
        finally:
            await run_in_threadpool(upload.abandon)
        shown = PictureShown(
            address=f"{PATH}/pictures/{kept.name}",
            media_type=kept.media_type,
            width=kept.width,
            height=kept.height,
            size=kept.size,
        )
        return answered(shown, 201, Location=shown.address)

    def picture(self, name: PictureName) -> Response:
        """A picture, for everyone who knows its address."""
        found = self._expected().find(name)
        if found is None:
            raise no_picture(name)
        if found.file is not None:
            return FileResponse(found.file, headers=_SAFE, media_type=found.media_type)
        headers = {**_SAFE, "Content-Length": str(found.size)}
        return StreamingResponse(found.pieces, headers=headers, media_type=found.media_type)

    def _expected(self) -> PictureStore:
        if self._store is None:
            raise no_store()
        return self._store


def store_of(shell: Shell) -> PictureStore | None:
    """Where a shell keeps pictures: as the settings say, or beside the data file."""
    chosen, data = settings_of(shell).pictures, shell.settings.data
    if chosen.startswith("s3://"):
        # boto3 takes a while to import, and few sites keep pictures there.
        from hansang.apps.codex.picture_bucket import PictureBucket

        return PictureBucket(chosen)
    if not chosen and not is_file(data):
        return None
    return PictureFolder(Path(chosen or f"{data}-pictures"))
