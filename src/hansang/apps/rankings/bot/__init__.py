"""The bot on Discord: its slash commands, what it answers, and how the answers get there."""
