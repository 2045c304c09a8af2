"""Tests of the API of the leaderboards."""
