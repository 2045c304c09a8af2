"""Tests of the pages of the content, and of the public site."""
