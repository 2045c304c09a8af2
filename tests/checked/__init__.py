"""What type checkers know of a design."""
