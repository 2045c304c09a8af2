"""Tests of the pages of the ledger."""
