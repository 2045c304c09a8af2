"""The road from the three old tables to the one (X4-08, X4-12)."""
