"""PartiQL."""
