"""Designs that are inferred from what is there."""
