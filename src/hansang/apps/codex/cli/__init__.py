"""The commands of the content application."""
