"""Whole designs, and everything that can be done with them on every backend."""
