"""The platform: people, their sessions, the keys of programs, and what administers them."""
