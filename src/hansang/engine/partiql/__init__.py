"""PartiQL: a statement becomes the plan that a request with expressions would be."""
