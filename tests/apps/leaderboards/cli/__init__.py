"""Tests of the commands of the leaderboards."""
