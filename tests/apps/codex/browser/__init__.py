"""Tests of the content and the site in a real browser."""
