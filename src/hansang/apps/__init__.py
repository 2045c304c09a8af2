"""The five applications, one for each design."""
