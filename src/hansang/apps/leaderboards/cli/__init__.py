"""The commands of the leaderboards."""
