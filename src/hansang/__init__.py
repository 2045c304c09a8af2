"""Hansang (한상): one table, fully set. DynamoDB applications in Python."""

__version__ = "0.1.0"
