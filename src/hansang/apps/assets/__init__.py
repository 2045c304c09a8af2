"""Household asset manager: what a household earns, spends and has put by, month by month."""
