"""The API: every design as typed JSON over HTTP, and the platform beside it."""
