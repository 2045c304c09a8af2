"""Counted trees of scores: the exact rank of any score, and whoever stands at any rank, in a few reads."""
