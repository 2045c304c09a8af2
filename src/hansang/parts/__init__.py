"""Pieces that the applications and the shell share, built on the design language."""
