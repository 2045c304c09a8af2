"""The rules of the review, one noun a module."""
