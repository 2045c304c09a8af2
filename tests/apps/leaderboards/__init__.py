"""Tests of the application leaderboards."""
