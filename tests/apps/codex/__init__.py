"""Tests of the application codex."""
