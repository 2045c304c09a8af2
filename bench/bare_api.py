"""The same routes in FastAPI and nothing behind them: what the framework itself costs."""

from __future__ import annotations

import sys
from datetime import datetime

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

AT = datetime.fromisoformat("2026-11-15T09:30:00Z")


class Category(BaseModel):
    """What the typed route answers with."""

    id: str
    title: str
    desc: str
    created_at: datetime
    updated_at: datetime


app = FastAPI()


@app.get("/categories")
def read(id: str) -> Category:  # noqa: A002 - the parameter's own name
    return Category(id=id, title="Title", desc="A line", created_at=AT, updated_at=AT)


@app.post("/categories", status_code=201)
def write(category: Category) -> Category:
    return category


if __name__ == "__main__":
    uvicorn.run(
        app, host="127.0.0.1", port=int(sys.argv[1]), http="httptools", access_log=False, log_level="error"
    )
