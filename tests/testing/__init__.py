"""Tests of the parts that applications and the shell share."""
