"""The rows of a file, and the one place where SQL is written.

One SQLite file in WAL mode. Every DynamoDB table and every index is one `WITHOUT ROWID` table of
(key, value, size). `engine/store.py` hands its connections out: readers never wait, and writers that
wait together are committed together.
"""
