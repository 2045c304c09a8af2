"""The old tables of a site, with what such tables have: times of every form, rows without a category."""

from __future__ import annotations

from typing import Any

from hansang.backends.base import Backend
from hansang.design.codec import to_value

KEYS = {"PostsTable": "postId", "CategoriesTable": "categoryId", "CorpMetaTable": "metaKey"}


def create_old_tables(backend: Backend) -> None:
    for table, key in KEYS.items():
        backend.call(
            "CreateTable",
            {
                "TableName": table,
                "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )


def put(backend: Backend, table: str, **attributes: Any) -> None:
    item = {name: to_value(value) for name, value in attributes.items()}
    backend.call("PutItem", {"TableName": table, "Item": item})


def delete(backend: Backend, table: str, key: str) -> None:
    backend.call("DeleteItem", {"TableName": table, "Key": {KEYS[table]: {"S": key}}})


def post(number: int, **more: Any) -> dict[str, Any]:
    return {
        "postId": f"p{number}",
        "categoryId": f"c{number % 3}",
        "authorId": "u1",
        "title": f"글 {number}",
        "contents": "본문",
        "createdAt": f"2024-01-01T00:{number // 60 % 60:02d}:{number % 60:02d}.123Z",
        "updatedAt": "2024-02-01T00:00:00Z",
    } | more


def fill(backend: Backend, posts: int) -> None:
    create_old_tables(backend)
    for number in range(3):
        put(
            backend,
            "CategoriesTable",
            categoryId=f"c{number}",
            title="소식",
            createdAt="2023-05-01T00:00:00Z",
        )
    for number in range(posts):
        put(backend, "PostsTable", **post(number))
    for name, value in {"name": "두루빛", "email": "hello@durubit.example", "phone": "02-000"}.items():
        put(backend, "CorpMetaTable", metaKey=name, metaValue=value, createdAt="2023-01-01T00:00:00Z")
