"""What DynamoDB would answer, on SQLite. Knows no design and no application."""

from hansang.engine.engine import Engine

__all__ = ["Engine"]
