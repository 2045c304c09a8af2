"""Tests of the rules of the review."""
