"""Backups on a schedule: where they are kept, for how long, and how the last one went."""
