"""Tests of what follows from a design."""
