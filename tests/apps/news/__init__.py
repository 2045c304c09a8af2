"""Tests of the application news."""
