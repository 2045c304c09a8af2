"""Expressions: what a request says of items, parsed once and cached."""
