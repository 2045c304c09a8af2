"""However many questions there are, the fields of each are made once."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi.routing import APIRoute
from pydantic import create_model

from hansang.surfaces.api.parameter_fields import keep_all

MORE_THAN_FASTAPI_KEEPS = 200


def test_a_document_of_very_many_questions_can_be_made() -> None:
    keep_all()
    app = FastAPI()
    for number in range(MORE_THAN_FASTAPI_KEEPS):
        asked: Any = create_model(f"Asked{number}", lang=(str, ""))

        def answer(asked: Any) -> str:
            return str(asked)

        answer.__annotations__["asked"] = Annotated[asked, Query()]
        app.router.routes.append(APIRoute(f"/{number}", answer))
    assert len(app.openapi()["paths"]) == MORE_THAN_FASTAPI_KEEPS
