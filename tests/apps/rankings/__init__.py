"""Tests of the application rankings."""
