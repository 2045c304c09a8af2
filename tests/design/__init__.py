"""Tests of the design language."""
