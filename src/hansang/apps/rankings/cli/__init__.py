"""The commands of the rankings."""
