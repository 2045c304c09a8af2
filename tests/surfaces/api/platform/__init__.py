"""Tests of the platform as routes."""
