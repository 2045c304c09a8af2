"""Tests of the ledger in a browser."""
