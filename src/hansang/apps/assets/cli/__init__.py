"""The commands of the household ledger."""
