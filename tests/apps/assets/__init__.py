"""Tests of the application assets."""
